import { NETWORKS, type ReceiveNetwork, RECEIVE_NETWORKS } from '@quittance/contract';
import type { Context } from '../../context.ts';
import { solanaBytes, solanaKeyKind } from '../../outside/chains/solana-key.ts';
import type { Account } from '../../platform/caller.ts';
import { lookUpAddress } from './look-up-address.ts';
import { validateAddress } from './validate-address.ts';

/**
 * Whether a live address must be proved even if no other account has saved it: it has code, or a program derived it, so
 * it may be an exchange or a pool. An address that no provider answers for counts as one.
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
  // Without a provider the network is not watched, so there is nothing to protect.
  if (!ctx.chains.has(network)) return false;
  return (await lookUpAddress(ctx, account, network, verdict.address)).length > 0;
}

function isDerived(network: ReceiveNetwork, address: string): boolean {
  const bytes = NETWORKS[network].family === 'solana' ? solanaBytes(address) : undefined;
  return bytes !== undefined && solanaKeyKind(bytes) === 'derived';
}
