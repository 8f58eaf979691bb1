import { type FormEvent, useState } from 'react';
import { post } from '../../lib/api.ts';
import { networkName } from '../../../networks/networks.ts';
import { assetAmount, instant, money } from '../../lib/format.ts';
import { type Language, type Translate, useLanguage } from '../../lib/i18n.tsx';
import { saleOf } from '../../lib/sale.ts';
import { useAct, useRead } from '../../lib/state.tsx';
import type { SuggestedPaymentJson, TransferJson } from '../../lib/types.ts';
import { useDebounced } from '../../lib/debounced.ts';
import { Button, Notice, Problem, Skeleton, TextField } from '../../ui/basic.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { StatusBadge } from '../../ui/status.tsx';

const CHANGED = ['transfers', 'attention', 'payments', 'payment', 'money', 'timeline', 'overview'];

/**
 * Chooses the payment that a transfer was meant for. Nothing is preselected, because a wrong choice pays a stranger's
 * order.
 */
export function AssignDialog({ transfer, onClose }: { transfer: TransferJson; onClose: () => void }) {
  const { t, locale } = useLanguage();
  const [search, setSearch] = useState('');
  const [chosen, setChosen] = useState<string | null>(null);
  const wanted = useDebounced(search.trim());
  const suggested = useRead<SuggestedPaymentJson[]>(
    'transfers',
    `/dashboard/api/transfers/${transfer.id}/suggested-payments`,
    { q: wanted || undefined },
    { keep: true },
  );
  const assign = useAct(() => post<TransferJson>(`/v1/transfers/${transfer.id}/assign`, { payment: chosen }), CHANGED);
  const found = suggested.data ?? [];
  const isChosenShown = found.some(({ payment, accepts }) => accepts && payment.id === chosen);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isChosenShown) assign.mutate(undefined, { onSuccess: onClose });
  };
  return (
    <Dialog title={t('Assign to a payment')} onClose={onClose}>
      <form onSubmit={submit} className="grid gap-4">
        <p className="text-sm text-quiet">
          {t('{amount} will be credited to the selected payment.', {
            amount: assetAmount(locale, transfer.amount, transfer.asset),
          })}
        </p>
        {transfer.named_by.length > 0 && (
          <Notice tone="warn">
            {t(
              'A customer’s page named this transaction. Anyone who knows it can do that: compare the amount and the time, and ask the customer.',
            )}
          </Notice>
        )}
        <TextField
          label={t('Search by order number or payment ID')}
          type="search"
          value={search}
          spellCheck={false}
          autoComplete="off"
          onChange={(event) => setSearch(event.target.value)}
        />
        {suggested.isPending ? (
          <Skeleton />
        ) : suggested.isLoadingError ? (
          <Problem error={suggested.error} retry={() => void suggested.refetch()} />
        ) : (
          <fieldset className="grid gap-1">
            <legend className="mb-1 text-sm text-quiet">{headingOf(found, wanted, t)}</legend>
            {found.map((one) => (
              <Choice
                key={one.payment.id}
                suggestion={one}
                network={transfer.network}
                isChosen={chosen === one.payment.id}
                onChoose={() => setChosen(one.payment.id)}
              />
            ))}
          </fieldset>
        )}
        <Problem error={assign.error} />
        <div className="flex justify-end">
          <Button kind="primary" type="submit" busy={assign.isPending} disabled={!isChosenShown}>
            {t('Assign')}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function headingOf(found: readonly SuggestedPaymentJson[], wanted: string, t: Translate): string {
  if (found.length > 0 && wanted) return t('Results');
  if (found.some(({ accepts }) => accepts)) return t('Payments that fit, best match first');
  return found.some(({ is_named }) => is_named)
    ? t('Named by the transfer')
    : t('No payment fits. Search for its order number.');
}

const CHOICE =
  'flex items-center gap-3 rounded-lg border border-line px-3 py-2 text-sm has-checked:border-accent has-checked:bg-tint';

function Choice({
  suggestion,
  network,
  isChosen,
  onChoose,
}: {
  suggestion: SuggestedPaymentJson;
  /** On which the transfer arrived. */
  network: TransferJson['network'];
  isChosen: boolean;
  onChoose: () => void;
}) {
  const { t, locale } = useLanguage();
  const { payment, accepts } = suggestion;
  return (
    <label className={`${CHOICE} ${accepts ? 'cursor-pointer' : 'text-quiet'}`}>
      <input
        type="radio"
        name="payment"
        value={payment.id}
        checked={isChosen && accepts}
        disabled={!accepts}
        onChange={onChoose}
      />
      <span className="grid flex-1 gap-0.5">
        <span className="flex flex-wrap items-baseline gap-x-3">
          <span className="font-medium tabular-nums">{money(locale, payment.amount, payment.currency)}</span>
          <bdi className="truncate text-quiet">{saleOf(payment)}</bdi>
        </span>
        <span className="text-xs text-quiet">
          {[...whyOf(suggestion, network, { t, locale }), instant(locale, payment.created_at)].join(' · ')}
        </span>
      </span>
      <StatusBadge status={payment.status} />
    </label>
  );
}

/** Why a payment is offered, or why it cannot be chosen. */
function whyOf(
  { payment, accepts, reach, is_named: isNamed, difference }: SuggestedPaymentJson,
  network: TransferJson['network'],
  { t, locale }: Language,
): string[] {
  const names = { network: networkName(payment.receive_network), arrived: networkName(network) };
  const far = payment.receive_network === network ? [] : [farOf(reach, names, t)];
  if (!accepts) return far.length > 0 ? far : [t('Accepts no more transfers')];
  const amount = assetAmount(locale, difference?.replace('-', '') ?? null, payment.receive_asset);
  return [
    ...(isNamed ? [t('Named by the transfer')] : []),
    ...(difference === null ? [] : [differenceOf(difference, amount, t)]),
    ...far,
  ];
}

function differenceOf(difference: string, amount: string, t: Translate): string {
  if (!/[1-9]/.test(difference)) return t('Amount matches');
  return difference.startsWith('-') ? t('{amount} too little', { amount }) : t('{amount} too much', { amount });
}

/** What was found at the address, for a transfer on another network than the payment's. */
function farOf(
  reach: SuggestedPaymentJson['reach'],
  names: { network: string; arrived: string },
  t: Translate,
): string {
  if (reach === 'key')
    return t('Due on {network}. No contract lives at the address there or on {arrived}: its key moves both.', names);
  if (reach === 'proved') return t('Due on {network}. You have verified this address on {arrived}.', names);
  if (reach === 'contract')
    return t(
      'Due on {network}. A contract lives at the address: verify it on {arrived} first, or send it back.',
      names,
    );
  if (reach === 'unknown')
    return t('Due on {network}. What lives at the address could not be looked up. Try again in a minute.', names);
  return t('Due on {network}. Send this transfer back.', names);
}
