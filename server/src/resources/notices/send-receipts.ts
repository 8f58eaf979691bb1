import type { Context } from '../../context.ts';
import { lockName, type Transaction } from '../../platform/db/db.ts';
import { queueMail } from '../../platform/mails/queue-mail.ts';
import { DAY_MS, later } from '../../platform/time.ts';
import { receiptMail } from './receipt-mail.ts';
import { countMailedReceipts, findReceiptIds, findReceiptsToMail, type WaitingReceipt } from './receipt-store.ts';
import { finishNotices, type Outcome } from './store.ts';

/** Receipts to one address in 24 hours, of all accounts together. */
export const MAX_RECEIPTS_PER_ADDRESS_AND_DAY = 10;
const BATCH = 50;
const USEFUL_FOR_MS = 3 * DAY_MS;

/** Mails waiting receipts. Returns how many were looked at. Counting is exact: one transaction at a time. */
export async function sendReceipts(ctx: Context): Promise<number> {
  const now = await ctx.db.now();
  return ctx.db.transaction(async (db) => {
    await lockName(db, 'receipt mails');
    const ids = await findReceiptIds(db, BATCH);
    if (ids.length === 0) return 0;
    const receipts = await findReceiptsToMail(db, ids);
    for (const receipt of receipts)
      await finishNotices(db, [receipt.id], { outcome: await sendOne(ctx, db, receipt, now), at: now });
    const left = ids.filter((id) => !receipts.some((receipt) => receipt.id === id));
    await finishNotices(db, left, { outcome: 'skipped', at: now });
    db.afterCommit(() => ctx.db.notify('mails'));
    return ids.length;
  });
}

async function sendOne(ctx: Context, db: Transaction, receipt: WaitingReceipt, now: Date): Promise<Outcome> {
  if (!mayBeSent(receipt)) return 'skipped';
  const mailed = await countMailedReceipts(db, receipt, later(now, -DAY_MS));
  const isLimited =
    mailed.byAccount >= ctx.config.receiptMailsPerDay || mailed.toAddress >= MAX_RECEIPTS_PER_ADDRESS_AND_DAY;
  if (isLimited) {
    ctx.log.warn(
      { accountId: receipt.accountId, noticeId: receipt.id, ...mailed },
      'receipt not mailed: limit reached',
    );
    return 'limited';
  }
  await queueMail(db, ctx.secrets, receiptMail(receipt, ctx.config.publicUrl), {
    now,
    usefulUntil: later(now, USEFUL_FOR_MS),
  });
  return 'mailed';
}

/**
 * Test payments cost nothing, so their receipts go only to the merchant themselves. A live one costs real money, which went to an
 * address that the account has proved: so an account cannot mail strangers about payments to others.
 */
function mayBeSent({ livemode, isProved, toAddress, email }: WaitingReceipt): boolean {
  return livemode ? isProved : toAddress === email;
}
