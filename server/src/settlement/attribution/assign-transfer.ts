import type { ReceiveNetwork } from '@quittance/contract';
import type { Context } from '../../context.ts';
import type { Transaction } from '../../platform/db/db.ts';
import { settlePayment, type Instants } from '../outcome/settle.ts';
import { lockPayments } from '../records/payment-store.ts';
import { attribute } from './attribute.ts';
import { findClues } from './candidates.ts';
import { reserveRemainders } from './attribute-transfer.ts';
import {
  findTransfersByHash,
  lockTransfer,
  reopenTransfer,
  saveAttributions,
  type StoredTransfer,
} from '../records/transfer-store.ts';

/** A transaction may hold any number of transfers. */
const MAX_AT_ONCE = 50;

/** Judges transfers that are known already and nobody's once more, now that somebody has signed for them. */
export async function reclaim(
  ctx: Pick<Context, 'db' | 'prices' | 'log' | 'config'>,
  db: Transaction,
  livemode: boolean,
  network: ReceiveNetwork,
  txHash: string,
  at: Instants,
): Promise<void> {
  const unclaimed = (await findTransfersByHash(db, livemode, network, txHash)).filter(isUnclaimed);
  for (const transfer of unclaimed.slice(0, MAX_AT_ONCE)) {
    const attribution = attribute(transfer, await findClues(ctx, db, transfer));
    if (attribution.type !== 'taken' || attribution.by !== 'claim') continue;
    await giveTransfer(ctx, db, transfer, attribution.paymentId, 'claim', at);
  }
}

/** Gives a transfer that was nobody's to a payment, and weighs the payment anew. */
export async function giveTransfer(
  ctx: Pick<Context, 'db' | 'prices' | 'log' | 'config'>,
  db: Transaction,
  transfer: StoredTransfer,
  paymentId: string,
  by: 'claim' | 'hand' | 'reference' | 'route',
  at: Instants,
  targetId: string | null = null,
): Promise<void> {
  const payment = (await lockPayments(db, [paymentId])).get(paymentId);
  const held = await lockTransfer(db, transfer.id);
  if (!payment || !held || !isUnclaimed(held)) return;
  // After the merchant handled it, by a refund perhaps, or took it back, only a person assigns it.
  if ((held.handledAt || held.releasedAt) && by !== 'hand') return;

  await saveAttributions(db, [{ transferId: held.id, attribution: { type: 'taken', paymentId, targetId, by } }]);
  // Its block was final, but nobody has verified the transfer itself: verification settles it.
  if (held.livemode && held.evidence.byBlock) await reopenTransfer(db, held.id);
  else if (held.status === 'final')
    await settlePayment(
      ctx,
      db,
      payment,
      { ...held, paymentId, attributedBy: by },
      { ...held.evidence, rule: by, transfer: held.id },
      at,
    );
  await reserveRemainders(ctx, db, [paymentId], at.created);
}

function isUnclaimed(transfer: StoredTransfer): boolean {
  return transfer.paymentId === null && transfer.status !== 'dropped';
}
