import type { Asset } from '@quittance/contract';
import type { Transaction } from '../../platform/db/db.ts';
import { type AmountTier, candidatesOf, pickAmount } from './exact-amounts.ts';
import { type AmountHolder, type AmountPlace, findReservedAmounts, tryReserveAmount } from './reserved-amount-store.ts';

/** Concurrent requests may pick the same amount. The database decides, and the losers retry. */
const MAX_TRIES = 20;

/** Reserves an amount of the first tier that has a free one; undefined if all are in use. */
export async function reserveUniqueAmount(
  db: Transaction,
  place: AmountPlace,
  wanted: { above: bigint; asset: Asset; tiers: readonly AmountTier[] },
  holder: AmountHolder,
  now: Date,
): Promise<bigint | undefined> {
  for (const tier of wanted.tiers) {
    for (let attempt = 0; attempt < MAX_TRIES; attempt += 1) {
      const candidates = candidatesOf(tier, wanted.above, wanted.asset, Math.random());
      const amount = pickAmount(candidates, await findReservedAmounts(db, place, candidates), now);
      if (amount === undefined) break;
      if (await tryReserveAmount(db, place, amount, holder, now)) return amount;
    }
  }
  return undefined;
}
