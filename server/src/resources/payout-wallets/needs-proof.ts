import { NETWORKS, type ReceiveNetwork, RECEIVE_NETWORKS } from '@quittance/contract';
import type { Context } from '../../context.ts';
import { solanaBytes, solanaKeyKind } from '../../outside/chains/solana-key.ts';
import type { Account } from '../../platform/caller.ts';
import { TemporaryFailure } from '../../platform/errors.ts';
import { validateAddress } from './validate-address.ts';

/**
 * Whether a live address has to be proved even if nobody else has saved it: code lives there, or a program made it, so
 * that it may be an exchange or a pool. An address that no provider can be asked about counts as one.
 */
export async function needsProof(
  ctx: Pick<Context, 'chains' | 'log'>,
  account: Account,
  saved: { network: string; address: string },
): Promise<boolean> {
  const network = RECEIVE_NETWORKS.find((one) => one === saved.network.toLowerCase());
  if (!account.livemode || !network) return false;
  const verdict = validateAddress(network, saved.address);
  if (!verdict.ok) return false;
  if (isDerived(network, verdict.address)) return true;
  try {
    return ((await ctx.chains.get(network)?.inhabitantOf?.(verdict.address)) ?? null) !== null;
  } catch (error) {
    if (!(error instanceof TemporaryFailure)) throw error;
    ctx.log.warn({ err: error, network }, 'address not looked up: no provider answered');
    return true;
  }
}

function isDerived(network: ReceiveNetwork, address: string): boolean {
  const bytes = NETWORKS[network].family === 'solana' ? solanaBytes(address) : undefined;
  return bytes !== undefined && solanaKeyKind(bytes) === 'derived';
}
