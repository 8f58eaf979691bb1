import type { Context } from '../../context.ts';
import type { Client } from '../../platform/http/admission/client.ts';
import { findTransfersByHash } from '../../settlement/records/transfer-store.ts';
import { submitTransaction } from '../checkout-sessions/submit-transaction.ts';
import type { Sendable } from './proof.ts';
import { settleInSandbox } from './sandbox.ts';
import { endCredential, noteTransaction, type StoredCredential, sessionOf } from './store.ts';
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
