import { decide, fromMinor, type PaymentFacts, type Step } from '@quittance/integrations/core';

/** What a payment session is for, by Medusa's own columns: a customer may write into its `data`. */
export interface Due {
  /** Medusa's payment collection: all sessions of a cart are in one. */
  collection: string;
  amount: string;
  currency: string;
  livemode: boolean;
}

/** What the service says of a payment, and of the refunds that were begun for it. */
export interface Answer {
  payment: PaymentFacts & { metadata: Record<string, string> };
  refunds: readonly { amount: string; status: string }[];
}

/** An amount to the nearest cent. Medusa rounds nothing, so taxes and coupons leave parts of a cent. */
export function roundedOf(units: number): string {
  // 1.005 * 100 is 100.49999999999999.
  return fromMinor(Math.round(Number((units * 100).toPrecision(14))));
}

/** Whether a payment pays what is due, by the same rules as in every shop. */
export function isPaidBy(due: Due, answer: Answer): boolean {
  const steps = stepsOf(due, answer);
  // Of money that goes back a person decides. Medusa itself refunds a payment whose order it could not create.
  return steps.length === 1 && steps[0]?.type === 'capture';
}

/** Whether a payment can no longer pay what is due, so that its customer needs another checkout. */
export function isOver(due: Due, answer: Answer): boolean {
  return stepsOf(due, answer).some(({ type }) => type === 'refund' || type === 'close');
}

/** Whether nothing goes back by a refund any more. */
export function isStopped({ status }: { status: string }): boolean {
  return status === 'failed' || status === 'cancelled';
}

function stepsOf({ collection, amount, currency, livemode }: Due, { payment, refunds }: Answer): Step[] {
  // Every checkout of a cart names its collection, and so does a customer's next try.
  if (payment.session === null || payment.metadata.medusa_collection !== collection) return [];
  const order = { amount, currency, livemode, paidBy: null, sessions: { [payment.session]: null } };
  return decide(order, { ...payment, refunded_amount: returningOf(payment, refunds) }).steps;
}

/** What was returned, or is on its way. */
function returningOf({ refunded_amount }: PaymentFacts, refunds: Answer['refunds']): string {
  const begun = refunds.filter((refund) => !isStopped(refund));
  const cents = begun.reduce((sum, { amount }) => sum + Math.round(Number(amount) * 100), 0);
  return fromMinor(Math.max(cents, Math.round(Number(refunded_amount) * 100)));
}

/** What one key makes ends sooner or later, and is followed this often at most. */
const MAX_FOLLOWED = 20;

/**
 * Makes one thing for a key, however often it is asked for it: a repetition finds the first one. Once that is over,
 * the same key makes the next one.
 */
export async function makeOnce<T extends { id: string }>(
  key: string,
  make: (options: { idempotencyKey: string }) => PromiseLike<T>,
  isOver: (made: T) => Promise<boolean>,
): Promise<T> {
  let made = await make({ idempotencyKey: key });
  for (let followed = 0; followed < MAX_FOLLOWED && (await isOver(made)); followed += 1)
    made = await make({ idempotencyKey: `${key}-after-${made.id}` });
  return made;
}
