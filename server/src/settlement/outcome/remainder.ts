import type { Asset } from '@quittance/contract';
import type { Db, Transaction } from '../../platform/db/db.ts';
import { mayReserveAmounts } from '../records/address-owner-store.ts';
import { granularityUnits } from '../records/amounts.ts';
import { isRound, suffixSteps, tiersWithin } from '../records/exact-amounts.ts';
import { findRemainders, takeAmount } from '../records/reserved-amount-store.ts';
import { takeUniqueAmount } from '../records/take-unique-amount.ts';
import { receiveAssetOf, type Standing } from './standing.ts';

/** The suffix of a remainder stays below one cent, or below five where those are used up. */
const CENTS = [1n, 5n] as const;

/**
 * Takes an exact amount for what is missing: the plain rest, or where that is round or taken, one with a tail of ours. A
 * payer who leaves over what they like could otherwise lie in wait for an amount that somebody else is about to pay.
 */
export async function takeRemainder(db: Transaction, standing: Standing, now: Date): Promise<void> {
  const { payment, direct } = standing;
  const isOpen = payment.status === 'created' || payment.status === 'pending';
  if (!isOpen || direct.seenUnits === 0n) return;

  const known = await findRemainders(db, payment.id);
  if (
    !(await mayReserveAmounts(
      db,
      { livemode: payment.livemode, network: payment.receiveNetwork, address: payment.receiveAddress },
      payment.accountId,
    ))
  )
    return;
  const asset = receiveAssetOf(payment);
  const place = {
    livemode: payment.livemode,
    network: asset.network,
    address: payment.receiveAddress,
    asset: asset.asset,
  };
  const holder = { paymentId: payment.id, purpose: 'remainder' } as const;
  for (const cents of CENTS) {
    const range = rangeOf(standing, asset, cents);
    if (!range || known.some((amount) => isWithin(amount, range))) return;
    const rest = direct.dueUnits ?? 0n;
    if (isWithin(rest, range) && !isRound(rest, asset) && (await takeAmount(db, place, rest, holder, now))) return;
    const tiers = tiersWithin(range.above, range.steps, asset, cents > 1n);
    if ((await takeUniqueAmount(db, place, { above: range.above, asset, tiers }, holder, now)) !== undefined) return;
  }
}

/** The exact amount that stands for what is missing now; undefined where there is none, or nothing is missing. */
export async function findRemainder(db: Db, standing: Standing): Promise<bigint | undefined> {
  const range = rangeOf(standing, receiveAssetOf(standing.payment), CENTS[1]);
  if (!range) return undefined;
  const fitting = (await findRemainders(db, standing.payment.id)).filter((amount) => isWithin(amount, range));
  return fitting.reduce<bigint | undefined>(
    (least, amount) => (least === undefined || amount < least ? amount : least),
    undefined,
  );
}

interface Range {
  above: bigint;
  most: bigint;
  steps: bigint;
}

/** The amounts above what is missing by less than so many cents, in steps that any wallet can send. */
function rangeOf({ payment, direct }: Standing, asset: Asset, cents: bigint): Range | undefined {
  if (!direct.missingUnits || !direct.requiredUnits) return undefined;
  const step = granularityUnits(asset);
  const above = ((direct.missingUnits + step - 1n) / step) * step;
  const steps = suffixSteps(direct.requiredUnits, payment.amountMinor, asset, cents);
  return { above, most: above + steps * step, steps };
}

function isWithin(amount: bigint, { above, most }: Range): boolean {
  return amount > above && amount <= most;
}
