import { fromMinor, type ShopOrder } from '@quittance/integrations/core';
import type { Order, Payment } from '@vendure/core';
import { isLive } from './options.ts';
import type { QuittanceSession } from './session.ts';

export const RETURN_PATH = '/quittance/return';
/** As long as a column of Vendure. */
const MAX_CODE_LENGTH = 255;
/** As long as the service looks for late money. */
const MAY_BE_PAID_FOR_MS = 31 * 24 * 60 * 60_000;

/** What is left to pay, in cents: payments that may yet fail do not count. */
export function outstandingOf({ totalWithTax }: Order, payments: readonly Payment[]): number {
  const covering = payments.filter(({ state }) => state === 'Settled' || state === 'Authorized');
  return covering.reduce((left, payment) => left - payment.amount + returnedIn(payment), totalWithTax);
}

/** What the shop recorded as returned of a payment, in cents. */
export function returnedIn({ refunds }: Payment): number {
  return (refunds ?? []).reduce((sum, { state, total }) => (state === 'Settled' ? sum + total : sum), 0);
}

/** Whether money may still come by a session, also after it has expired. */
export function mayBePaid({ createdAt }: QuittanceSession): boolean {
  return createdAt.getTime() + MAY_BE_PAID_FOR_MS > Date.now();
}

/** The payment of the shop that a session of this plugin became. */
export function paymentOf(payments: readonly Payment[], sessions: readonly QuittanceSession[]): Payment | undefined {
  return payments.find(
    ({ state, transactionId }) => state === 'Settled' && sessions.some(({ sessionId }) => sessionId === transactionId),
  );
}

/**
 * An order of Vendure, as `decide` sees it. Vendure deletes an order when it merges two at a login (null): nothing is
 * captured for it any more, as for one that was canceled.
 */
export function shopOrderOf(
  order: Order | null,
  payments: readonly Payment[],
  sessions: readonly QuittanceSession[],
): ShopOrder {
  const outstanding = order === null ? 0 : outstandingOf(order, payments);
  const ours = paymentOf(payments, sessions)?.transactionId;
  const wasPaid = payments.some(({ state }) => state === 'Settled' || state === 'Authorized');
  return {
    amount: fromMinor(Math.max(outstanding, 0)),
    currency: order?.currencyCode ?? '',
    livemode: isLive(),
    paidBy: ours ?? (outstanding <= 0 && wasPaid ? 'another method' : null),
    isCanceled: order === null || order.state === 'Cancelled',
    sessions: Object.fromEntries(sessions.map(({ sessionId, applied }) => [sessionId, applied])),
  };
}

/** Where the customer of an order comes back, on this server. A shop chooses the codes of its orders. */
export function returnPathOf(code: string): string {
  return `${RETURN_PATH}/${encodeURIComponent(code)}`;
}

/** The code of an order in what follows `RETURN_PATH`. */
export function codeIn(below = ''): string | undefined {
  const [, encoded = ''] = /^\/([^/?]+)\/?(?:\?|$)/.exec(below) ?? [];
  try {
    const code = decodeURIComponent(encoded);
    return code !== '' && code.length <= MAX_CODE_LENGTH ? code : undefined;
  } catch {
    // Not what `encodeURIComponent` wrote.
    return undefined;
  }
}
