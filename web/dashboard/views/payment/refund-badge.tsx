import { type MessageKey, useT } from '../../lib/i18n.tsx';
import type { RefundJson, RefundStatus } from '../../lib/types.ts';
import { Badge } from '../../ui/basic.tsx';

const NAMES: Record<RefundStatus, MessageKey> = {
  requested: 'Waiting for an address',
  planned: 'Planned',
  sent: 'Sent',
  final: 'Returned',
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
  'A wallet sent this refund after it was cancelled, when its money belonged to other refunds. It may have been sent twice: check.';

export const NAMED_TWICE: MessageKey = 'Another transaction was named too. It may have been sent twice: check.';

/** The status of a refund. What the chain has not confirmed is only recorded. */
export function RefundBadge({ refund }: { refund: RefundJson }) {
  const t = useT();
  return (
    <Badge tone={refund.mismatch ? 'bad' : TONES[refund.status]}>
      {refund.mismatch
        ? t('Differs')
        : refund.status === 'final' && !refund.verified && refund.livemode
          ? t('Recorded')
          : t(NAMES[refund.status])}
    </Badge>
  );
}
