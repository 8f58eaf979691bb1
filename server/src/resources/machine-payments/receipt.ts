import type { PublicView } from '../checkout-sessions/public-session.ts';
import type { StoredCredential } from './store.ts';

/** What a program is given for a paid session, in the form of the "Payment" HTTP scheme. */
export interface MachineReceipt {
  status: 'success';
  method: 'evm' | 'solana';
  timestamp: string;
  /** The transaction that completed the payment. */
  reference: string;
  challengeId?: string;
}

/**
 * The receipt of a paid session. Every answer to a program takes it from here, so that a signed receipt of the payment
 * replaces it in this one place.
 */
export function receiptOf({ payment, session }: PublicView, credential: StoredCredential | null): MachineReceipt {
  return {
    status: 'success',
    method: session.receiveNetwork === 'solana' ? 'solana' : 'evm',
    timestamp: (payment.paidAt ?? payment.createdAt).toISOString(),
    reference: payment.txHash ?? credential?.txHash ?? payment.id,
    ...(credential?.challengeId && { challengeId: credential.challengeId }),
  };
}
