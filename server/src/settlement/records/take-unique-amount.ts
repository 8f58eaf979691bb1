import type { Asset } from '@quittance/contract';
import type { Transaction } from '../../platform/db/db.ts';
import { type AmountTier, candidatesOf, pickAmount } from './exact-amounts.ts';
import { type AmountHolder, type AmountPlace, findTakenAmounts, takeAmount } from './reserved-amount-store.ts';

/** Several requests may want the same amount at once; the database decides, and the others try again. */
const MAX_TRIES = 20;

/** Reserves an amount of the first tier that has a free one; undefined where all are in use. */
export async function takeUniqueAmount(
  db: Transaction,
  place: AmountPlace,
  wanted: { above: bigint; asset: Asset; tiers: readonly AmountTier[] },
  holder: AmountHolder,
  now: Date,
): Promise<bigint | undefined> {
  for (const tier of wanted.tiers) {
    for (let attempt = 0; attempt < MAX_TRIES; attempt += 1) {
      const candidates = candidatesOf(tier, wanted.above, wanted.asset, Math.random());
      const amount = pickAmount(candidates, await findTakenAmounts(db, place, candidates), now);
      if (amount === undefined) break;
      if (await takeAmount(db, place, amount, holder, now)) return amount;
    }
  }
  return undefined;
}
