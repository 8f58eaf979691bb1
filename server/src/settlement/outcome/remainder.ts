import type { Asset } from '@quittance/contract';
import type { Db, Transaction } from '../../platform/db/db.ts';
import { granularityUnits, isRound, pickAmount, tailSteps } from '../records/amounts.ts';
import { mayReserveAmounts } from '../records/address-owner-store.ts';
import { receiveAssetOf, type Standing } from './standing.ts';
import { findRemainders, findTakenAmounts, takeAmount } from '../records/target-store.ts';

/** The tail of a remainder stays below one cent, or below five where those are used up. */
const CENTS = [1n, 5n] as const;
const TRIES = 20;

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
  const take = (amount: bigint) =>
    takeAmount(db, place, amount, { paymentId: payment.id, purpose: 'remainder', until: null }, now);
  for (const cents of CENTS) {
    const range = rangeOf(standing, asset, cents);
    if (!range || known.some((amount) => isWithin(amount, range))) return;
    const rest = direct.dueUnits ?? 0n;
    if (isWithin(rest, range) && !isRound(rest, asset) && (await take(rest))) return;
    for (let attempt = 0; attempt < TRIES; attempt += 1) {
      const taken = await findTakenAmounts(db, place, range.above, range.most);
      const amount = pickAmount(range.above, asset, range.steps, taken, now, Math.random());
      if (amount === undefined) break;
      if (await take(amount)) return;
    }
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
  const steps = tailSteps(direct.requiredUnits, payment.amountMinor, asset, cents);
  return { above, most: above + steps * step, steps };
}

function isWithin(amount: bigint, { above, most }: Range): boolean {
  return amount > above && amount <= most;
}
