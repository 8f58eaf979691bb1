import { NETWORKS } from '@quittance/contract';
import type { Mail } from '../../platform/mails/mail.ts';
import { formatDisplayAmount } from '../../platform/money.ts';
import { presentUnits } from '../../settlement/records/present-payment.ts';
import type { NoticeKind } from '../../settlement/records/notice-store.ts';
import { oneLine } from './mail-text.ts';
import type { WaitingNotice } from './store.ts';

export interface Envelope {
  to: string;
  livemode: boolean;
  publicUrl: string;
}

/** Of the lines of a summary. The dashboard lists all. */
export const MAX_SUMMARY_LINES = 20;

/** One mail about one thing. */
export function singleMail(envelope: Envelope, notice: WaitingNotice): Mail {
  const { subject, lead, path } = SINGLE[notice.kind as Exclude<NoticeKind, 'receipt'>](notice);
  return mailOf(envelope, subject, `${lead}\n\n${factsOf(notice)}\n\n${envelope.publicUrl}/dashboard${path}`);
}

/** One mail about many things. */
export function summaryMail(
  envelope: Envelope,
  counts: readonly { kind: NoticeKind; count: number }[],
  first: readonly WaitingNotice[],
): Mail {
  const total = counts.reduce((sum, { count }) => sum + count, 0);
  const rest = total - first.length;
  const lines = [
    'A lot happened, so this is one mail instead of many.',
    '',
    ...counts.map(({ kind, count }) => `${String(count).padStart(6)}  ${COUNTED[kind]}`),
    '',
    rest > 0 ? `The first ${first.length}:` : 'In order:',
    '',
    ...first.map(lineOf),
    '',
    `${envelope.publicUrl}/dashboard`,
  ];
  return mailOf(envelope, `${total} payments and transfers`, lines.join('\n'));
}

function mailOf({ to, livemode, publicUrl }: Envelope, subject: string, text: string): Mail {
  return {
    to,
    subject: livemode ? subject : `${subject} (test mode)`,
    text: `${text}

You get this mail because your account asks for it: ${publicUrl}/dashboard/settings
`,
  };
}

const SINGLE: Record<
  Exclude<NoticeKind, 'receipt'>,
  (notice: WaitingNotice) => { subject: string; lead: string; path: string }
> = {
  paid: (notice) => ({
    subject: `Paid: ${amountOf(notice)}`,
    lead: 'A payment is paid. The money is final in your payout wallet.',
    path: `/payments/${notice.paymentId}`,
  }),
  needs_decision: (notice) => ({
    subject: `Needs a decision: ${amountOf(notice)}`,
    lead: 'A payment needs a decision: accept what arrived, or send it back.',
    path: `/payments/${notice.paymentId}`,
  }),
  unattributed: (notice) => ({
    subject: `Unattributed: ${amountOf(notice)}`,
    lead: 'A transfer to your payout wallet belongs to no payment. Assign it, send it back, or mark it as handled. Before you send it back, look for it in your wallet.',
    path: '/transfers',
  }),
};

const COUNTED: Record<NoticeKind, string> = {
  paid: 'paid',
  needs_decision: 'need a decision',
  unattributed: 'unattributed transfers',
  receipt: 'receipts',
};

function factsOf(notice: WaitingNotice): string {
  const customer = notice.customer?.name ?? notice.customer?.email ?? notice.customer?.reference;
  const facts: [string, string | null | undefined][] = [
    ['Amount', amountOf(notice)],
    ['Payment', notice.paymentId],
    ['Order', notice.orderId],
    ['Customer', customer],
    ['Reason', notice.failureReason?.replaceAll('_', ' ')],
    ['Network', notice.network && NETWORKS[notice.network].name],
    ['Transaction', notice.txHash],
  ];
  return facts
    .filter(([, value]) => value)
    .map(([name, value]) => `${`${name}:`.padEnd(13)}${oneLine(value as string)}`)
    .join('\n');
}

function lineOf(notice: WaitingNotice): string {
  const { kind, orderId: order, paymentId: payment, txHash: hash } = notice;
  return `${COUNTED[kind]}: ${amountOf(notice)}, ${oneLine(order ?? payment ?? hash ?? '', 80)}`;
}

function amountOf({ amountMinor, currency, amountUnits, asset, network }: WaitingNotice): string {
  if (amountMinor !== null && currency !== null) return `${formatDisplayAmount(amountMinor)} ${currency}`;
  if (amountUnits !== null && asset !== null && network !== null)
    return `${presentUnits(amountUnits, asset, network)} ${asset}`;
  return '';
}
