import type { Chain, Transfer } from '../../outside/chains/chain.ts';

/** A payout that the provider names for an order, and the wallet that it pays. */
export interface NamedPayout {
  orderId: string;
  hash: string;
  address: string;
}

/** Looks a payout up, at most once per block. */
export type PayoutLookups = typeof lookUpPayout;

const MAX_REMEMBERED = 5_000;

/**
 * Remembers what each order's payouts were at the head of the chain. The head is read before the lookup, so that a payout
 * that is mined during it is looked up again after the next block.
 */
export function createPayoutLookups(): PayoutLookups {
  const seen = new Map<string, { head: string; transfers: Transfer[] }>();
  return async (chain, payout) => {
    const key = `${payout.orderId} ${payout.hash}`;
    const { hash: head } = await chain.head('first');
    const known = seen.get(key);
    if (known?.head === head) return known.transfers;
    const transfers = await lookUpPayout(chain, payout);
    seen.delete(key);
    seen.set(key, { head, transfers });
    for (const oldest of seen.keys()) {
      if (seen.size <= MAX_REMEMBERED) break;
      seen.delete(oldest);
    }
    return transfers;
  };
}

/** What the chain shows of a payout. Nothing if it does not know the transaction. */
export async function lookUpPayout(chain: Chain, { hash, address }: NamedPayout): Promise<Transfer[]> {
  const found = await chain.transaction(hash, { addresses: new Set([address]) }, { budget: 'payout' });
  return found?.transfers ?? [];
}
