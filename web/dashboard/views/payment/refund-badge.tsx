import type { ComponentProps } from 'react';
import { type MessageKey, useT } from '../../lib/i18n.tsx';
import type { RefundJson, RefundStatus } from '../../lib/types.ts';
import { Badge } from '../../ui/basic.tsx';

const NAMES: Record<RefundStatus, MessageKey> = {
  requested: 'Waiting for an address',
  planned: 'Planned',
  sent: 'Sent',
  final: 'Refunded',
  failed: 'Failed',
  cancelled: 'Cancelled',
};
const TONES = {
  requested: 'neutral',
  planned: 'neutral',
  sent: 'accent',
  final: 'good',
  failed: 'bad',
  cancelled: 'neutral',
} as const;

export const SENT_TWICE: MessageKey =
  'A wallet sent this refund after it had ended, when its money belonged to other refunds. It may have been sent twice: check.';

export const NAMED_TWICE: MessageKey = 'Another transaction was named too. It may have been sent twice: check.';

const ANSWERED = {
  requested: { reason: 'The customer entered an address for this refund. Confirm it.', action: 'Confirm' },
  planned: { reason: 'The customer named an address for this refund. Send it.', action: 'Send' },
} as const;

/** The customer has named an address by the link, and the merchant has not confirmed it. */
export function hasAddressToConfirm({ status, link }: Pick<RefundJson, 'status' | 'link'>): boolean {
  return status === 'requested' && isAnswered({ status, link });
}

/** The customer has named an address by the link, and the merchant has not sent the refund. */
export function isAnswered({ status, link }: Pick<RefundJson, 'status' | 'link'>): boolean {
  return (status === 'requested' || status === 'planned') && link !== null && link.address !== null;
}

/** What a refund whose customer has named an address waits for. */
export function answerOf(refund: Pick<RefundJson, 'status' | 'link'>) {
  return hasAddressToConfirm(refund) ? ANSWERED.requested : ANSWERED.planned;
}

/** The status of a refund. */
export function RefundBadge({ refund }: { refund: RefundJson }) {
  const t = useT();
  const [tone, name] = shownStatus(refund);
  return <Badge tone={tone}>{t(name)}</Badge>;
}

/** What the chain has not confirmed is only recorded. */
function shownStatus(refund: RefundJson): [tone: ComponentProps<typeof Badge>['tone'], name: MessageKey] {
  if (refund.mismatch) return ['bad', 'Differs'];
  if (hasAddressToConfirm(refund)) return ['warn', 'Address to confirm'];
  const isRecorded = refund.status === 'final' && !refund.verified && refund.livemode;
  return [TONES[refund.status], isRecorded ? 'Recorded' : NAMES[refund.status]];
}
