import type { Context } from '../../context.ts';
import { ApiError } from '../../platform/errors.ts';
import type { PublicView } from '../checkout-sessions/public-session.ts';
import { receiptFor } from '../receipts/receipt-for.ts';
import type { StoredCredential } from './store.ts';

/** A program's receipt for a paid session, in the form of the "Payment" HTTP scheme. */
export interface MachineReceipt {
  status: 'success';
  method: 'evm' | 'solana';
  timestamp: string;
  /** The transaction that completed the payment. */
  reference: string;
  challengeId?: string;
}

export function receiptOf({ payment, session }: PublicView, credential: StoredCredential | null): MachineReceipt {
  return {
    status: 'success',
    method: session.receiveNetwork === 'solana' ? 'solana' : 'evm',
    timestamp: (payment.paidAt ?? payment.createdAt).toISOString(),
    reference: payment.txHash ?? credential?.txHash ?? payment.id,
    ...(credential?.challengeId && { challengeId: credential.challengeId }),
  };
}

/** The signed receipt; null while it cannot be signed, because a payer who has paid must get an answer in any case. */
export async function signedReceiptOf(ctx: Context, { payment }: PublicView): Promise<string | null> {
  try {
    return (await receiptFor(ctx, payment))?.jws ?? null;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    ctx.log.warn({ err: error, paymentId: payment.id }, 'receipt for a program not signed');
    return null;
  }
}
