import type { Context } from '../../context.ts';
import type { Transfer } from '../../outside/chains/chain.ts';
import type { Transaction } from '../../platform/db/db.ts';
import { takeRemainder } from '../outcome/remainder.ts';
import { findStandings } from '../outcome/standing.ts';
import { lockPayments } from '../records/payment-store.ts';
import type { Attribution } from '../records/attribution.ts';
import { attribute } from './attribute.ts';
import { findClues } from './candidates.ts';
import { findPaymentsOfMoving, insertTransfers, moveTransfers, releaseTransfers, replaceDropped, saveAttributions, type StoredTransfer } from '../records/transfer-store.ts';

/**
 * Takes note of transfers as they were read: each is kept once, whoever reads it how often, and given to the payment
 * it belongs to or to nobody. Nothing that is not final changes a status; `payments/settle.ts` does that. Returns those
 * that nobody had seen before.
 */
export async function receive(ctx: Pick<Context, 'db' | 'prices' | 'log'>, db: Transaction, livemode: boolean, transfers: readonly Transfer[], now: Date): Promise<StoredTransfer[]> {
  if (transfers.length === 0) return [];
  const fresh = await insertTransfers(db, livemode, transfers, now);
  const known = fresh.length < transfers.length;
  // Payments are held before their transfers, here as everywhere, so that no two wait for each other.
  if (known) await lockPayments(db, await findPaymentsOfMoving(db, livemode, transfers));
  const moved = known ? await moveTransfers(db, livemode, transfers) : [];
  if (known) fresh.push(...await replaceDropped(db, livemode, transfers, now));

  const again = moved.filter(isOfTheChain);
  // Judged by what else there is: what it brought itself must not count towards what is still missing.
  await releaseTransfers(db, again.map((transfer) => transfer.id), 'no_match');
  const touched = [
    ...await attributeAll(ctx, db, livemode, [...fresh, ...again]),
    ...moved.flatMap((transfer) => transfer.paymentId ?? []),
  ];
  await reserveRemainders(ctx, db, [...new Set(touched)], now);
  return fresh;
}

/** Decides whose these transfers are and writes it down. Returns the payments that were given some. */
async function attributeAll(ctx: Pick<Context, 'prices' | 'log'>, db: Transaction, livemode: boolean, transfers: readonly StoredTransfer[]): Promise<string[]> {
  const clues = await findClues(ctx, db, livemode, transfers);
  const decided = transfers.map((transfer, place) => {
    const own = clues[place];
    const attribution: Attribution = own ? attribute(transfer, own) : { type: 'left', reason: 'no_match', nearPaymentId: null };
    return { transferId: transfer.id, transfer, attribution };
  });
  await saveAttributions(db, decided);
  for (const { transfer, attribution } of decided) {
    ctx.log.info({ transferId: transfer.id, network: transfer.network, txHash: transfer.txHash, block: transfer.block.number.toString(), ...attribution }, 'a transfer came in');
  }
  return decided.flatMap(({ attribution }) => attribution.type === 'taken' ? [attribution.paymentId] : []);
}

/**
 * Whether the chain alone decided whose it is. In another block it has another time, so that it may be too early for a
 * session, or its amount somebody else's by now. What a person or a route provider said holds in any block.
 */
function isOfTheChain(transfer: StoredTransfer): boolean {
  return transfer.attributedBy !== 'hand' && transfer.attributedBy !== 'route';
}

/** What is still missing becomes an amount of its own, so that a remainder counts though it carries no tag. */
export async function reserveRemainders(ctx: Pick<Context, 'db' | 'prices'>, db: Transaction, paymentIds: readonly string[], now: Date): Promise<void> {
  if (paymentIds.length === 0) return;
  const payments = await lockPayments(db, paymentIds);
  const standings = await findStandings(ctx, db, [...payments.values()]);
  for (const standing of standings.values()) {
    await takeRemainder(db, standing, now);
    db.afterCommit(() => ctx.db.notify('payments', standing.payment.id));
  }
}
