import type { PaymentStatus } from '@quittance/contract';

/** The statuses in which a payment takes a transfer that the merchant assigns to it. */
export const ACCEPTING_STATUSES: readonly PaymentStatus[] = [
  'created',
  'pending',
  'expired',
  'failed',
  'refund_required',
];
