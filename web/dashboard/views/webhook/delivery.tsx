import { Link } from '@tanstack/react-router';
import { post } from '../../lib/api.ts';
import { exactInstant, milliseconds, plain, shorten } from '../../lib/format.ts';
import { useLanguage } from '../../lib/i18n.tsx';
import { useAct, useRead } from '../../lib/state.tsx';
import type { SignedDeliveryJson, WebhookDeliveryDetailJson, WebhookDeliveryJson } from '../../lib/types.ts';
import { Badge, Button, Copyable, Problem, Skeleton } from '../../ui/basic.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ATTEMPT_ERRORS, meaningOf } from '../../ui/status.tsx';

type Attempt = WebhookDeliveryDetailJson['attempts'][number];
type SignedHeaders = SignedDeliveryJson['attempts'][number]['headers'];

/** One delivery with each of its attempts, and the signature that a receiver should compute. */
export function DeliveryPanel({ id, onClose }: { id: string; onClose: () => void }) {
  const { t } = useLanguage();
  const read = useRead<WebhookDeliveryDetailJson>(
    'deliveries',
    `/v1/webhook-deliveries/${id}`,
    {},
    { again: ({ status }) => status === 'pending' },
  );
  const signed = useRead<SignedDeliveryJson>(
    'signed',
    `/dashboard/api/deliveries/${id}/signed`,
    { attempts: read.data?.attempts.length },
    { enabled: read.data !== undefined, keep: true },
  );
  const again = useAct(
    () => post<WebhookDeliveryJson>(`/v1/webhook-deliveries/${id}/redeliver`),
    ['deliveries', 'endpoints'],
  );
  const payment = /"data":\{"id":"(pay_[0-9A-Za-z]{24})"/.exec(signed.data?.body ?? '')?.[1];
  return (
    <Dialog title={read.data?.event_type ?? t('Delivery')} onClose={onClose} side>
      {read.isPending ? (
        <Skeleton />
      ) : read.isLoadingError ? (
        <Problem error={read.error} />
      ) : (
        <div className="grid gap-5">
          <div className="flex flex-wrap items-center justify-between gap-3 text-sm">
            <Copyable text={read.data.event_id} shown={shorten(read.data.event_id)} />
            <span className="flex gap-2">
              {payment && (
                <Link to="/payments/$id" params={{ id: payment }} className="self-center text-accent hover:underline">
                  {t('Payment')}
                </Link>
              )}
              <Button busy={again.isPending} onClick={() => again.mutate(undefined)}>
                {t('Redeliver')}
              </Button>
            </span>
          </div>
          <Problem error={again.error} />
          <ol className="grid gap-3">
            {read.data.attempts.length === 0 && <li className="text-sm text-quiet">{t('No attempts yet.')}</li>}
            {[...read.data.attempts].reverse().map((attempt) => (
              <AttemptItem
                key={attempt.id}
                attempt={attempt}
                headers={signed.data?.attempts.find((one) => one.id === attempt.id)?.headers}
              />
            ))}
          </ol>
          {signed.data && (
            <details className="text-xs" open>
              <summary className="w-fit text-sm font-medium">{t('Raw body')}</summary>
              <CodeBlock
                className="mt-2 max-h-96 whitespace-pre-wrap [overflow-wrap:anywhere]"
                text={signed.data.body}
              />
            </details>
          )}
        </div>
      )}
    </Dialog>
  );
}

/** What the endpoint returned to one attempt. `headers` are what a receiver should compute for it. */
function AttemptItem({ attempt, headers }: { attempt: Attempt; headers: SignedHeaders | undefined }) {
  const { t, locale } = useLanguage();
  return (
    <li className="grid gap-2 rounded-xl border border-line p-4 text-sm">
      <div className="flex flex-wrap items-center gap-2">
        <Badge tone={attempt.outcome === 'delivered' ? 'good' : 'bad'}>
          {attempt.response_code ?? t('no response')}
        </Badge>
        <span className="font-medium">
          {attempt.kind === 'manual' ? t('Manual') : t('Attempt {number}', { number: attempt.number })}
        </span>
        <span className="text-quiet">
          {exactInstant(locale, attempt.attempted_at)} · {milliseconds(attempt.duration_ms)}
        </span>
      </div>
      {attempt.error && <p className="text-bad">{meaningOf(attempt.error, ATTEMPT_ERRORS, t)}</p>}
      {attempt.response_body && (
        <CodeBlock
          className="max-h-40 whitespace-pre-wrap [overflow-wrap:anywhere]"
          text={plain(attempt.response_body)}
        />
      )}
      {headers && <RecomputedSignature headers={headers} />}
    </li>
  );
}

function RecomputedSignature({ headers }: { headers: SignedHeaders }) {
  const { t } = useLanguage();
  return (
    <details className="text-xs">
      <summary className="w-fit text-quiet hover:text-ink">{t('Recomputed signature')}</summary>
      <dl className="mt-2 grid gap-1.5 rounded-lg bg-raised p-3 font-mono">
        {Object.entries(headers).map(([name, value]) => (
          <div key={name}>
            <dt className="text-quiet">{name}</dt>
            <dd>
              <Copyable text={value} />
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
