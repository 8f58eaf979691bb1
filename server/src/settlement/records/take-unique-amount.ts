import type { Asset } from '@quittance/contract';
import type { Transaction } from '../../platform/db/db.ts';
import { type AmountTier, candidatesOf, pickAmount } from './exact-amounts.ts';
import { type AmountHolder, type AmountPlace, findTakenAmounts, takeAmount } from './reserved-amount-store.ts';

/** Several requests may want the same amount at once; the database decides, and the others try again. */
const MAX_TRIES = 20;

/**
 * Reserves an amount of the first tier that has a free one; undefined where all are in use. The first attempt begins at
 * `preferred`, a share from 0 to 1 of the tier: a payment that is made again after a restore prefers its former amount.
 */
export async function takeUniqueAmount(
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
      const amount = pickAmount(candidates, await findTakenAmounts(db, place, candidates), now);
      if (amount === undefined) break;
      if (await takeAmount(db, place, amount, holder, now)) return amount;
    }
  }
  return undefined;
}
