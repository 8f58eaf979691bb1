import type { PaymentStatus, UnattributedReason } from '@quittance/contract';

/** The rule by which a transfer was attributed to its payment. */
export type Rule = 'authorization' | 'reference' | 'amount' | 'sender' | 'claim' | 'hand' | 'route';

/** The payment that a transfer belongs to, or why it has none and which payment it nearly matched. */
export type Attribution =
  | { type: 'taken'; paymentId: string; targetId: string | null; by: Rule }
  | { type: 'left'; reason: UnattributedReason; nearPaymentId: string | null };

/** Why a payment in this state takes no more money. Undefined if it does, also while a conversion is under way. */
export function refusalOf(status: PaymentStatus): UnattributedReason | undefined {
  switch (status) {
    case 'paid':
      return 'already_paid';
    case 'refunded':
      return 'already_refunded';
    default:
      return undefined;
  }
}
