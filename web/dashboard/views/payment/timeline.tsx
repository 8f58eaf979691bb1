import { providerName } from '@quittance/contract/route-providers';
import { useState } from 'react';
import { networkName } from '../../../networks/networks.ts';
import { assetAmount, exactInstant } from '../../lib/format.ts';
import { type Language, type MessageKey, type Translate, useLanguage } from '../../lib/i18n.tsx';
import { useAgo } from '../../lib/state.tsx';
import type { PaymentJson, TimelineEntryJson } from '../../lib/types.ts';
import { When, pressableClass } from '../../ui/basic.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { meaningOf, REASONS, STATUS_NAMES } from '../../ui/status.tsx';
import { Hash } from './hash.tsx';

const DOTS: Record<TimelineEntryJson['type'], string> = {
  status: 'bg-accent',
  target: 'bg-line',
  transfer: 'bg-good',
  quote: 'bg-routed',
  webhook: 'bg-line',
  refund: 'bg-warn',
};

const FILTERS = [
  { key: 'money', name: 'Money' },
  { key: 'webhooks', name: 'Webhooks' },
  { key: 'all', name: 'All' },
] as const;
type Filter = (typeof FILTERS)[number]['key'];

/** What happened, newest last, each with its evidence one click away: the money first, deliveries on demand. */
export function Timeline({ entries, payment }: { entries: readonly TimelineEntryJson[]; payment: PaymentJson }) {
  const { t } = useLanguage();
  const [filter, setFilter] = useState<Filter>('money');
  const shown = entries.filter(({ type }) => filter === 'all' || (type === 'webhook') === (filter === 'webhooks'));
  return (
    <>
      <fieldset className="mb-4 flex flex-wrap gap-1" aria-label={t('Show')}>
        {FILTERS.map(({ key, name }) => (
          <button
            key={key}
            type="button"
            aria-pressed={filter === key}
            onClick={() => setFilter(key)}
            className={`${pressableClass} py-1 text-quiet`}
          >
            {t(name)}
          </button>
        ))}
      </fieldset>
      {shown.length === 0 ? (
        <p className="text-sm text-quiet">{t('Nothing yet')}</p>
      ) : (
        <Entries entries={shown} payment={payment} />
      )}
    </>
  );
}

function Entries({ entries, payment }: { entries: readonly TimelineEntryJson[]; payment: PaymentJson }) {
  const { t, locale } = useLanguage();
  const agoOf = useAgo();
  return (
    <ol className="relative ms-1.5 border-s border-line">
      {entries.map((entry, at) => {
        const failed = entry.type === 'webhook' && entry.data.outcome === 'failed';
        const isPaid = entry.type === 'status' && entry.data.status === 'paid';
        const dot = failed ? 'bg-bad' : isPaid ? 'bg-good' : DOTS[entry.type];
        const hash = typeof entry.data.tx_hash === 'string' ? entry.data.tx_hash : null;
        return (
          <li key={at} className="relative pb-5 ps-5 last:pb-0">
            <span className={`absolute -start-[5px] top-1.5 size-2.5 rounded-full ring-4 ring-surface ${dot}`} />
            <p className={`text-sm ${entry.type === 'status' ? 'font-semibold' : ''}`}>
              {sentenceOf(entry, { t, locale })}
            </p>
            {noteOf(entry, t) && <p className="text-sm text-quiet">{noteOf(entry, t)}</p>}
            <p className="text-xs text-quiet">
              <When at={entry.at}>{[agoOf(entry.at), exactInstant(locale, entry.at)].filter(Boolean).join(' · ')}</When>
            </p>
            {hash && (
              <p className="mt-1 text-sm">
                <Hash hash={hash} network={payment.receive_network} livemode={payment.livemode} />
              </p>
            )}
            {Object.keys(entry.data).length > 0 && (
              <details className="mt-1 text-xs">
                <summary className="w-fit text-quiet hover:text-ink">{t('View details')}</summary>
                <CodeBlock
                  className="mt-1.5 whitespace-pre-wrap [overflow-wrap:anywhere]"
                  text={JSON.stringify(entry.data, null, 2)}
                />
              </details>
            )}
          </li>
        );
      })}
    </ol>
  );
}

function sentenceOf({ type, data, summary }: TimelineEntryJson, { t, locale }: Language): string {
  const text = (name: string) => String(data[name] ?? '');
  switch (type) {
    case 'status':
      return meaningOf(text('status'), STATUS_NAMES, t);
    case 'target':
      return t('The customer was asked for {amount} on {network}', {
        amount: assetAmount(locale, text('amount'), text('asset')),
        network: networkName(text('network')),
      });
    case 'webhook':
      return data.outcome === 'delivered'
        ? t('{event} delivered, response {code}', { event: text('type'), code: text('response_code') })
        : t('{event} failed on attempt {attempt} ({code})', {
            event: text('type'),
            attempt: text('attempt'),
            code: data.response_code === null ? t('no response') : text('response_code'),
          });
    case 'refund':
      if (data.status === 'final' && data.tx_hash) return t('A refund arrived');
      return t(REFUNDS[text('status')] ?? 'A refund was recorded');
    case 'transfer': {
      const amount = assetAmount(locale, text('amount'), text('asset'));
      if (data.status === 'dropped' || data.goneAfterFinal !== undefined)
        return t('{amount} was removed by a chain reorganization', { amount });
      return data.rule === null && data.reason
        ? t('{amount} not counted: {reason}', { amount, reason: meaningOf(text('reason'), REASONS, t) })
        : t('Received {amount}', { amount });
    }
    case 'quote':
      return t('{provider} quoted a conversion of {amount}', {
        provider: providerName(text('provider')),
        amount: assetAmount(locale, text('amount'), text('asset')),
      });
    default:
      return summary;
  }
}

/** Why a transfer waits, that the merchant accepted it, or that only one of two RPC providers could be asked. */
function noteOf({ data }: TimelineEntryJson, t: Translate): string | null {
  const single = data.singleProvider as { provider: string; unreachable: Record<string, string> } | undefined;
  if (single)
    return t('Verified by {provider} only: every call to {others} failed for at least ten minutes', {
      provider: single.provider,
      others: Object.keys(single.unreachable).join(', '),
    });
  if (data.acceptedBy !== undefined) return t('You accepted it as it was.');
  return data.status === 'seen' && data.waitingSince ? t('Waiting for more RPC providers to verify it') : null;
}

const REFUNDS: Record<string, MessageKey> = {
  requested: 'Refund link created',
  planned: 'A refund was planned',
  sent: 'A refund was sent',
  failed: 'A refund failed: no money moved',
  cancelled: 'A refund was cancelled',
};
