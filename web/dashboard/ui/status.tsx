import { useT } from '../lib/i18n.tsx';
import type { PaymentStatus } from '../lib/types.ts';
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

export const STATUS_NAMES: Record<PaymentStatus, string> = {
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

export const FAILURES: Record<string, string> = {
  underpaid: 'Less arrived than was due, and the time is over.',
  paid_late: 'The money came after the checkout had expired.',
  rate_unknown: 'The money came after its price was fixed, and no price of that minute is known.',
  untraced_transfer: 'The balance grew, but no transaction shows by whom.',
  transaction_reverted: 'The transaction failed on the chain.',
  route_refunded: 'The conversion failed and the provider gave the money back.',
  route_failed: 'The conversion failed with the money inside.',
  route_expired: 'The offer of the conversion had expired.',
  short_delivery: 'The conversion delivered less than was promised.',
  compliance_hold: 'The provider holds the money for a check.',
  transfer_released: 'The owner of the wallet address took the money back.',
};

export const REASONS: Record<string, string> = {
  no_match: 'No open payment fits',
  already_paid: 'The payment was paid already',
  already_refunded: 'The payment was refunded already',
  other_asset: 'Another asset than asked for',
  wrong_network: 'Another network than asked for',
  too_small: 'Too small to count',
  released: 'Released from another account',
};
