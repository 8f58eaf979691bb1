import type { ReceiveNetwork } from '@quittance/contract';
import type { Context } from '../context.ts';
import { ReorgError, type BlockRef, type Head } from '../outside/chains/chain.ts';
import { fail } from '../platform/errors.ts';
import { attributeQueued } from './attribution/attribute-queued.ts';
import { receive } from './attribution/attribute-transfer.ts';
import { requeueSetAsideFrom } from './records/transfer-queue-store.ts';
import { findTransfersByHash, type StoredTransfer } from './records/transfer-store.ts';
import { findCursor } from './reading/cursor-store.ts';
import { storeFacts } from './reading/store-facts.ts';
import { verifyTransfers } from './verification/verify-transfers.ts';
import { findPaymentById } from './records/payment-store.ts';
import { findWatchedAddresses } from './reading/watched-addresses.ts';

export interface RescanProgress {
  block: bigint;
  until: bigint;
  /** Transfers that were not stored before. */
  found: number;
}

/**
 * Reads a network again from a block (inclusive) or an instant, up to a block or the watcher's cursor, and attributes
 * what was set aside since there. Restarts after a reorg. Safe to repeat and to abort: other stored transfers stay as
 * they are, and no cursor moves.
 */
export async function* rescan(
  ctx: Context,
  network: ReceiveNetwork,
  from: Date | bigint,
  to?: bigint,
): AsyncGenerator<RescanProgress> {
  const chain =
    ctx.chains.get(network) ?? fail('invalid_request', { message: `${network} has no provider in the settings.` });
  const head = await chain.head('first');
  const watching = await findWatchedAddresses(ctx.db, network, await ctx.db.now());
  const reached = (await findCursor(ctx.db, network, 'first'))?.number ?? head.number;
  const last = to !== undefined && to < reached ? to : reached;
  const until: Head = { ...head, number: last < head.number ? last : head.number };
  const begin = async () =>
    (typeof from === 'bigint' ? await chain.block(from > 0n ? from - 1n : 0n) : await chain.blockAt(from)) ??
    fail('invalid_request', { message: `${network} has no block ${from}.` });
  let cursor: BlockRef = await begin();
  const first = cursor.number + 1n;
  let found = 0;

  while (cursor.number < until.number) {
    const reading = await chain.read({ after: cursor, until, watching, pass: 'first' }).catch((error) => {
      if (error instanceof ReorgError) return null;
      throw error;
    });
    if (reading === null) {
      cursor = await begin();
      continue;
    }
    if (reading.covered.number <= cursor.number) break;
    const now = await ctx.db.now();
    found += await ctx.db.transaction((db) =>
      storeFacts(db, { network, pass: 'second', transfers: reading.transfers }, now),
    );
    cursor = reading.covered;
    yield { block: cursor.number, until: until.number, found };
  }
  await requeueSetAsideFrom(ctx.db, network, first);
  await attributeAll(ctx, network);
  await verifyTransfers(ctx, chain, { head, watching, forkedAt: null });
}

/** Looks up one transaction for a payment, regardless of what the watcher has read. Safe to repeat. */
export async function reconcile(
  ctx: Context,
  paymentId: string,
  txHash: string,
): Promise<{ status: string; transfers: StoredTransfer[] }> {
  const payment =
    (await findPaymentById(ctx.db, paymentId)) ??
    fail('not_found', { param: 'payment', message: `No such payment: ${paymentId}.` });
  if (!payment.livemode) fail('invalid_request', { message: 'Only live payments have transactions on a chain.' });
  const chain =
    ctx.chains.get(payment.receiveNetwork) ??
    fail('invalid_request', { message: `${payment.receiveNetwork} has no provider in the settings.` });

  const watching = { addresses: new Set([payment.receiveAddress]) };
  const seen = await chain.transaction(txHash, watching);
  const now = await ctx.db.now();
  if (seen) await ctx.db.transaction((db) => receive(ctx, db, { livemode: true, transfers: seen.transfers }, now));
  await verifyTransfers(ctx, chain, { head: await chain.head('first'), watching, forkedAt: null });

  const after = (await findPaymentById(ctx.db, paymentId)) ?? payment;
  return {
    status: after.status,
    transfers: await findTransfersByHash(ctx.db, true, payment.receiveNetwork, seen?.transfers[0]?.txHash ?? txHash),
  };
}

async function attributeAll(ctx: Context, network: ReceiveNetwork): Promise<void> {
  const position = { address: '' };
  while ((await attributeQueued(ctx, network, position)) > 0);
}
