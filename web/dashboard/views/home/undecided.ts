/**
 * The payments that still need a decision. One whose refund waits for the merchant is decided: it is listed by its
 * refund alone.
 */
export function undecided<Payment extends { id: string }>(
  payments: readonly Payment[],
  answered: readonly { payment: string }[],
): Payment[] {
  return payments.filter(({ id }) => !answered.some(({ payment }) => payment === id));
}
