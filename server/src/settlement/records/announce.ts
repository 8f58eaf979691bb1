import type { Payment, Step } from './payment.ts';

/**
 * The events to record for these steps of a payment. While a payment is not announced, the end of its window has none: the
 * merchant never heard of it. Its first other step brings the events of everything that happened before.
 */
export function stepsToTell(before: Payment, steps: readonly Step[]): readonly Step[] {
  if (before.isAnnounced) return steps;
  if (steps.every(({ payment }) => payment.status === 'expired')) return [];
  return [...earlierSteps(before), ...steps];
}

/** A payment that is not announced was created, and may have expired since; nothing else can have happened to it. */
function earlierSteps(payment: Payment): Step[] {
  const created: Payment = { ...payment, status: 'created', sequence: 1, endedAt: null };
  const first: Step = { payment: created, type: 'payment.created', evidence: {} };
  switch (payment.status) {
    case 'created':
      return [first];
    case 'expired':
      return [first, { payment, type: 'payment.expired', evidence: {} }];
    default:
      // A process of the previous release, which records events without announcing, has moved it on.
      return [];
  }
}
