import type { Payment } from './payment.ts';

/** Whether the payment still waits for money or for its confirmation, so that its customer can choose and pay. */
export function isOpenPayment({ status }: Pick<Payment, 'status'>): boolean {
  return status === 'created' || status === 'pending';
}
