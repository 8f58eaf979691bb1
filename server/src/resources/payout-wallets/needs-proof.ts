import { NETWORKS, type ReceiveNetwork, RECEIVE_NETWORKS } from '@quittance/contract';
import type { Context } from '../../context.ts';
import { solanaBytes, solanaKeyKind } from '../../outside/chains/solana-key.ts';
import type { Account } from '../../platform/caller.ts';
import { fail } from '../../platform/errors.ts';
import { lookUpAddress, type LookedUp } from './look-up-address.ts';
import { validateAddress } from './validate-address.ts';

/** What a look at an address says about a wallet. */
export interface WalletLook {
  /**
   * Whether the address must be proved even if no other account has saved it: it has code, or a program derived it, so
   * it may be an exchange or a pool. An address that no provider answers for counts as one until it is looked up.
   */
  needsProof: boolean;
  isLookedUp: boolean;
  unfit: string | null;
}

/** Looks at an address before it is saved. Refuses one where money is lost. */
export async function lookAtAddress(
  ctx: Pick<Context, 'chains' | 'log'>,
  account: Account,
  saved: { network: string; address: string },
): Promise<WalletLook> {
  const network = RECEIVE_NETWORKS.find((one) => one === saved.network.toLowerCase());
  const verdict = network && validateAddress(network, saved.address);
  // Test mode has no chains, and saving refuses what is not valid.
  if (!account.livemode || !network || !verdict?.ok) return { needsProof: false, isLookedUp: true, unfit: null };
  // Without a provider the network is not watched, so there is nothing to protect.
  const isWatched = ctx.chains.has(network);
  const found = isWatched ? await lookUpAddress(ctx, account, network, verdict.address) : { warnings: [], unfit: null };
  const look = toLook(network, verdict.address, found);
  return look.unfit === null ? look : fail('invalid_payout_wallet', { param: 'address', message: look.unfit });
}

export function toLook(network: ReceiveNetwork, address: string, { warnings, unfit }: LookedUp): WalletLook {
  return {
    needsProof: isDerived(network, address) || warnings.length > 0,
    isLookedUp: !warnings.includes('not_looked_up'),
    unfit,
  };
}

function isDerived(network: ReceiveNetwork, address: string): boolean {
  const bytes = NETWORKS[network].family === 'solana' ? solanaBytes(address) : undefined;
  return bytes !== undefined && solanaKeyKind(bytes) === 'derived';
}
