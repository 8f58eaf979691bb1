import type { Asset } from '@quittance/contract';
import type { Transaction } from '../../platform/db/db.ts';
import { type AmountTier, candidatesOf, pickAmount } from './exact-amounts.ts';
import { type AmountHolder, type AmountPlace, findReservedAmounts, tryReserveAmount } from './reserved-amount-store.ts';

/** Concurrent requests may pick the same amount. The database decides, and the losers retry. */
const MAX_TRIES = 20;

/**
 * Reserves an amount of the first tier that has a free one; undefined if all are in use. The first attempt begins at
 * `preferred`, a share from 0 to 1 of the tier: a payment that is made again after a restore prefers its former amount.
 */
export async function reserveUniqueAmount(
  db: Transaction,
  place: AmountPlace,
  wanted: { above: bigint; asset: Asset; tiers: readonly AmountTier[]; preferred?: number },
  holder: AmountHolder,
  now: Date,
): Promise<bigint | undefined> {
  for (const tier of wanted.tiers) {
    for (let attempt = 0; attempt < MAX_TRIES; attempt += 1) {
      const begin = attempt === 0 && wanted.preferred !== undefined ? wanted.preferred : Math.random();
      const candidates = candidatesOf(tier, wanted.above, wanted.asset, begin);
      const amount = pickAmount(candidates, await findReservedAmounts(db, place, candidates), now);
      if (amount === undefined) break;
      if (await tryReserveAmount(db, place, amount, holder, now)) return amount;
    }
  }
  return undefined;
}
