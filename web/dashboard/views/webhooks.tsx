import { EVENT_TYPES, type EventType } from '@quittance/contract/statuses';
import { Link, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { create } from '../lib/api.ts';
import { useOpenOnLoad } from '../lib/open-on-load.ts';
import { milliseconds, plain } from '../lib/format.ts';
import { useT } from '../lib/i18n.tsx';
import { useAct, useList, useMode } from '../lib/state.tsx';
import type { WebhookEndpointJson, WebhookEndpointWithSecretJson } from '../lib/types.ts';
import { AddButton, Badge, Copyable, Empty, Heading, TextField } from '../ui/basic.tsx';
import { Tick, TickList } from '../ui/choices.tsx';
import { Dialog, FormDialog } from '../ui/dialog.tsx';
import { fieldProblems } from '../ui/field-problems.tsx';
import { SecretShown } from '../ui/secret.tsx';
import { ListCard } from '../ui/listing.tsx';
import { ATTEMPT_ERRORS, meaningOf } from '../ui/status.tsx';
import { Cell, Table } from '../ui/table.tsx';

const USUAL: readonly EventType[] = [
  'payment.paid',
  'payment.failed',
  'payment.expired',
  'payment.refund_required',
  'payment.refunded',
];

export function WebhooksView() {
  const t = useT();
  const { mode } = useMode();
  const list = useList<WebhookEndpointJson>('endpoints', '/v1/webhook-endpoints');
  const [isOpen, setOpen] = useState(false);
  useOpenOnLoad(useSearch({ from: '/shell/webhooks' }).new, () => setOpen(true));
  const add = <AddButton onClick={() => setOpen(true)}>{t('Add endpoint')}</AddButton>;
  return (
    <>
      <Heading title={t('Webhooks')} below={t('Get signed payment events on your server, with automatic retries.')}>
        {add}
      </Heading>
      <ListCard
        list={list}
        empty={
          <Empty title={t('No endpoints yet')} action={add} docs="/docs/guides/webhooks">
            {mode === 'live'
              ? t('An endpoint is an https URL on your server. Try yours in test mode first.')
              : t('An endpoint is an https URL on your server. Test it here before you go live.')}
          </Empty>
        }
      >
        <Table
          label={t('Webhook endpoints')}
          heads={[t('Address'), t('Health'), t('Last 100 deliveries'), t('Avg. response'), t('Pending')]}
        >
          {list.items.map((endpoint) => (
            <tr key={endpoint.id} className="hover:bg-raised/60">
              <Cell className="max-w-96">
                <Link
                  to="/webhooks/$id"
                  params={{ id: endpoint.id }}
                  className="font-medium [overflow-wrap:anywhere] hover:underline"
                >
                  {plain(endpoint.url)}
                </Link>
              </Cell>
              <Cell>
                <HealthBadge endpoint={endpoint} />
              </Cell>
              <Cell className="whitespace-nowrap tabular-nums">
                {t('{good} delivered, {bad} failed', {
                  good: endpoint.delivery_status.recent_delivered,
                  bad: endpoint.delivery_status.recent_failed,
                })}
              </Cell>
              <Cell label={t('Avg. response')} className="tabular-nums">
                {endpoint.delivery_status.average_duration_ms === null
                  ? '–'
                  : milliseconds(endpoint.delivery_status.average_duration_ms)}
              </Cell>
              <Cell label={t('Pending')} className="tabular-nums">
                {endpoint.delivery_status.pending}
              </Cell>
            </tr>
          ))}
        </Table>
      </ListCard>
      {isOpen && <AddEndpoint onClose={() => setOpen(false)} />}
    </>
  );
}

export function HealthBadge({ endpoint }: { endpoint: WebhookEndpointJson }) {
  const t = useT();
  const { last_outcome: outcome, last_response_code: code, last_error: error, pending } = endpoint.delivery_status;
  if (endpoint.status === 'active' && outcome === null) return <Badge>{t('No events sent yet')}</Badge>;
  if (endpoint.status === 'active' && outcome === 'delivered') return <Badge tone="good">{t('Healthy')}</Badge>;
  const cause = code ? t('The endpoint returned {code}', { code }) : error && meaningOf(error, ATTEMPT_ERRORS, t);
  return (
    <span className="inline-flex flex-wrap items-center gap-x-2 gap-y-1">
      {endpoint.status === 'disabled' ? (
        <Badge tone="bad">{t('Disabled')}</Badge>
      ) : (
        <Badge tone="warn">{pending > 0 ? t('Retrying: {count} waiting', { count: pending }) : t('Failing')}</Badge>
      )}
      {cause && (
        <span className="text-sm text-quiet">
          {cause} <bdi>({hostOf(endpoint.url)})</bdi>
        </span>
      )}
    </span>
  );
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : plain(url);
}

function AddEndpoint({ onClose }: { onClose: () => void }) {
  const t = useT();
  const [url, setUrl] = useState('');
  const [events, setEvents] = useState<readonly EventType[]>(USUAL);
  const [isAsymmetric, setAsymmetric] = useState(false);
  const add = useAct(
    () =>
      create<WebhookEndpointWithSecretJson>('/v1/webhook-endpoints', {
        url: url.trim(),
        events,
        ...(isAsymmetric && { asymmetric_signature: true }),
      }),
    ['endpoints', 'onboarding'],
  );
  const { errorOf, otherError } = fieldProblems(add.error, { url: t('Address') });
  if (add.data)
    return (
      <Dialog title={t('Signing secret')} onClose={onClose} wide isHeld>
        {add.data.jwks_url && (
          <p className="mb-4 grid gap-1 text-sm">
            <span className="text-quiet">{t('Public keys (JWKS)')}</span>
            <Copyable text={add.data.jwks_url} />
          </p>
        )}
        <SecretShown secret={add.data.secret} name="WEBHOOK_SECRET" onDone={onClose} snippet />
      </Dialog>
    );
  return (
    <FormDialog
      title={t('Add a webhook endpoint')}
      action={t('Add the endpoint')}
      error={otherError}
      busy={add.isPending}
      disabled={events.length === 0}
      onSubmit={() => add.mutate(undefined)}
      onClose={onClose}
    >
      <TextField
        label={t('Address')}
        type="url"
        required
        value={url}
        error={errorOf('url')}
        onChange={(event) => setUrl(event.target.value)}
        placeholder="https://shop.example.com/webhooks"
      />
      <fieldset className="grid gap-1.5">
        <legend className="mb-1 text-sm font-medium">{t('Events')}</legend>
        <TickList
          values={EVENT_TYPES}
          chosen={events}
          onChange={setEvents}
          show={(event) => <code className="font-mono">{event}</code>}
        />
      </fieldset>
      <Tick checked={isAsymmetric} onChange={setAsymmetric}>
        {t('Also sign with Ed25519 (v1a)')}
      </Tick>
    </FormDialog>
  );
}
