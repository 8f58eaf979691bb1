import type { PublicPaymentJson } from '@quittance/contract';
import { DAY_MS, later } from '../../platform/time.ts';
import type { Payment } from '../../settlement/records/payment.ts';
import type { CheckoutSession } from './session.ts';

/** After that the order is the merchant's to renew: prices and stock may have changed. */
const RETRIED_WITHIN_MS = DAY_MS;

interface Ended {
  session: Pick<CheckoutSession, 'paymentLinkId' | 'retryUntil'>;
  payment: Pick<Payment, 'status' | 'endedAt' | 'failureReason' | 'expiresAt'>;
}

/**
 * Whether the customer may try the same order again: nothing of theirs is with the merchant or a provider. A payment
 * link opens another checkout by itself.
 */
export function canRetry(
  ended: Ended & { now: Date },
  shown: Pick<PublicPaymentJson, 'amount_seen' | 'failure_reason'> | null,
): boolean {
  const {
    session,
    payment: { status, failureReason },
    now,
  } = ended;
  const isReturned = shown?.failure_reason === 'route_refunded' || failureReason === 'transaction_reverted';
  const hasMoney = /[1-9]/.test(shown?.amount_seen ?? '0') && !isReturned;
  const isOver = status === 'expired' || (status === 'failed' && failureReason !== 'transfer_released');
  return session.paymentLinkId === null && isOver && now < retriedUntil(ended) && !hasMoney;
}

/** A day after the first session of the order ended, however often it was tried again since. */
export function retriedUntil({ session, payment: { endedAt, expiresAt } }: Ended): Date {
  return session.retryUntil ?? later(endedAt ?? expiresAt, RETRIED_WITHIN_MS);
}
