import type { PublicPaymentJson } from '@quittance/contract';
import { DAY_MS, later } from '../../platform/time.ts';
import type { Payment } from '../../settlement/records/payment.ts';
import type { CheckoutSession } from './session.ts';

/** After that the order is the merchant's to renew: prices and stock may have changed. */
const RETRIED_WITHIN_MS = DAY_MS;

interface Ended {
  session: Pick<CheckoutSession, 'paymentLinkId'>;
  payment: Pick<Payment, 'status' | 'endedAt' | 'failureReason' | 'expiresAt'>;
  now: Date;
}

/**
 * Whether the customer may try the same order again: nothing of theirs is with the merchant or a provider. A payment
 * link opens another checkout by itself.
 */
export function canRetry(
  { session, payment: { status, endedAt, failureReason, expiresAt }, now }: Ended,
  shown: Pick<PublicPaymentJson, 'amount_seen' | 'failure_reason'> | null,
): boolean {
  const end = endedAt ?? expiresAt;
  const isRecent = now.getTime() < later(end, RETRIED_WITHIN_MS).getTime();
  const isReturned = shown?.failure_reason === 'route_refunded' || failureReason === 'transaction_reverted';
  const hasMoney = /[1-9]/.test(shown?.amount_seen ?? '0') && !isReturned;
  const isOver = status === 'expired' || (status === 'failed' && failureReason !== 'transfer_released');
  return session.paymentLinkId === null && isOver && isRecent && !hasMoney;
}
