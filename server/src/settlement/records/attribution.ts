import type { UnattributedReason } from '@quittance/contract';

/** How a transfer found its payment. */
export type Rule = 'authorization' | 'reference' | 'amount' | 'sender' | 'claim' | 'hand' | 'route';

/** Which payment takes a transfer, or why none does and which one it nearly met. */
export type Attribution =
  | { type: 'taken'; paymentId: string; targetId: string | null; by: Rule }
  | { type: 'left'; reason: UnattributedReason; nearPaymentId: string | null };
