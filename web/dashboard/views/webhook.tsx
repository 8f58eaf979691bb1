import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { create, post, remove } from '../lib/api.ts';
import { milliseconds, plain } from '../lib/format.ts';
import { useLanguage } from '../lib/i18n.tsx';
import { useAct, useList, useSwitch } from '../lib/state.tsx';
import type { WebhookEndpointJson, WebhookEndpointWithSecretJson } from '../lib/types.ts';
import { Badge, Button, Card, Copyable, Empty, Facts, Heading, Notice, Problem, Skeleton } from '../ui/basic.tsx';
import { Confirm, Dialog } from '../ui/dialog.tsx';
import { SecretShown } from '../ui/secret.tsx';
import { Deliveries } from './webhook/deliveries.tsx';
import { TestDialog } from './webhook/test.tsx';
import { HealthBadge } from './webhooks.tsx';

const CHANGED = ['endpoints', 'deliveries', 'onboarding'];
const DAY_MS = 86_400_000;

type OpenDialog = 'rotate' | 'delete' | 'test';
type EndpointActions = ReturnType<typeof useEndpointActions>;

export function WebhookView() {
  const { t } = useLanguage();
  const { id } = useParams({ from: '/shell/webhooks/$id' });
  const list = useList<WebhookEndpointJson>('endpoints', '/v1/webhook-endpoints', { limit: 100 });
  const endpoint = list.items.find((one) => one.id === id);
  const [open, setOpen] = useState<OpenDialog | null>(null);
  const actions = useEndpointActions(id);
  const { enable, drop, again } = actions;

  if (list.isPending)
    return (
      <Card>
        <Skeleton />
      </Card>
    );
  if (list.isLoadingError) return <Problem error={list.error} retry={() => void list.refetch()} />;
  if (!endpoint) return <EndpointNotFound />;
  return (
    <>
      <p className="mb-3 text-sm">
        <Link to="/webhooks" className="text-quiet hover:text-ink hover:underline">
          {t('Webhooks')}
        </Link>
      </p>
      <EndpointHeading endpoint={endpoint} enable={enable} open={setOpen} />
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
        <EndpointFacts endpoint={endpoint} />
        <Deliveries
          endpointId={id}
          redeliver={
            <Button kind="quiet" busy={again.isPending} onClick={() => again.mutate(undefined)}>
              {t('Redeliver all failed')}
            </Button>
          }
        />
      </div>
      {open === 'test' && <TestDialog endpoint={endpoint} onClose={() => setOpen(null)} />}
      {open === 'rotate' && <RotateDialog id={id} onClose={() => setOpen(null)} />}
      {open === 'delete' && <DeleteDialog drop={drop} onClose={() => setOpen(null)} />}
    </>
  );
}

/** What the merchant can do with one endpoint. */
function useEndpointActions(id: string) {
  const enable = useSwitch(
    (endpoint: WebhookEndpointJson) => post<WebhookEndpointJson>(`/v1/webhook-endpoints/${endpoint.id}/enable`),
    CHANGED,
    (endpoint): WebhookEndpointJson => ({ ...endpoint, status: 'active' }),
  );
  const drop = useAct(() => remove<unknown>(`/v1/webhook-endpoints/${id}`), CHANGED);
  const again = useAct(
    () =>
      post<{ redelivered: number }>(`/v1/webhook-endpoints/${id}/redeliver-failed`, {
        since: new Date(Date.now() - 7 * DAY_MS).toISOString(),
      }),
    CHANGED,
  );
  return { enable, drop, again };
}

function EndpointNotFound() {
  const { t } = useLanguage();
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
}

/** The address, the health, and the actions of an endpoint. */
function EndpointHeading({
  endpoint,
  enable,
  open,
}: {
  endpoint: WebhookEndpointJson;
  enable: EndpointActions['enable'];
  open: (dialog: OpenDialog) => void;
}) {
  const { t } = useLanguage();
  return (
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
      <Button onClick={() => open('test')}>{t('Send test event')}</Button>
      {endpoint.status === 'disabled' && (
        <Button kind="primary" busy={enable.isPending} onClick={() => enable.mutate(endpoint)}>
          {t('Enable')}
        </Button>
      )}
      <Button onClick={() => open('rotate')}>{t('Rotate secret')}</Button>
      <Button kind="danger" onClick={() => open('delete')}>
        {t('Delete')}
      </Button>
    </Heading>
  );
}

/** The events of an endpoint, and how its deliveries went. */
function EndpointFacts({ endpoint }: { endpoint: WebhookEndpointJson }) {
  const { t } = useLanguage();
  const { recent_delivered, recent_failed, average_duration_ms, pending } = endpoint.delivery_status;
  return (
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
            t('{good} delivered, {bad} failed', { good: recent_delivered, bad: recent_failed }),
          ],
          [t('Avg. response'), average_duration_ms === null ? '–' : milliseconds(average_duration_ms)],
          [t('Pending'), String(pending)],
          ...(endpoint.jwks_url
            ? [[t('Public keys (JWKS)'), <Copyable key="jwks" text={endpoint.jwks_url} />] as const]
            : []),
        ]}
      />
    </Card>
  );
}

/** Asks first, and then shows the new secret, which is gone with the dialog. */
function RotateDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const { t } = useLanguage();
  const rotate = useAct(
    () => create<WebhookEndpointWithSecretJson>(`/v1/webhook-endpoints/${id}/rotate-secret`),
    CHANGED,
  );
  if (rotate.data)
    return (
      <Dialog title={t('New signing secret')} onClose={onClose} wide isHeld>
        <SecretShown secret={rotate.data.secret} name="WEBHOOK_SECRET" onDone={onClose} />
      </Dialog>
    );
  return (
    <Confirm
      title={t('Rotate secret?')}
      action={t('Rotate')}
      busy={rotate.isPending}
      onClose={onClose}
      onConfirm={() => rotate.mutate(undefined)}
    >
      {t('Both secrets stay valid for 24 hours so you can switch without missing events.')}
      <Problem error={rotate.error} />
    </Confirm>
  );
}

function DeleteDialog({ drop, onClose }: { drop: EndpointActions['drop']; onClose: () => void }) {
  const { t } = useLanguage();
  const navigate = useNavigate();
  return (
    <Confirm
      title={t('Delete this endpoint?')}
      action={t('Delete')}
      danger
      busy={drop.isPending}
      onClose={onClose}
      onConfirm={() =>
        drop.mutate(undefined, { onSuccess: () => void navigate({ to: '/webhooks' }), onError: onClose })
      }
    >
      {t('Pending events won’t be delivered.')}
    </Confirm>
  );
}
