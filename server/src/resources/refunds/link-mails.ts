import { NETWORKS } from '@quittance/contract';
import { type Mail, queueMail } from '../../platform/mails/queue-mail.ts';
import { formatDisplayAmount } from '../../platform/money.ts';
import { DAY_MS, later } from '../../platform/time.ts';
import type { Payment } from '../../settlement/records/payment.ts';
import { presentUnits } from '../../settlement/records/present-payment.ts';
import { findAccount } from '../accounts/store.ts';
import { refusalOfMail } from '../customer-mails/limits.ts';
import { plainAddress, plainName } from '../customer-mails/mail-text.ts';
import { countMail, isProvedBy, lockCustomerMails } from '../customer-mails/store.ts';
import { LINK_MAIL_TEXTS, type LinkMailTexts } from './link-mail-texts.ts';
import type { RefundSettlement, StoredRefund } from './refund.ts';

const USEFUL_FOR_MS = 3 * DAY_MS;

/** Mails the link to the customer, unless an account must not mail them. Returns whether it was queued. */
export async function mailLink(
  { ctx, db, at }: RefundSettlement,
  payment: Payment,
  refund: StoredRefund,
  { email, url }: { email: string; url: string },
): Promise<boolean> {
  const { link } = refund;
  const merchant = await findAccount(db, payment.accountId);
  if (!ctx.mail.available || !link || !merchant) return false;
  if (!(await isCounted({ ctx, db, at }, payment, { merchant, email }))) return false;
  const until = `${link.expiresAt.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  const written = mailOf({ refund, merchant, email }, (texts) => ({
    subject: texts.askedSubject,
    lead: `${texts.asked} ${texts.safe}`,
    facts: [],
    end: `${texts.open}: ${url}\n\n${texts.once.replace('{until}', until)}`,
  }));
  await queueMail(db, ctx.secrets, written, { now: at.recorded, usefulUntil: link.expiresAt });
  db.afterCommit(() => ctx.db.notify('mails'));
  return true;
}

/** Mails the customer that an address was named, and that their money was returned, if the link was mailed to them. */
export async function mailAboutLink(
  { ctx, db, at }: RefundSettlement,
  payment: Payment,
  { before, after }: { before: StoredRefund | null; after: StoredRefund },
): Promise<void> {
  const { link } = after;
  const email = link?.email ?? null;
  const isAnswer = before?.link?.answeredAt === null && link?.answeredAt !== null;
  const isReturn = before !== null && before.status !== 'final' && after.status === 'final';
  if (link === null || email === null || !(isAnswer || isReturn)) return;
  const merchant = await findAccount(db, payment.accountId);
  if (!merchant) return;
  const mayBeSent = await isCounted({ ctx, db, at }, payment, { merchant, email, isWarning: isAnswer });
  if (!mayBeSent) return;
  const written = mailOf({ refund: after, merchant, email }, (texts) => ({
    subject: isReturn ? texts.returnedSubject : texts.namedSubject,
    lead: isReturn ? texts.returned : texts.named,
    facts: [
      [texts.address, link.address],
      [texts.transaction, after.txHash],
    ],
    end: isReturn ? `${texts.receipt}: ${ctx.config.publicUrl}/receipt/${payment.sessionId}` : null,
  }));
  await queueMail(db, ctx.secrets, written, { now: at.recorded, usefulUntil: later(at.recorded, USEFUL_FOR_MS) });
  db.afterCommit(() => ctx.db.notify('mails'));
}

/**
 * Counts a mail to a customer with the receipts. False if there were too many, or the account must not send it. The
 * warning that an address was named is always sent: otherwise, an account could use up the limit first. It is sent once
 * for each link that was mailed, so the limit of those mails bounds it.
 */
async function isCounted(
  { ctx, db, at }: RefundSettlement,
  { accountId, livemode, receiveNetwork, receiveAddress }: Payment,
  { merchant, email, isWarning = false }: { merchant: { email: string | null }; email: string; isWarning?: boolean },
): Promise<boolean> {
  await lockCustomerMails(db);
  const place = { livemode, network: receiveNetwork, address: receiveAddress };
  const isProved = await isProvedBy(db, accountId, place);
  const mail = { accountId, livemode, toAddress: email, email: merchant.email, isProved };
  if (!isWarning && (await refusalOfMail(ctx, db, mail, at.recorded))) return false;
  await countMail(db, mail, at.recorded);
  return true;
}

interface Written {
  subject: string;
  lead: string;
  facts: [string, string | null][];
  end: string | null;
}

/** Nothing in it is a text of the merchant's but their name, so that they cannot send a message of their own with it. */
function mailOf(
  about: {
    refund: StoredRefund;
    merchant: { name: string | null; supportEmail: string | null };
    email: string;
  },
  write: (texts: LinkMailTexts) => Written,
): Mail {
  const { refund, merchant, email } = about;
  const texts = LINK_MAIL_TEXTS[refund.link?.locale ?? 'en'];
  const { subject, lead, facts, end } = write(texts);
  const amount = `${formatDisplayAmount(refund.amountMinor)} ${refund.currency}`;
  const coins = `${presentUnits(refund.amountUnits, refund.asset, refund.network)} ${refund.asset}`;
  const all: [string, string | null][] = [
    [texts.amount, `${amount} (${coins}, ${NETWORKS[refund.network].name})`],
    [texts.merchant, (merchant.name && plainName(merchant.name)) || null],
    ...facts,
    [texts.questions, merchant.supportEmail === null ? null : plainAddress(merchant.supportEmail)],
  ];
  const lines = all.filter(([, value]) => value !== null).map(([name, value]) => `${name}: ${value}`);
  const parts = [refund.livemode ? lead : `${lead} ${texts.test}`, lines.join('\n'), end, texts.why];
  return {
    to: email,
    subject: subject.replace('{amount}', amount),
    text: `${parts.filter((part) => part !== null).join('\n\n')}\n`,
  };
}
