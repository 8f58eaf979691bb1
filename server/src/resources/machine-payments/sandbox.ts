import type { Context } from '../../context.ts';
import { lockPayments } from '../../settlement/records/payment-store.ts';
import { findPublicView } from '../checkout-sessions/public-session.ts';
import { dueOf } from '../test-helpers/simulate-payment.ts';
import { inSandbox } from '../test-helpers/sandbox.ts';
import { endCredential, noteTransaction, type StoredCredential } from './store.ts';
import { isOpenPayment } from '../../settlement/records/payment.ts';

/** The built-in facilitator of test mode: moves sandbox money and makes it final at once. */
export async function settleInSandbox(ctx: Context, sessionId: string, stored: StoredCredential): Promise<void> {
  const outcome = TEST_OUTCOMES.get(stored.txHash) ?? 'paid';
  // It stays open, like a payment with an unknown outcome.
  if (outcome === 'pending') return;
  const { session } = await findPublicView(ctx, sessionId);
  await inSandbox(ctx, session.accountId, async (sandbox) => {
    const payment = (await lockPayments(sandbox.db, [stored.paymentId])).get(stored.paymentId);
    if (!payment || !isOpenPayment(payment)) return;
    if (outcome === 'refused') return endCredential(sandbox.db, stored.id, 'void', sandbox.at.recorded);
    const txHash = await sandbox.send(payment, await dueOf(ctx, sandbox, payment), {
      bare: true,
      ...(stored.nonce && { nonce: stored.nonce }),
      ...(stored.payer !== null && { from: stored.payer }),
    });
    await sandbox.makeFinal(payment.receiveNetwork);
    await noteTransaction(sandbox.db, stored.id, txHash);
  });
}

/**
 * Test credentials of the types `hash` and `signature` with another outcome than paid: 31 or 63 zero bytes, and a
 * number.
 */
const TEST_OUTCOMES = new Map<string | null, 'pending' | 'refused'>([
  [`0x${'0'.repeat(63)}2`, 'pending'],
  [`0x${'0'.repeat(63)}3`, 'refused'],
  [`${'1'.repeat(63)}3`, 'pending'],
  [`${'1'.repeat(63)}4`, 'refused'],
]);
