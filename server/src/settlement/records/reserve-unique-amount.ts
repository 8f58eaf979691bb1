import type { Asset } from '@quittance/contract';
import type { Transaction } from '../../platform/db/db.ts';
import { type AmountTier, candidatesOf, pickAmount } from './exact-amounts.ts';
import { type AmountHolder, type AmountPlace, findReservedAmounts, tryReserveAmount } from './reserved-amount-store.ts';

/** Concurrent requests may pick the same amount. The database decides, and the losers retry. */
const MAX_TRIES = 20;

export interface WantedAmount {
  place: AmountPlace;
  /** The amount is above this one, within one of the tiers. */
  above: bigint;
  asset: Asset;
  tiers: readonly AmountTier[];
  /** A share from 0 to 1 of the tier, where the first attempt begins. */
  preferred?: number;
}

/**
 * Reserves an amount of the first tier that has a free one; undefined if all are in use. A payment that is made again
 * after a restore prefers its former amount.
 */
export async function reserveUniqueAmount(
  db: Transaction,
  wanted: WantedAmount,
  holder: AmountHolder,
  now: Date,
): Promise<bigint | undefined> {
  const { place } = wanted;
  for (const tier of wanted.tiers) {
    for (let attempt = 0; attempt < MAX_TRIES; attempt += 1) {
      const begin = attempt === 0 && wanted.preferred !== undefined ? wanted.preferred : Math.random();
      const candidates = candidatesOf(tier, wanted.above, wanted.asset, begin);
      const amountUnits = pickAmount(candidates, await findReservedAmounts(db, place, candidates), now);
      if (amountUnits === undefined) break;
      if (await tryReserveAmount(db, { place, amountUnits }, holder, now)) return amountUnits;
    }
  }
  return undefined;
}
