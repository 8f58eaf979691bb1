import type { Context } from '../../context.ts';
import type { Transaction } from '../../platform/db/db.ts';
import { type Mail, queueMail } from '../../platform/mails/queue-mail.ts';
import { formatDisplayAmount } from '../../platform/money.ts';
import { DAY_MS, later } from '../../platform/time.ts';
import { refusalOfMail } from '../customer-mails/limits.ts';
import { plainAddress, plainName } from '../customer-mails/mail-text.ts';
import { lockCustomerMails } from '../customer-mails/store.ts';
import { arrivedText, isShort } from './arrived.ts';
import { findReceiptIds, findReceiptsToMail, type WaitingReceipt, finishNotices, type Outcome } from './store.ts';

const BATCH = 50;
const USEFUL_FOR_MS = 3 * DAY_MS;

/** Mails waiting receipts. Returns how many were looked at. Counting is exact: one transaction at a time. */
export async function sendReceipts(ctx: Context): Promise<number> {
  const now = await ctx.db.now();
  return ctx.db.transaction(async (db) => {
    await lockCustomerMails(db);
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
  const refusal = await refusalOfMail(ctx, db, receipt, now);
  if (refusal) return refusal;
  await queueMail(db, ctx.secrets, receiptMail(receipt, ctx.config.publicUrl), {
    now,
    usefulUntil: later(now, USEFUL_FOR_MS),
  });
  return 'mailed';
}

/**
 * The receipt for the customer. Nothing in it is a text of the merchant's but their name, so that the merchant cannot send a message of
 * their own with it.
 */
function receiptMail(receipt: WaitingReceipt, publicUrl: string): Mail {
  const amount = `${formatDisplayAmount(receipt.amountMinor)} ${receipt.currency}`;
  // The merchant accepted less than the price, and only that was paid.
  const less = isShort(receipt) ? arrivedText(receipt) : null;
  const what = less
    ? 'The merchant accepted your payment, although less arrived than the price.'
    : 'Your payment has arrived.';
  const merchant = receipt.name === null ? '' : plainName(receipt.name);
  const facts: [string, string | null][] = [
    [less ? 'Price' : 'Amount', amount],
    ['Arrived', less],
    ['Paid to', merchant || null],
    ['Paid at', `${receipt.paidAt.toISOString().slice(0, 16).replace('T', ' ')} UTC`],
    ['Questions', receipt.supportEmail === null ? null : plainAddress(receipt.supportEmail)],
  ];
  return {
    to: receipt.toAddress,
    subject: `Receipt for your payment of ${less ?? amount}${receipt.livemode ? '' : ' (test mode)'}`,
    text: `${what}${receipt.livemode ? '' : ' It was made in test mode, with no real money.'}

${facts
  .filter(([, value]) => value !== null)
  .map(([name, value]) => `${`${name}:`.padEnd(11)}${value}`)
  .join('\n')}

Receipt: ${publicUrl}/receipt/${receipt.sessionId}

You get this mail because the merchant was given your address for this payment. There is nothing you need to do.
`,
  };
}
