import { EVENT_TYPES } from '@quittance/contract/statuses';
import { useState } from 'react';
import { post } from '../../lib/api.ts';
import { useLanguage } from '../../lib/i18n.tsx';
import { useAct } from '../../lib/state.tsx';
import type { WebhookEndpointJson } from '../../lib/types.ts';
import { Button, Notice, Problem } from '../../ui/basic.tsx';
import { Dialog } from '../../ui/dialog.tsx';

/** Sends a sample event, and shows what the endpoint returned. */
export function TestDialog({ endpoint, onClose }: { endpoint: WebhookEndpointJson; onClose: () => void }) {
  const { t } = useLanguage();
  const [event, setEvent] = useState<string>(
    endpoint.events.includes('payment.paid') ? 'payment.paid' : (endpoint.events[0] ?? 'payment.paid'),
  );
  const send = useAct(
    () => post<{ delivered: boolean; response_code: number }>('/v1/webhooks/test', { endpoint_id: endpoint.id, event }),
    [],
  );
  return (
    <Dialog title={t('Send test event')} onClose={onClose}>
      <div className="grid gap-4">
        <p className="text-sm text-quiet">{t('Sends one signed sample event. No retries.')}</p>
        <select
          aria-label={t('Event')}
          value={event}
          onChange={(change) => setEvent(change.target.value)}
          className="rounded-lg border border-line bg-surface px-3 py-2 text-sm"
        >
          {EVENT_TYPES.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
        {send.data &&
          (send.data.delivered ? (
            <Notice tone="good">
              {t('Delivered: the endpoint returned {code}.', { code: send.data.response_code })}
            </Notice>
          ) : (
            <Notice tone="warn">
              {send.data.response_code === 0
                ? t('No response.')
                : t('Not delivered: the endpoint returned {code}.', { code: send.data.response_code })}
            </Notice>
          ))}
        <Problem error={send.error} />
        <div className="flex justify-end">
          <Button kind="primary" busy={send.isPending} onClick={() => send.mutate(undefined)}>
            {t('Send')}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
