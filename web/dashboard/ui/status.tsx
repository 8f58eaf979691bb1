import { toCents } from '@quittance/contract/cents';
import type { Arrival } from '../lib/arrival.ts';
import { money } from '../lib/format.ts';
import { type MessageKey, type Translate, useLanguage, useT } from '../lib/i18n.tsx';
import { shortageOf } from '../lib/shortage.ts';
import type { PaymentJson, PaymentStatus } from '../lib/types.ts';
import { Badge } from './basic.tsx';

const TONES = {
  created: 'neutral',
  pending: 'accent',
  routing: 'accent',
  settling: 'accent',
  paid: 'good',
  failed: 'bad',
  expired: 'neutral',
  refund_required: 'warn',
  refunded: 'neutral',
} as const;

export const STATUS_NAMES: Record<PaymentStatus, MessageKey> = {
  created: 'Created',
  pending: 'Pending',
  routing: 'Routing',
  settling: 'Settling',
  paid: 'Paid',
  failed: 'Failed',
  expired: 'Expired',
  refund_required: 'Needs a decision',
  refunded: 'Refunded',
};

export function StatusBadge({ status }: { status: PaymentStatus }) {
  const t = useT();
  return <Badge tone={TONES[status]}>{t(STATUS_NAMES[status])}</Badge>;
}

/** The status, and what the payment's money did beside it: a surplus, a part that is missing, a part that went back. */
export function PaymentBadges({
  payment,
  arrival,
  isUnderStatus = false,
}: {
  payment: PaymentJson;
  arrival?: Arrival | undefined;
  /** It stands under a heading that says the status. */
  isUnderStatus?: boolean;
}) {
  const { t, locale } = useLanguage();
  const { status, currency, surplus, refunded_amount: refunded } = payment;
  const missing = shortageOf(payment);
  const isCauseSaid = missing !== null && payment.failure_reason === 'underpaid';
  const cause = status === 'refund_required' && !isCauseSaid && CAUSES[payment.failure_reason ?? ''];
  const isOver = toCents(surplus) > toCents(refunded) && status === 'paid';
  return (
    <span className="inline-flex flex-wrap items-center gap-1.5">
      {!isUnderStatus && <StatusBadge status={status} />}
      {status === 'pending' && arrival === 'part' && <Badge tone="warn">{t('Partly paid')}</Badge>}
      {status === 'pending' && arrival === 'whole' && <Badge tone="accent">{t('Confirming')}</Badge>}
      {cause && <Badge>{t(cause)}</Badge>}
      {missing !== null && (
        <Badge tone="warn">{t('Underpaid {amount}', { amount: money(locale, missing, currency) })}</Badge>
      )}
      {isOver && <Badge tone="warn">{t('Overpaid {amount}', { amount: money(locale, surplus, currency) })}</Badge>}
      {status !== 'refunded' && toCents(refunded) > BigInt(0) && (
        <Badge>{t('{amount} refunded', { amount: money(locale, refunded, currency) })}</Badge>
      )}
    </span>
  );
}

/** A code in words. One that this version does not know is shown as it is. */
export function meaningOf(code: string, codes: Record<string, MessageKey>, t: Translate): string {
  const meaning = codes[code];
  return meaning ? t(meaning) : code;
}

/** In a word, for a list. */
const CAUSES: Record<string, MessageKey> = {
  underpaid: 'Underpaid',
  paid_late: 'Late',
  route_failed: 'Conversion failed',
  short_delivery: 'Conversion short',
  compliance_hold: 'Held by the provider',
};

export const FAILURES: Record<string, MessageKey> = {
  underpaid: 'Underpaid: the customer sent less than the total before the checkout expired.',
  paid_late: 'Received after the checkout expired.',
  rate_unknown: 'Received after the quote expired, and no reliable rate was available.',
  untraced_transfer: 'The balance increased, but no transaction shows who sent the funds.',
  transaction_reverted: 'The transaction was reverted.',
  route_refunded: 'The conversion failed and the provider returned the funds to the customer.',
  route_failed: 'The conversion failed and the provider still holds the funds.',
  route_expired: 'The conversion quote had expired.',
  short_delivery: 'The conversion delivered less than quoted.',
  compliance_hold: 'The provider is holding the funds for a compliance review.',
  transfer_released: 'The owner of the wallet address released the transfer.',
};

/** Why an endpoint gave no response to an attempt. */
export const ATTEMPT_ERRORS: Record<string, MessageKey> = {
  no_public_address: 'The name leads to no public address',
  connection_refused: 'Connection refused',
  connection_failed: 'Connection failed',
  tls_failed: 'The certificate was not accepted',
  timeout: 'No response in time',
  invalid_response: 'The response was not HTTP',
};

export const REASONS: Record<string, MessageKey> = {
  no_match: 'No matching payment',
  already_paid: 'Payment already paid',
  already_refunded: 'Payment already refunded',
  other_asset: 'Wrong asset',
  wrong_network: 'Wrong network',
  too_small: 'Below the minimum',
  released: 'Released from another account',
};
