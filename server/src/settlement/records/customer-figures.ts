import type { Payment } from './payment.ts';
import { netMinorOf, receivedMinor } from './returned.ts';

/** How a change of a payment changes its customer's figures; undefined if it does not. */
export function changeOfFigures(before: Payment, after: Payment): { payments: number; minor: bigint } | undefined {
  const [was, is] = [contributionOf(before), contributionOf(after)];
  const change = { payments: is.payments - was.payments, minor: is.minor - was.minor };
  return change.payments === 0 && change.minor === 0n ? undefined : change;
}

/** What a payment adds to its customer's figures: nothing unless it was paid and still counts. */
function contributionOf(payment: Payment): { payments: number; minor: bigint } {
  const { status, paidAt, refunds } = payment;
  if (paidAt === null || (status !== 'paid' && status !== 'refunded')) return { payments: 0, minor: 0n };
  return { payments: 1, minor: (receivedMinor(payment) ?? netMinorOf(payment)) - refunds.returnedMinor };
}
