import type { Balance } from '@quittance/contract';
import { mulDivDown } from '../../platform/money.ts';
import { USUAL_CENTS, WIDEST_CENTS } from './exact-amounts.ts';
import type { Payment, Refund } from './payment.ts';

/** The fields of a payment that value its units. */
type Priced = Pick<Payment, 'amountMinor' | 'serviceFeeMinor' | 'expectedOutputUnits' | 'actualOutputUnits'>;

/** The price less the fee: the worth of the full output. */
export function netMinorOf({ amountMinor, serviceFeeMinor }: Priced): bigint {
  return amountMinor - serviceFeeMinor;
}

/** What arrived in the display currency, by the payment's own rate; null while nothing has, or no price is known. */
export function receivedMinor(payment: Payment): bigint | null {
  const { expectedOutputUnits: due, actualOutputUnits: arrived } = payment;
  return arrived === null || !due ? null : mulDivDown(netMinorOf(payment), arrived, due);
}

/**
 * What a paid payment adds to the sales of its day: its price, or the part of it that arrived if the merchant accepted that.
 * Less may also have been the whole price, at the rate of an earlier amount. `sumPaid` says it in SQL.
 */
export function soldMinor(payment: Payment, isAccepted: boolean): bigint {
  const { amountMinor, expectedOutputUnits: due, actualOutputUnits: arrived } = payment;
  return isAccepted && due && arrived !== null && arrived < due ? mulDivDown(amountMinor, arrived, due) : amountMinor;
}

/** What these base units are worth by the payment's own rate, rounded down. */
export function displayMinor(payment: Priced, units: bigint): bigint {
  const due = dueUnits(payment);
  return due === 0n ? 0n : mulDivDown(units, netMinorOf(payment), due);
}

/** A display amount in base units by the payment's own rate, rounded down, so that it never takes more than it says. */
export function unitsOf(payment: Payment, minor: bigint): bigint {
  const net = netMinorOf(payment);
  return net === 0n ? 0n : mulDivDown(minor, dueUnits(payment), net);
}

/** What can still be returned: what arrived, less all refunds that may yet happen or have happened. */
export function leftUnits({ actualOutputUnits, refunds }: Payment): bigint {
  const left = (actualOutputUnits ?? 0n) - refunds.claimedUnits;
  return left > 0n ? left : 0n;
}

/** What arrived beyond what was due. None if it may be the suffix of an exact amount. */
export function surplusUnits(payment: Priced): bigint {
  const { actualOutputUnits: arrived, expectedOutputUnits: due } = payment;
  if (arrived === null || !due || arrived <= due) return 0n;
  const surplus = arrived - due;
  const minor = displayMinor(payment, surplus);
  const isAboveSuffix = minor >= WIDEST_CENTS || (minor >= USUAL_CENTS && minor * 100n >= payment.amountMinor);
  return isAboveSuffix ? surplus : 0n;
}

/** The part of the surplus that no refund returns; planned refunds count as returning it. */
export function surplusLeft(payment: Payment): bigint {
  const left = surplusUnits(payment) - payment.refunds.claimedUnits;
  return displayMinor(payment, left) > 0n ? left : 0n;
}

/** What the status does not say: a surplus that was not returned, or a part that was, in whole cents. */
export function balanceOf(payment: Payment): Balance | null {
  const { status, refunds } = payment;
  if (status === 'paid' && displayMinor(payment, surplusUnits(payment)) > refunds.returnedMinor) return 'overpaid';
  return status !== 'refunded' && refunds.returnedMinor > 0n ? 'partly_refunded' : null;
}

/** The refund of the whole payment that its final refunds add up to, once they do. */
export function wholeRefund(payment: Payment, said: Omit<Refund, 'amountMinor'>): Refund | undefined {
  return isReturned(payment) ? { ...said, amountMinor: payment.refunds.returnedMinor } : undefined;
}

/**
 * Whether what was returned covers the amount of the payment, or all that arrived if that is less, to the cent. If the
 * surplus alone covers the amount, all that arrived must be returned: who paid twice and got one back has still paid.
 */
function isReturned(payment: Payment): boolean {
  const due = dueUnits(payment);
  const arrived = payment.actualOutputUnits ?? 0n;
  const { returnedUnits } = payment.refunds;
  const covers = (units: bigint, whole: bigint) => units >= whole || (whole - units) * netMinorOf(payment) < due;
  const whole = arrived < due || covers(arrived - due, due) ? arrived : due;
  return returnedUnits > 0n && covers(returnedUnits, whole);
}

/** The full output. Without a known price, what arrived is the whole. */
function dueUnits({ expectedOutputUnits, actualOutputUnits }: Priced): bigint {
  return expectedOutputUnits || (actualOutputUnits ?? 0n);
}
