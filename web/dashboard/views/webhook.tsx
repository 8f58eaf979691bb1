import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { post, remove } from '../lib/api.ts';
import { instant, milliseconds, plain } from '../lib/format.ts';
import { type MessageKey, useLanguage } from '../lib/i18n.tsx';
import { useAct, useList } from '../lib/state.tsx';
import type { WebhookDeliveryJson, WebhookEndpointJson, WebhookEndpointWithSecretJson } from '../lib/types.ts';
import { Badge, Button, Card, Copyable, Empty, Facts, Heading, Notice, Problem, Skeleton } from '../ui/basic.tsx';
import { Confirm, Dialog } from '../ui/dialog.tsx';
import { SecretShown } from '../ui/secret.tsx';
import { Listing } from '../ui/listing.tsx';
import { Cell, Table } from '../ui/table.tsx';
import { DeliveryPanel } from './webhook/delivery.tsx';
import { EVENTS, HealthBadge } from './webhooks.tsx';

const CHANGED = ['endpoints', 'deliveries', 'onboarding'];
const STATES = ['pending', 'delivered', 'failed', 'parked'] as const;
const STATE_NAMES: Record<WebhookDeliveryJson['status'], MessageKey> = {
  pending: 'Pending',
  delivered: 'Delivered',
  failed: 'Failed',
  parked: 'Parked',
  cancelled: 'Cancelled',
};
const TONES = { pending: 'accent', delivered: 'good', failed: 'bad', parked: 'warn', cancelled: 'neutral' } as const;
const DAY_MS = 86_400_000;

export function WebhookView() {
  const { t } = useLanguage();
  const { id } = useParams({ from: '/shell/webhooks/$id' });
  const list = useList<WebhookEndpointJson>('endpoints', '/v1/webhook-endpoints', { limit: 100 });
  const endpoint = list.items.find((one) => one.id === id);
  const navigate = useNavigate();
  const [open, setOpen] = useState<'rotate' | 'delete' | 'test' | null>(null);
  const close = () => setOpen(null);
  const enable = useAct(() => post<WebhookEndpointJson>(`/v1/webhook-endpoints/${id}/enable`), CHANGED);
  const rotate = useAct(
    () => post<WebhookEndpointWithSecretJson>(`/v1/webhook-endpoints/${id}/rotate-secret`),
    CHANGED,
  );
  const drop = useAct(() => remove<unknown>(`/v1/webhook-endpoints/${id}`), CHANGED);
  const again = useAct(
    () =>
      post<{ redelivered: number }>(`/v1/webhook-endpoints/${id}/redeliver-failed`, {
        since: new Date(Date.now() - 7 * DAY_MS).toISOString(),
      }),
    CHANGED,
  );

  if (list.isPending)
    return (
      <Card>
        <Skeleton />
      </Card>
    );
  if (list.error) return <Problem error={list.error} retry={() => void list.refetch()} />;
  if (!endpoint)
    return (
      <Empty
        title={t('Endpoint not found in this mode')}
        action={
          <Link to="/webhooks" className="text-accent underline">
            {t('All endpoints')}
          </Link>
        }
      />
    );
  return (
    <>
      <p className="mb-3 text-sm">
        <Link to="/webhooks" className="text-quiet hover:text-ink hover:underline">
          {t('Webhooks')}
        </Link>
      </p>
      <Heading
        title={
          <span className="text-xl">
            <bdi>{plain(endpoint.url)}</bdi>
          </span>
        }
        name={t('Webhook')}
        below={
          <span className="flex flex-wrap items-center gap-3">
            <HealthBadge endpoint={endpoint} />
            <Copyable text={endpoint.id} />
          </span>
        }
      >
        <Button onClick={() => setOpen('test')}>{t('Send test event')}</Button>
        {endpoint.status === 'disabled' && (
          <Button kind="primary" busy={enable.isPending} onClick={() => enable.mutate(undefined)}>
            {t('Enable')}
          </Button>
        )}
        <Button onClick={() => setOpen('rotate')}>{t('Rotate secret')}</Button>
        <Button kind="danger" onClick={() => setOpen('delete')}>
          {t('Delete')}
        </Button>
      </Heading>
      <div className="grid gap-5">
        {endpoint.status === 'disabled' && (
          <Notice tone="warn">
            {t('Disabled after 6 failed attempts. New events are queued and will be sent when you re-enable it.')}
          </Notice>
        )}
        <Problem error={enable.error ?? drop.error ?? again.error} />
        {again.data && (
          <Notice tone="good">{t('{count} deliveries are requeued.', { count: again.data.redelivered })}</Notice>
        )}
        <Card>
          <Facts
            facts={[
              [
                t('Events'),
                <span key="events" className="flex flex-wrap gap-1">
                  {endpoint.events.map((event) => (
                    <Badge key={event}>{event}</Badge>
                  ))}
                </span>,
              ],
              [
                t('Last 100 deliveries'),
                t('{good} delivered, {bad} failed', {
                  good: endpoint.delivery_status.recent_delivered,
                  bad: endpoint.delivery_status.recent_failed,
                }),
              ],
              [
                t('Avg. response'),
                endpoint.delivery_status.average_duration_ms === null
                  ? '–'
                  : milliseconds(endpoint.delivery_status.average_duration_ms),
              ],
              [t('Pending'), String(endpoint.delivery_status.pending)],
            ]}
          />
        </Card>
        <Deliveries
          endpointId={id}
          redeliver={
            <Button kind="quiet" busy={again.isPending} onClick={() => again.mutate(undefined)}>
              {t('Redeliver all failed')}
            </Button>
          }
        />
      </div>
      {open === 'test' && <TestDialog endpoint={endpoint} onClose={close} />}
      {open === 'rotate' &&
        (rotate.data ? (
          <Dialog title={t('New signing secret')} onClose={close} wide>
            <SecretShown secret={rotate.data.secret} name="WEBHOOK_SECRET" onDone={close} />
          </Dialog>
        ) : (
          <Confirm
            title={t('Rotate secret?')}
            action={t('Rotate')}
            busy={rotate.isPending}
            onClose={close}
            onConfirm={() => rotate.mutate(undefined)}
          >
            {t('Both secrets stay valid for 24 hours so you can switch without missing events.')}
            <Problem error={rotate.error} />
          </Confirm>
        ))}
      {open === 'delete' && (
        <Confirm
          title={t('Delete this endpoint?')}
          action={t('Delete')}
          danger
          busy={drop.isPending}
          onClose={close}
          onConfirm={() =>
            drop.mutate(undefined, { onSuccess: () => void navigate({ to: '/webhooks' }), onError: close })
          }
        >
          {t('Pending events won’t be delivered.')}
        </Confirm>
      )}
    </>
  );
}

function Deliveries({ endpointId, redeliver }: { endpointId: string; redeliver: React.ReactNode }) {
  const { t, locale } = useLanguage();
  const { status } = useSearch({ from: '/shell/webhooks/$id' });
  const navigate = useNavigate();
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
            <tr key={delivery.id} className="hover:bg-raised/60">
              <Cell>
                <button
                  type="button"
                  className="font-mono text-[.9em] font-medium hover:underline"
                  onClick={() => setShown(delivery.id)}
                >
                  {delivery.event_type}
                </button>
              </Cell>
              <Cell>
                <Badge tone={TONES[delivery.status]}>{t(STATE_NAMES[delivery.status])}</Badge>
              </Cell>
              <Cell className="tabular-nums">{delivery.attempt_count}</Cell>
              <Cell className="tabular-nums">{delivery.last_response_code ?? '–'}</Cell>
              <Cell className="text-quiet whitespace-nowrap">
                {delivery.next_attempt_at ? instant(locale, delivery.next_attempt_at) : '–'}
              </Cell>
              <Cell className="text-quiet whitespace-nowrap">{instant(locale, delivery.created_at)}</Cell>
            </tr>
          ))}
        </Table>
      </Listing>
      {shown && <DeliveryPanel id={shown} onClose={() => setShown(null)} />}
    </Card>
  );
}

function TestDialog({ endpoint, onClose }: { endpoint: WebhookEndpointJson; onClose: () => void }) {
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
          {EVENTS.map((one) => (
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
