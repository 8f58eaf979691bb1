import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { instant } from '../../lib/format.ts';
import { type MessageKey, useLanguage } from '../../lib/i18n.tsx';
import { useList } from '../../lib/state.tsx';
import type { WebhookDeliveryJson } from '../../lib/types.ts';
import { Badge, Card, Empty } from '../../ui/basic.tsx';
import { Listing } from '../../ui/listing.tsx';
import { ATTEMPT_ERRORS, meaningOf } from '../../ui/status.tsx';
import { Cell, Table } from '../../ui/table.tsx';
import { DeliveryPanel } from './delivery.tsx';

type DeliveryStatus = WebhookDeliveryJson['status'];

const STATES = ['pending', 'delivered', 'failed', 'parked'] as const;
const STATE_NAMES: Record<DeliveryStatus, MessageKey> = {
  pending: 'Pending',
  delivered: 'Delivered',
  failed: 'Failed',
  parked: 'Parked',
  cancelled: 'Cancelled',
};
const TONES = { pending: 'accent', delivered: 'good', failed: 'bad', parked: 'warn', cancelled: 'neutral' } as const;

/** An endpoint's deliveries, newest first. `redeliver` is the button that sends the failed ones again. */
export function Deliveries({ endpointId, redeliver }: { endpointId: string; redeliver: ReactNode }) {
  const { t } = useLanguage();
  const { status } = useSearch({ from: '/shell/webhooks/$id' });
  const wanted = STATES.find((one) => one === status);
  const list = useList<WebhookDeliveryJson>('deliveries', `/v1/webhook-endpoints/${endpointId}/deliveries`, {
    status: wanted,
  });
  const [shown, setShown] = useState<string | null>(null);
  return (
    <Card
      title={t('Deliveries')}
      flush
      action={
        <div className="flex flex-wrap items-center gap-2">
          {redeliver}
          <StatusFilter endpointId={endpointId} wanted={wanted} />
        </div>
      }
    >
      <Listing
        list={list}
        empty={
          <Empty title={t('No deliveries')} docs="/docs/guides/webhooks">
            {t('Deliveries appear here with the next payment.')}
          </Empty>
        }
      >
        <Table
          label={t('Deliveries')}
          heads={[t('Event'), t('Status'), t('Attempts'), t('Response'), t('Next attempt'), t('Created')]}
        >
          {list.items.map((delivery) => (
            <DeliveryRow key={delivery.id} delivery={delivery} open={() => setShown(delivery.id)} />
          ))}
        </Table>
      </Listing>
      {shown && <DeliveryPanel id={shown} onClose={() => setShown(null)} />}
    </Card>
  );
}

function StatusFilter({ endpointId, wanted }: { endpointId: string; wanted: DeliveryStatus | undefined }) {
  const { t } = useLanguage();
  const navigate = useNavigate();
  return (
    <select
      aria-label={t('Status')}
      value={wanted ?? ''}
      className="rounded-lg border border-line bg-surface px-2 py-1.5 text-sm"
      onChange={(event) =>
        void navigate({
          to: '/webhooks/$id',
          params: { id: endpointId },
          search: { status: event.target.value || undefined },
        })
      }
    >
      <option value="">{t('Any status')}</option>
      {STATES.map((state) => (
        <option key={state} value={state}>
          {t(STATE_NAMES[state])}
        </option>
      ))}
    </select>
  );
}

function DeliveryRow({ delivery, open }: { delivery: WebhookDeliveryJson; open: () => void }) {
  const { t, locale } = useLanguage();
  return (
    <tr className="hover:bg-raised/60">
      <Cell>
        <button type="button" className="font-mono text-[.9em] font-medium hover:underline" onClick={open}>
          {delivery.event_type}
        </button>
      </Cell>
      <Cell>
        <Badge tone={TONES[delivery.status]}>{t(STATE_NAMES[delivery.status])}</Badge>
      </Cell>
      <Cell className="tabular-nums" label={t('Attempts')}>
        {delivery.attempt_count}
      </Cell>
      <Cell className="tabular-nums" label={t('Response')}>
        {delivery.last_response_code ?? (delivery.last_error ? meaningOf(delivery.last_error, ATTEMPT_ERRORS, t) : '–')}
      </Cell>
      <Cell
        className={`text-quiet whitespace-nowrap ${delivery.next_attempt_at ? '' : 'max-sm:hidden'}`}
        label={t('Next attempt')}
      >
        {delivery.next_attempt_at ? instant(locale, delivery.next_attempt_at) : '–'}
      </Cell>
      <Cell className="text-quiet whitespace-nowrap">{instant(locale, delivery.created_at)}</Cell>
    </tr>
  );
}
