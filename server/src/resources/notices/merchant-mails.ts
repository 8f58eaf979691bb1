import { type FailureReason, NETWORKS } from '@quittance/contract';
import { providerHelp, providerName } from '@quittance/contract/route-providers';
import type { Mail } from '../../platform/mails/queue-mail.ts';
import { formatDisplayAmount } from '../../platform/money.ts';
import { displayMinor, surplusUnits } from '../../settlement/records/returned.ts';
import { presentUnits } from '../../settlement/records/present-payment.ts';
import type { QueuedKind } from '../../settlement/records/notice-store.ts';
import type { StoredOrder } from '../../settlement/records/route-order-store.ts';
import { type ArrivedMoney, arrivedText, isShort } from './arrived.ts';
import { oneLine, withoutLinks } from '../customer-mails/mail-text.ts';
import type { WaitingNotice } from './store.ts';

export interface Envelope {
  to: string;
  livemode: boolean;
  publicUrl: string;
}

/** Of the lines of a summary. The dashboard lists all. */
export const MAX_SUMMARY_LINES = 20;

/** The holder of the money of a payment that needs a decision, and the order that it is in. */
export interface MoneyPlace {
  holder: 'none' | 'merchant' | 'provider' | 'customer';
  order: StoredOrder | undefined;
}

/** One mail about one thing. */
export function singleMail(envelope: Envelope, notice: WaitingNotice, place?: MoneyPlace): Mail {
  const { subject, lead, path } = SINGLE[notice.kind as Exclude<QueuedKind, 'receipt'>](notice, place);
  const facts = factsOf(notice, place?.holder === 'provider' ? place.order : undefined);
  return mailOf(envelope, subject, `${lead}\n\n${facts}\n\n${envelope.publicUrl}/dashboard${path}`);
}

/** One mail about many things. */
export function summaryMail(
  envelope: Envelope,
  counts: readonly { kind: QueuedKind; count: number }[],
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
  Exclude<QueuedKind, 'receipt'>,
  (notice: WaitingNotice, place: MoneyPlace | undefined) => { subject: string; lead: string; path: string }
> = {
  paid: (notice) => ({
    subject: `Paid: ${isShort(moneyOf(notice)) ? `${arrivedText(moneyOf(notice))} for ` : ''}${amountOf(notice)}${itemOf(notice)}`,
    lead: paidLead(notice),
    path: `/payments/${notice.paymentId}`,
  }),
  needs_decision: (notice, place) => ({
    subject: `Needs a decision: ${amountOf(notice)}${itemOf(notice)}`,
    lead: decisionLead(place),
    path: `/payments/${notice.paymentId}`,
  }),
  refund_answered: (notice) => ({
    subject: `${notice.isProved ? 'Refund to send' : 'Refund to confirm'}: ${amountOf(notice)}`,
    lead: notice.isProved
      ? 'The wallet that paid has signed for its refund. Send it from your payout wallet.'
      : 'A customer entered an address for a refund. Compare it with what they say elsewhere, then confirm the ' +
        'address and the amount. Until then the refund cannot be sent.',
    path: `/payments/${notice.paymentId}`,
  }),
  unattributed: (notice) => ({
    subject: `Unattributed: ${amountOf(notice)}`,
    lead:
      'A transfer to your payout wallet belongs to no payment. Assign it, send it back, or mark it as ' +
      'handled. Before you send it back, look for it in your wallet.',
    path: '/transfers',
  }),
};

function paidLead(notice: WaitingNotice): string {
  if (notice.status === 'refunded') return 'A payment was paid, and you recorded a refund of it.';
  const arrived = arrivedText(moneyOf(notice));
  if (!arrived) return 'A payment is paid. The money is final in your payout wallet.';
  return isShort(moneyOf(notice))
    ? `A payment is paid with less than the order amount: ${arrived} is final in your payout wallet.`
    : `A payment is paid: ${arrived} is final in your payout wallet.`;
}

/** The merchant can accept or send back only what is in their wallet. */
function decisionLead(place: MoneyPlace | undefined): string {
  switch (place?.holder) {
    case 'merchant':
      return 'A payment needs a decision: accept what arrived, or send it back.';
    case 'provider': {
      const provider = providerName(place.order?.provider ?? '');
      const ask = `Ask ${provider} about its order ${oneLine(place.order?.reference ?? '')}.`;
      return (
        `A payment needs a decision. ${provider} holds the money, and nothing has reached your wallet: ` +
        `there is nothing to accept or to send back. ${ask} Record the payment as resolved once the customer has their money.`
      );
    }
    default:
      return (
        'A payment needs a decision. Nothing has reached your wallet: there is nothing to accept or to ' +
        'send back. Record the payment as resolved once the customer has their money.'
      );
  }
}

const COUNTED: Record<QueuedKind, string> = {
  paid: 'paid',
  needs_decision: 'need a decision',
  refund_answered: 'refunds with an address',
  unattributed: 'unattributed transfers',
  receipt: 'receipts',
};

/** What was sold, as the end of a subject. */
function itemOf({ description }: WaitingNotice): string {
  return description === null ? '' : `, ${oneLine(description, 60)}`;
}

/** Why a payment needs a decision or has failed. */
const REASONS: Record<FailureReason, string> = {
  underpaid: 'less than the total arrived before the checkout expired',
  paid_late: 'the money arrived after the checkout had expired',
  rate_unknown: 'the money arrived after the quote had expired, and no reliable rate was available',
  untraced_transfer: 'the balance grew, but no transaction shows who sent the money',
  transaction_reverted: 'the transaction was reverted',
  route_refunded: 'the conversion failed, and its provider returned the money to the customer',
  route_failed: 'the conversion failed, and its provider still holds the money',
  route_expired: 'the quote of the conversion had expired',
  short_delivery: 'the conversion delivered less than quoted',
  compliance_hold: 'the provider of the conversion holds the money for a compliance review',
  transfer_released: 'the owner of the wallet address released the transfer',
};

function factsOf(notice: WaitingNotice, held: StoredOrder | undefined): string {
  const { name, email, reference } = notice.customer ?? {};
  const facts: [string, string | null | undefined][] = [
    ['Amount', amountOf(notice)],
    ...(notice.kind === 'refund_answered' ? refundFacts(notice) : []),
    ['Arrived', notice.paymentId && (arrivedText(moneyOf(notice)) ?? 'nothing')],
    ['Overpaid', overpaidText(notice)],
    ...(held ? heldFacts(held) : []),
    ['Item', notice.description],
    ['Payment', notice.paymentId],
    ['Order', notice.orderId],
    ['Customer', name ? withoutLinks(name) : reference],
    ['Email', email],
    ['Note', notice.note && withoutLinks(notice.note)],
    ['Reason', notice.failureReason && REASONS[notice.failureReason]],
    ['Network', notice.network && NETWORKS[notice.network].name],
    ['Transaction', notice.txHash],
  ];
  return facts
    .filter(([, value]) => value)
    .map(([name, value]) => `${`${name}:`.padEnd(13)}${oneLine(value as string)}`)
    .join('\n');
}

/** By how much a sale is overpaid, which the merchant may send back. */
function overpaidText({ kind, amountMinor, serviceFeeMinor, currency, ...money }: WaitingNotice): string | null {
  if (kind !== 'paid' || amountMinor === null || serviceFeeMinor === null || currency === null) return null;
  const payment = { ...money, amountMinor, serviceFeeMinor };
  const surplus = displayMinor(payment, surplusUnits(payment));
  return surplus > 0n ? `${formatDisplayAmount(surplus)} ${currency}` : null;
}

/** What would be sent, and where. */
function refundFacts({ amountUnits, asset, network, refundAddress }: WaitingNotice): [string, string | null][] {
  const isKnown = amountUnits !== null && asset !== null && network !== null;
  return [
    ['To send', isKnown ? `${presentUnits(amountUnits, asset, network)} ${asset}` : null],
    ['Address', refundAddress],
  ];
}

/** The place of the money, and whom to ask for it. */
function heldFacts(order: StoredOrder): [string, string | null][] {
  const network = NETWORKS[order.payNetwork].name;
  const deposited =
    order.depositedUnits === null
      ? `a deposit on ${network}`
      : `${presentUnits(order.depositedUnits, order.payAsset, order.payNetwork)} ${order.payAsset} on ${network}`;
  return [
    ['Held by', `${providerName(order.provider)}, ${deposited}`],
    ['Its order', order.reference],
    ['Deposit to', order.depositAddress],
    ['Contact', providerHelp(order.provider)],
  ];
}

function moneyOf({ actualOutputUnits, expectedOutputUnits, ...notice }: WaitingNotice): ArrivedMoney | null {
  const { receiveAsset, receiveNetwork, amountMinor, currency } = notice;
  if (receiveAsset === null || receiveNetwork === null || amountMinor === null || currency === null) return null;
  return { actualOutputUnits, expectedOutputUnits, receiveAsset, receiveNetwork, amountMinor, currency };
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
