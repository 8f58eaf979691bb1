import type { Context } from '../../context.ts';
import type { Client } from '../../platform/http/admission/client.ts';
import { lockPayments } from '../../settlement/records/payment-store.ts';
import { isOpenPayment } from '../../settlement/records/payment.ts';
import { findTransfersByHash } from '../../settlement/records/transfer-store.ts';
import { findPublicView } from '../checkout-sessions/public-session.ts';
import { submitTransaction } from '../checkout-sessions/submit-transaction.ts';
import { inSandbox } from '../test-helpers/sandbox.ts';
import { dueOf } from '../test-helpers/simulate-payment.ts';
import type { Sendable } from './proof.ts';
import { endCredential, noteTransaction, sessionOf, type StoredCredential } from './store.ts';
import { paymentPayload } from './x402.ts';

/**
 * Sends a stored credential to the network or to the facilitator. Safe to repeat, because the network executes it once.
 * The facilitator's report is stored and decides nothing. `client` is the client whose share of the look-ups is used.
 */
export async function send(
  ctx: Context,
  stored: StoredCredential,
  sendable: Sendable,
  client?: Client | null,
): Promise<void> {
  const { id, network, livemode, paymentId } = stored;
  const sessionId = await sessionOf(ctx.db, paymentId);
  if (!livemode) return settleInSandbox(ctx, sessionId, stored);
  switch (sendable.type) {
    case 'broadcast': {
      const isTaken = await ctx.chains.get(network)?.broadcast?.(sendable.signed);
      ctx.log.info({ credentialId: id, network, isTaken }, 'transaction of a program broadcast');
      return;
    }
    case 'settle': {
      const { payload, requirements, resourceUrl } = sendable;
      const facilitator = ctx.facilitators.get(network);
      const report = await facilitator?.settle(paymentPayload(requirements, resourceUrl, payload), requirements);
      ctx.log.info(
        { credentialId: id, network, facilitator: facilitator?.name, report },
        'facilitator asked to settle',
      );
      if (report?.type === 'sent' && report.txHash !== null) await noteTransaction(ctx.db, id, report.txHash);
      return;
    }
    case 'look': {
      // Anyone can make up hashes, so one is looked up once, when it is presented. The watcher reads every block
      // anyway.
      if (stored.attempts === 0) await submitTransaction(ctx, sessionId, { tx_hash: sendable.txHash }, client);
      const found = await findTransfersByHash(ctx.db, livemode, network, sendable.txHash);
      const isOthers = found.every((one) => !one.queued && one.paymentId !== null && one.paymentId !== paymentId);
      if (found.length > 0 && isOthers) await endCredential(ctx.db, id, 'void', await ctx.db.now());
    }
  }
}

/** The sealed credential, because it is a secret until it is used. */
export function seal(ctx: Pick<Context, 'secrets'>, id: string, sendable: Sendable): Buffer {
  return ctx.secrets.seal(JSON.stringify(sendable), placeOf(id));
}

export function unseal(ctx: Pick<Context, 'secrets'>, { id, credential }: StoredCredential): Sendable | undefined {
  return credential ? (JSON.parse(ctx.secrets.open(credential, placeOf(id)).toString()) as Sendable) : undefined;
}

function placeOf(id: string): string {
  return `machine_credentials.credential:${id}`;
}

/** The built-in facilitator of test mode: moves sandbox money and makes it final at once. */
async function settleInSandbox(ctx: Context, sessionId: string, stored: StoredCredential): Promise<void> {
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
