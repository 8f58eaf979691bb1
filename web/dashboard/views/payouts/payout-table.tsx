import { type ReactNode, useState } from 'react';
import { networkName } from '../../../networks/networks.ts';
import { ApiError, post } from '../../lib/api.ts';
import { assetAmount, instant, shorten } from '../../lib/format.ts';
import { type MessageKey, useLanguage, useT } from '../../lib/i18n.tsx';
import { useAct } from '../../lib/state.tsx';
import type { PayoutJson, PayoutStatus } from '../../lib/types.ts';
import { Badge, Button, Copyable, Facts, Notice, Problem, TextField } from '../../ui/basic.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { fieldProblems } from '../../ui/field-problems.tsx';
import { ActionsHead, Cell, Table } from '../../ui/table.tsx';
import { Hash } from '../payment/hash.tsx';
import { NAMED_TWICE } from '../payment/refund-badge.tsx';

/** The lists that a change of payouts changes. */
export const PAYOUTS_CHANGED = ['payouts', 'attention'];

const STATES: Record<PayoutStatus, readonly [name: MessageKey, tone: 'neutral' | 'accent' | 'good' | 'bad']> = {
  planned: ['Planned', 'neutral'],
  sent: ['Sent', 'accent'],
  final: ['Arrived', 'good'],
  failed: ['Failed', 'bad'],
  cancelled: ['Cancelled', 'neutral'],
};

function PayoutBadge({ payout }: { payout: PayoutJson }) {
  const t = useT();
  const [name, tone] = STATES[payout.status];
  if (payout.status === 'final' && payout.other_tx_hashes.length > 0)
    return <Badge tone="bad">{t('May have been sent twice')}</Badge>;
  return <Badge tone={payout.mismatch ? 'bad' : tone}>{payout.mismatch ? t('Differs') : t(name)}</Badge>;
}

/** `state` stands in place of the status. An address that is still to be sent to is shown in full: it can be imitated. */
export function PayoutTable({
  label,
  payouts,
  state,
}: {
  label: string;
  payouts: readonly PayoutJson[];
  state?: (payout: PayoutJson) => ReactNode;
}) {
  const { t, locale } = useLanguage();
  const [shown, setShown] = useState<string | null>(null);
  const open = payouts.find(({ id }) => id === shown);
  return (
    <>
      <Table
        label={label}
        heads={[t('Amount'), t('Address'), t('Note'), t('Status'), t('Created'), <ActionsHead key="actions" />]}
      >
        {payouts.map((payout) => (
          <tr key={payout.id}>
            <Cell className="whitespace-nowrap tabular-nums">
              <strong>{assetAmount(locale, payout.amount, payout.asset)}</strong>
              {!state && <span className="text-quiet"> · {networkName(payout.network)}</span>}
            </Cell>
            <Cell>
              <Copyable text={payout.to} {...(!state && { shown: shorten(payout.to) })} />
            </Cell>
            <Cell className="max-w-56 [overflow-wrap:anywhere]">
              <bdi>{payout.note ?? ''}</bdi>
            </Cell>
            <Cell>{state?.(payout) ?? <PayoutBadge payout={payout} />}</Cell>
            <Cell className="text-quiet whitespace-nowrap">{instant(locale, payout.created_at)}</Cell>
            <Cell>
              <Button kind="quiet" onClick={() => setShown(payout.id)}>
                {t('Details')}
              </Button>
            </Cell>
          </tr>
        ))}
      </Table>
      {open && <PayoutDialog payout={open} onClose={() => setShown(null)} />}
    </>
  );
}

/** What is known of a payout. The merchant may name its transaction, or cancel what was not sent. */
function PayoutDialog({ payout, onClose }: { payout: PayoutJson; onClose: () => void }) {
  const { t, locale } = useLanguage();
  const [hash, setHash] = useState('');
  const ids = { payouts: [payout.id] };
  const options = { onSuccess: onClose };
  const report = useAct(() => post('/dashboard/api/payouts/sent', { ...ids, tx_hash: hash.trim() }), PAYOUTS_CHANGED);
  const cancel = useAct(
    (isTakenOver: boolean) =>
      post('/dashboard/api/payouts/cancel', { ...ids, ...(isTakenOver && { take_over: true }) }),
    PAYOUTS_CHANGED,
  );
  const isHeld = cancel.error instanceof ApiError && cancel.error.param === 'take_over';
  const { errorOf, otherError } = fieldProblems(report.error, { tx_hash: t('Transaction') });
  const { id, status, mismatch, asset, network, livemode, tx_hash: sent } = payout;
  return (
    <Dialog title={t('Payout')} onClose={onClose} wide>
      <div className="grid gap-4">
        <Facts
          facts={
            [
              [t('Amount'), `${assetAmount(locale, payout.amount, asset)} · ${networkName(network)}`],
              [t('Address'), <Copyable key="to" text={payout.to} />],
              [t('Status'), <PayoutBadge key="status" payout={payout} />],
              ...(sent
                ? [[t('Transaction'), <Hash key="tx" hash={sent} network={network} livemode={livemode} />]]
                : []),
              ['ID', <Copyable key="id" text={id} />],
            ] as [string, ReactNode][]
          }
        />
        <Difference payout={payout} />
        {status !== 'final' && livemode && (
          <TextField
            label={t('Transaction')}
            hint={t('If you sent it elsewhere, or if its transaction was replaced.')}
            value={hash}
            error={errorOf('tx_hash')}
            spellCheck={false}
            onChange={(event) => setHash(event.target.value)}
          />
        )}
        {isHeld && <HeldByWallet busy={cancel.isPending} onConfirm={() => cancel.mutate(true, options)} />}
        <Problem error={otherError ?? (isHeld ? null : cancel.error)} />
        <div className="flex justify-between gap-2 border-t border-line pt-4">
          {status === 'planned' || mismatch ? (
            <Button kind="danger" busy={cancel.isPending} onClick={() => cancel.mutate(false, options)}>
              {t('Cancel this payout')}
            </Button>
          ) : (
            <span />
          )}
          {status !== 'final' && livemode && (
            <Button
              kind="primary"
              busy={report.isPending}
              disabled={hash.trim() === ''}
              onClick={() => report.mutate(undefined, options)}
            >
              {t('I’ve sent it')}
            </Button>
          )}
        </div>
      </div>
    </Dialog>
  );
}

/** The merchant knows whether that wallet has sent it, or will. */
function HeldByWallet({ busy, onConfirm }: { busy: boolean; onConfirm: () => void }) {
  const t = useT();
  return (
    <Notice tone="warn">
      <p className="mb-2">{t('A wallet was asked for this payout and may still send it. Look there first.')}</p>
      <Button busy={busy} onClick={onConfirm}>
        {t('It wasn’t sent: cancel')}
      </Button>
    </Notice>
  );
}

/** What its transaction sent instead, or which others may have sent it as well. */
function Difference({
  payout: { mismatch, status, other_tx_hashes: others, network, livemode },
}: {
  payout: PayoutJson;
}) {
  const { t, locale } = useLanguage();
  if (status === 'final' && others.length > 0)
    return (
      <Notice tone="warn">
        {t(NAMED_TWICE)}{' '}
        {others.map((hash) => (
          <Hash key={hash} hash={hash} network={network} livemode={livemode} />
        ))}
      </Notice>
    );
  if (!mismatch) return null;
  return (
    <Notice tone="warn">
      {mismatch.asset === null
        ? t('The transaction sent nothing to this address. Name the right one, or cancel this payout.')
        : t('The transaction sent {amount} to this address, which isn’t this payout, or counts for another one.', {
            amount: assetAmount(locale, mismatch.coin_amount, mismatch.asset),
          })}
    </Notice>
  );
}
