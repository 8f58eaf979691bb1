import type { Chain, Transfer } from '../../outside/chains/chain.ts';
import { BoundedMap, cached } from '../../platform/cached.ts';

/** Looks a payout up, at most once per block. */
export type PayoutLookups = typeof lookUpPayout;

const MAX_REMEMBERED = 5_000;
const MAX_NETWORKS = 100;

/**
 * Starts the lookups of one turn. What each order's payouts were at the head of the chain is remembered over turns; the
 * orders of a turn share the head, which is read first, so that a payout that is mined during the turn is looked up again
 * in the next one.
 */
export function createPayoutLookups(): () => PayoutLookups {
  const seen = new BoundedMap<string, { head: string; transfers: Transfer[] }>(MAX_REMEMBERED);
  return () => {
    const heads = cached<string>({ max: MAX_NETWORKS });
    return async (chain, payout) => {
      const key = `${payout.orderId} ${payout.hash}`;
      const head = await heads.get(chain.network, async () => (await chain.head('first', { tags: false })).hash);
      const known = seen.get(key);
      if (known?.head === head) return known.transfers;
      const transfers = await lookUpPayout(chain, payout);
      // As the newest one, so that the one looked up longest ago is dropped first.
      seen.delete(key);
      seen.set(key, { head, transfers });
      return transfers;
    };
  };
}

/** What the chain shows of a payout. Nothing if it does not know the transaction. */
export async function lookUpPayout(
  chain: Chain,
  { hash, address }: { orderId: string; hash: string; address: string },
): Promise<Transfer[]> {
  const found = await chain.transaction(hash, { addresses: new Set([address]) }, { budget: 'payout' });
  return found?.transfers ?? [];
}
