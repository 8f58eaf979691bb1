import type { Context } from '../../context.ts';
import type { Transfer } from '../../outside/chains/chain.ts';
import type { Db, Transaction } from '../../platform/db/db.ts';
import { type ReadTransfers, storeFacts } from '../reading/store-facts.ts';
import { type Reporter, SOLE_REPORTER } from '../records/contested.ts';
import { reserveRemainder } from '../outcome/remainder.ts';
import { assessPayments } from '../outcome/assessed-payment.ts';
import type { Attribution } from '../records/attribution.ts';
import type { Payment } from '../records/payment.ts';
import { lockPayments } from '../records/payment-store.ts';
import { extendQuarantine } from '../records/reserved-amount-store.ts';
import { dequeueTransfer, findQueuedByHash } from '../records/transfer-queue-store.ts';
import { storeTransfers } from '../records/seen-transfer-store.ts';
import { findTransfer, lockTransfer, saveAttributions, type StoredTransfer } from '../records/transfer-store.ts';
import { attribute } from './attribute.ts';
import { findCandidates } from './candidates.ts';

/** A transaction can contain any number of transfers. Transfers beyond this limit wait for the queue. */
const MAX_AT_ONCE = 50;

type Tools = Pick<Context, 'db' | 'prices' | 'log'>;

/**
 * Decides which payment a queued transfer belongs to and saves the decision. Changes no status: only a final transfer
 * does, see `outcome/settle.ts`. Safe to repeat. A transfer that changed meanwhile stays queued.
 */
export async function attributeTransfer(ctx: Tools, db: Transaction, id: string, now: Date): Promise<void> {
  const seen = await findTransfer(db, id);
  if (!seen?.queued) return;
  const found = await decide(ctx, db, seen);

  const touched = [
    ...new Set([seen.paymentId, found?.type === 'taken' ? found.paymentId : null].filter((one) => one !== null)),
  ];
  const payments = await lockPayments(db, touched);
  const held = await lockTransfer(db, id);
  // A person has moved its payment to another network meanwhile. The next turn decides again.
  const taker = found?.type === 'taken' ? payments.get(found.paymentId) : undefined;
  if (taker && taker.receiveNetwork !== seen.network) return;
  if (!held?.queued || held.block.hash !== seen.block.hash || held.paymentId !== seen.paymentId) return;
  const attribution = found ?? leaveIfMoved(held, payments);
  // The merchant has decided about money that is marked as handled, so only a person may assign it now.
  const isAttributed = attribution !== undefined && !held.handledAt;
  if (isAttributed) await saveAttributions(db, [{ transferId: id, attribution }]);
  else await dequeueTransfer(db, id);
  await extendQuarantine(db, paymentsNamedBy(attribution));

  ctx.log.info(
    { transferId: id, network: seen.network, txHash: seen.txHash, block: seen.block.number.toString(), ...attribution },
    'transfer attributed',
  );
  await reserveRemainders(ctx, db, touched, now);
}

/** A payment that has moved to another network has its money there: units of two networks do not add up. */
function leaveIfMoved(
  { paymentId, network }: StoredTransfer,
  payments: ReadonlyMap<string, Payment>,
): Attribution | undefined {
  const payment = payments.get(paymentId ?? '');
  if (!payment || payment.receiveNetwork === network) return undefined;
  return { type: 'left', reason: 'wrong_network', nearPaymentId: payment.id };
}

/** The payment that the transfer was attributed to, or nearly matched: one of its amounts was used. */
function paymentsNamedBy(attribution: Attribution | undefined): string[] {
  const named = attribution?.type === 'taken' ? attribution.paymentId : attribution?.nearPaymentId;
  return named ? [named] : [];
}

/** Transfers of one mode, and who reported them: in test mode, no one else could. */
interface SeenTransfers {
  livemode: boolean;
  transfers: readonly Transfer[];
  reporter?: Reporter;
}

/**
 * Stores and attributes transfers in one transaction. Used by the sandbox and for payouts that a route provider
 * reported.
 */
export async function receive(ctx: Tools, db: Transaction, seen: SeenTransfers, now: Date): Promise<StoredTransfer[]> {
  const { fresh } = await storeTransfers(db, { reporter: SOLE_REPORTER, ...seen }, now);
  await attributeStored(ctx, db, seen, now);
  return fresh;
}

/** The same for a live transaction from a hint. Applies the address limits, because anyone can submit a hash. */
export async function receiveHinted(
  ctx: Tools,
  db: Transaction,
  { network, transfers, reporter }: Omit<ReadTransfers, 'pass'>,
  now: Date,
): Promise<void> {
  await storeFacts(db, { network, pass: 'second', transfers, reporter }, now);
  await attributeStored(ctx, db, { livemode: true, transfers }, now);
}

async function attributeStored(
  ctx: Tools,
  db: Transaction,
  { livemode, transfers }: SeenTransfers,
  now: Date,
): Promise<void> {
  const queued = await findQueuedByHash(db, livemode, transfers, MAX_AT_ONCE);
  for (const { id } of queued) await attributeTransfer(ctx, db, id, now);
  if (queued.length > 0) db.afterCommit(() => ctx.db.notify('transfers'));
}

/** Returns undefined if a merchant or a route provider assigned the transfer: that decision holds in any block. */
async function decide(
  ctx: Pick<Context, 'prices'>,
  db: Db,
  transfer: StoredTransfer,
): Promise<Attribution | undefined> {
  if (transfer.attributedBy === 'hand' || transfer.attributedBy === 'route') return undefined;
  const candidates = await findCandidates(ctx, db, transfer);
  return attribute(transfer, candidates);
}

/** Reserves an exact amount for the missing rest, so that a later transfer without a tag still matches. */
export async function reserveRemainders(
  ctx: Pick<Context, 'db' | 'prices'>,
  db: Transaction,
  paymentIds: readonly string[],
  now: Date,
): Promise<void> {
  if (paymentIds.length === 0) return;
  const payments = await lockPayments(db, paymentIds);
  const assessed = await assessPayments(ctx, db, [...payments.values()]);
  for (const one of assessed.values()) {
    await reserveRemainder(db, one, now);
    db.afterCommit(() => ctx.db.notify('payments', one.payment.id));
  }
}
