import type { Payment, Step } from './payment.ts';

/**
 * The events to record for these steps of a payment. An unannounced payment that expires has no event: the merchant
 * never saw it. Its first other step also records the events of everything before.
 */
export function stepsToRecord(before: Payment, steps: readonly Step[]): readonly Step[] {
  if (before.isAnnounced) return steps;
  if (steps.every(({ payment }) => payment.status === 'expired')) return [];
  return [...earlierSteps(before), ...steps];
}

/** An unannounced payment has been created and may have expired. No other status is possible. */
function earlierSteps(payment: Payment): Step[] {
  const created: Payment = { ...payment, status: 'created', sequence: 1, endedAt: null };
  const first: Step = { payment: created, type: 'payment.created', evidence: {} };
  switch (payment.status) {
    case 'created':
      return [first];
    case 'expired':
      return [first, { payment, type: 'payment.expired', evidence: {} }];
    default:
      throw new Error(`an unannounced payment is ${payment.status}`);
  }
}
