import type { Asset } from '@quittance/contract';
import type { Db, Transaction } from '../../platform/db/db.ts';
import { mayReserveAmounts } from '../records/address-owner-store.ts';
import { granularityUnits } from '../records/amounts.ts';
import { centsOf, isRound, suffixSteps, tiersWithin } from '../records/exact-amounts.ts';
import { findRemainders, tryReserveAmount } from '../records/reserved-amount-store.ts';
import { reserveUniqueAmount } from '../records/reserve-unique-amount.ts';
import { receiveAssetOf, type AssessedPayment } from './assessed-payment.ts';

/**
 * Reserves an exact amount for the missing rest, unless a memo names the payment: the plain rest, or with a suffix if
 * that is round, reserved, or finer than every wallet writes. Otherwise a payer could choose what to leave over so that
 * the rest equals an amount that another customer is about to pay.
 */
export async function reserveRemainder(db: Transaction, assessed: AssessedPayment, now: Date): Promise<void> {
  const { payment, direct } = assessed;
  const asset = receiveAssetOf(payment);
  const isOpen = payment.status === 'created' || payment.status === 'pending';
  if (!isOpen || direct.seenUnits === 0n || asset.takesMemo) return;

  const known = await findRemainders(db, payment.id);
  if (
    !(await mayReserveAmounts(
      db,
      { livemode: payment.livemode, network: payment.receiveNetwork, address: payment.receiveAddress },
      payment.accountId,
    ))
  )
    return;
  const place = {
    livemode: payment.livemode,
    network: asset.network,
    address: payment.receiveAddress,
    asset: asset.asset,
  };
  const holder = { paymentId: payment.id, purpose: 'remainder' } as const;
  for (const cents of centsOf(payment.amountMinor)) {
    const range = rangeOf(assessed, asset, cents);
    if (!range || known.some((amount) => isWithin(amount, range))) return;
    const rest = direct.dueUnits ?? 0n;
    const isUsable = isWithin(rest, range) && rest % granularityUnits(asset) === 0n && !isRound(rest, asset);
    if (isUsable && (await tryReserveAmount(db, { place, amountUnits: rest }, holder, now))) return;
    const tiers = tiersWithin(range.above, range.steps, asset, cents > 1n);
    if ((await reserveUniqueAmount(db, { place, above: range.above, asset, tiers }, holder, now)) !== undefined) return;
  }
}

/** The reserved amount for the missing rest; undefined if nothing is reserved or missing. */
export async function findRemainder(db: Db, assessed: AssessedPayment): Promise<bigint | undefined> {
  const widest = centsOf(assessed.payment.amountMinor).at(-1) as bigint;
  const range = rangeOf(assessed, receiveAssetOf(assessed.payment), widest);
  if (!range) return undefined;
  const fitting = (await findRemainders(db, assessed.payment.id)).filter((amount) => isWithin(amount, range));
  return fitting.reduce<bigint | undefined>(
    (smallest, amount) => (smallest === undefined || amount < smallest ? amount : smallest),
    undefined,
  );
}

interface Range {
  above: bigint;
  max: bigint;
  steps: bigint;
}

/** The amounts less than `cents` above the missing amount, in steps that any wallet can send. */
function rangeOf({ payment, direct }: AssessedPayment, asset: Asset, cents: bigint): Range | undefined {
  if (!direct.missingUnits || !direct.requiredUnits) return undefined;
  const step = granularityUnits(asset);
  const above = ((direct.missingUnits + step - 1n) / step) * step;
  const steps = suffixSteps(direct.requiredUnits, payment.amountMinor, asset, cents);
  return { above, max: above + steps * step, steps };
}

function isWithin(amount: bigint, { above, max }: Range): boolean {
  return amount > above && amount <= max;
}
