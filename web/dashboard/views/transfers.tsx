import { Link, useSearch } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useState } from 'react';
import { post } from '../lib/api.ts';
import { networkName } from '../../networks/networks.ts';
import { assetAmount, instant, plain, shorten } from '../lib/format.ts';
import { useLanguage, useT } from '../lib/i18n.tsx';
import { useAct, useAttention, useList } from '../lib/state.tsx';
import type { TransferJson } from '../lib/types.ts';
import { Badge, Button, Copyable, Empty, Heading, Notice, Problem, TextField } from '../ui/basic.tsx';
import { Confirm } from '../ui/dialog.tsx';
import { meaningOf, REASONS, StatusBadge } from '../ui/status.tsx';
import { ListCard, OpenOrAll } from '../ui/listing.tsx';
import { ActionsHead, Cell, Table } from '../ui/table.tsx';
import { Hash } from './payment/hash.tsx';
import { AssignDialog } from './transfers/assign.tsx';
import { SendBackDialog } from './transfers/send-back.tsx';

const CHANGED = ['transfers', 'attention', 'payments', 'payment', 'money', 'timeline', 'overview'];

export function TransfersView() {
  const t = useT();
  const { all } = useSearch({ from: '/shell/transfers' });
  const list = useList<TransferJson>('transfers', '/v1/transfers', all ? {} : { unattributed: true });
  const [handled, setHandled] = useState<TransferJson | null>(null);
  const handling = useHandling(setHandled);
  const { handle, reopen } = handling;
  const setAside = new Set(useAttention().data?.set_aside.map(({ id }) => id));
  const release = useAct((id: string) => post<TransferJson>(`/v1/transfers/${id}/release`), CHANGED);
  const [releasing, setReleasing] = useState<TransferJson | null>(null);
  const [assigning, setAssigning] = useState<TransferJson | null>(null);
  const [returning, setReturning] = useState<TransferJson | null>(null);
  return (
    <>
      <TransfersHeading all={all === true} />
      <div className="grid gap-4">
        <Problem error={handle.error ?? reopen.error ?? release.error} />
        <div role="status">
          {handled && <MarkedNotice key={handled.id} transfer={handled} undo={() => reopen.mutate(handled.id)} />}
        </div>
        <ListCard
          list={list}
          empty={
            <Empty title={t('All caught up')} docs="/docs/guides/selling-without-code#too-little-too-much-too-late">
              {t('No transfer is open. “All” lists those that belong to a payment or were marked as handled.')}
            </Empty>
          }
        >
          <Table
            label={t('Transfers')}
            heads={[t('Amount'), all ? t('Belongs to') : t('Reason'), t('Transaction'), <ActionsHead key="act" />]}
          >
            {list.items.map((transfer) => (
              <TransferRow key={transfer.id} transfer={transfer} isSetAside={setAside.has(transfer.id)}>
                <RowActions
                  transfer={transfer}
                  handling={handling}
                  assign={() => setAssigning(transfer)}
                  sendBack={() => setReturning(transfer)}
                  release={() => setReleasing(transfer)}
                />
              </TransferRow>
            ))}
          </Table>
        </ListCard>
      </div>
      {releasing && (
        <ReleaseDialog
          busy={release.isPending}
          onClose={() => setReleasing(null)}
          onConfirm={() => release.mutate(releasing.id, { onSettled: () => setReleasing(null) })}
        />
      )}
      {assigning && <AssignDialog transfer={assigning} onClose={() => setAssigning(null)} />}
      {returning && <SendBackDialog transfer={returning} onClose={() => setReturning(null)} />}
    </>
  );
}

/** Marks a transfer as handled and takes the mark away again; passes on what was marked last. */
function useHandling(setHandled: (transfer: TransferJson | null) => void) {
  const handle = useAct(async ({ id, note }: { id: string; note?: string }) => {
    setHandled(await post<TransferJson>(`/v1/transfers/${id}/handle`, note ? { note } : {}));
  }, CHANGED);
  const reopen = useAct(async (id: string) => {
    await post<TransferJson>(`/v1/transfers/${id}/reopen`);
    setHandled(null);
  }, CHANGED);
  return { handle, reopen };
}

/** What was just done, with the way back and a place for a note. */
function MarkedNotice({ transfer, undo }: { transfer: TransferJson; undo: () => void }) {
  const t = useT();
  const [note, setNote] = useState(transfer.handled_note ?? '');
  const [saved, setSaved] = useState(false);
  const { handle } = useHandling(() => setSaved(true));
  const save = (event: FormEvent) => {
    event.preventDefault();
    handle.mutate({ id: transfer.id, note: note.trim() });
  };
  return (
    <Notice tone="good">
      <form onSubmit={save} className="flex flex-wrap items-end gap-3">
        <p className="flex items-center gap-2 py-2">
          {t('Marked as handled.')}
          <button type="button" className="font-medium underline" onClick={undo}>
            {t('Undo')}
          </button>
        </p>
        <TextField
          label={t('Note (optional)')}
          value={note}
          maxLength={280}
          onChange={(event) => {
            setNote(event.target.value);
            setSaved(false);
          }}
        />
        <Button type="submit" busy={handle.isPending} disabled={note.trim() === '' || saved}>
          {saved ? t('Saved') : t('Save')}
        </Button>
      </form>
      <Problem error={handle.error} />
    </Notice>
  );
}

/** Says what the list contains, and switches between the open transfers and all of them. */
function TransfersHeading({ all }: { all: boolean }) {
  const t = useT();
  return (
    <>
      <Heading
        title={t('Transfers')}
        below={
          all
            ? t('All transfers to your payout wallets.')
            : t(
                'Transfers to your payout wallets that we couldn’t match to a payment. Assign each one to a payment or mark it as handled.',
              )
        }
      />
      <OpenOrAll to="/transfers" label={t('Transfers')} open={t('To handle')} all={all} />
    </>
  );
}

/** `children` are the actions of the transfer. */
function TransferRow({
  transfer,
  isSetAside,
  children,
}: {
  transfer: TransferJson;
  isSetAside: boolean;
  children: ReactNode;
}) {
  const { t, locale } = useLanguage();
  return (
    <tr>
      <Cell className="font-semibold whitespace-nowrap tabular-nums">
        {assetAmount(locale, transfer.amount, transfer.asset)}{' '}
        <span className="font-normal text-quiet">· {networkName(transfer.network)}</span>
        <span className="block text-xs font-normal text-quiet">{instant(locale, transfer.block_time)}</span>
      </Cell>
      <Cell>
        <Reason transfer={transfer} isSetAside={isSetAside} />
        {transfer.payment && (
          <Link
            to="/payments/$id"
            params={{ id: transfer.payment }}
            className="ms-2 inline-block text-accent hover:underline"
          >
            {transfer.order_id ? <bdi>{plain(transfer.order_id)}</bdi> : t('Payment')}
          </Link>
        )}
        {transfer.named_by.length > 0 && (
          <span className="mt-1 block text-xs text-quiet">
            {t('Named by the customer of:')}{' '}
            {transfer.named_by.map(({ payment, order_id: order }) => (
              <Link
                key={payment}
                to="/payments/$id"
                params={{ id: payment }}
                className="me-2 inline-block text-accent hover:underline"
              >
                {order ? <bdi>{plain(order)}</bdi> : t('Payment')}
              </Link>
            ))}
          </span>
        )}
        {transfer.handled_note && (
          <bdi className="mt-1 block max-w-60 text-xs text-quiet [overflow-wrap:anywhere]">
            {plain(transfer.handled_note)}
          </bdi>
        )}
      </Cell>
      <Cell className="whitespace-nowrap">
        <Hash hash={transfer.tx_hash} network={transfer.network} livemode={transfer.livemode} ends={4} />
        {transfer.from && (
          <span className="block text-xs text-quiet">
            {t('From')} <Copyable text={transfer.from} shown={shorten(transfer.from, 4)} />
          </span>
        )}
      </Cell>
      <Cell className="text-end whitespace-nowrap">{children}</Cell>
    </tr>
  );
}

/** What the merchant can decide about a transfer now. */
function RowActions({
  transfer,
  handling: { handle, reopen },
  assign,
  sendBack,
  release,
}: {
  transfer: TransferJson;
  handling: ReturnType<typeof useHandling>;
  assign: () => void;
  sendBack: () => void;
  release: () => void;
}) {
  const t = useT();
  const { id } = transfer;
  if (transfer.held_by_other_account) return <Button onClick={release}>{t('Release')}</Button>;
  if (isHandled(transfer))
    return (
      <Button kind="quiet" busy={reopen.isPending && reopen.variables === id} onClick={() => reopen.mutate(id)}>
        {t('Reopen')}
      </Button>
    );
  if (!isOpen(transfer)) return null;
  return (
    <span className="inline-flex flex-wrap justify-end gap-2">
      {/* What a single provider says may never have arrived. First, so that what each row has stands in columns. */}
      {transfer.confirmed && <Button onClick={sendBack}>{t('Send back')}</Button>}
      <Button onClick={assign}>{t('Assign')}</Button>
      <Button kind="quiet" busy={handle.isPending && handle.variables.id === id} onClick={() => handle.mutate({ id })}>
        {t('Mark as handled')}
      </Button>
    </span>
  );
}

function ReleaseDialog({ busy, onClose, onConfirm }: { busy: boolean; onClose: () => void; onConfirm: () => void }) {
  const t = useT();
  return (
    <Confirm
      title={t('Release this transfer?')}
      action={t('Release')}
      danger
      busy={busy}
      onClose={onClose}
      onConfirm={onConfirm}
    >
      {t(
        'The other account’s payment loses this money, and its merchant is notified. You can assign the transfer afterwards.',
      )}
    </Confirm>
  );
}

function Reason({ transfer, isSetAside }: { transfer: TransferJson; isSetAside: boolean }) {
  const t = useT();
  if (transfer.held_by_other_account) return <Badge tone="warn">{t('Taken by another account')}</Badge>;
  if (isHandled(transfer)) return <Badge>{t('Handled')}</Badge>;
  const tone = isOpen(transfer) ? 'warn' : 'neutral';
  if (!transfer.confirmed && !transfer.payment) return <Badge>{t('Not confirmed by a second provider')}</Badge>;
  if (transfer.reason) return <Badge tone={tone}>{meaningOf(transfer.reason, REASONS, t)}</Badge>;
  // The money of a payment that is pending or needs a decision is not called paid.
  if (transfer.payment_status) return <StatusBadge status={transfer.payment_status} />;
  return isSetAside ? (
    <Badge tone={tone}>{t('Not processed automatically')}</Badge>
  ) : (
    <Badge>{t('Being processed')}</Badge>
  );
}

/** No payment has it and it is not handled. A transfer without a reason and a payment has not been attributed yet. */
function isOpen(transfer: TransferJson): boolean {
  return (
    !transfer.held_by_other_account &&
    transfer.handled_at === null &&
    (transfer.reason !== null || transfer.payment === null)
  );
}

/** A person has decided about it, and no payment has it. */
function isHandled(transfer: TransferJson): boolean {
  return transfer.handled_at !== null && (transfer.reason !== null || transfer.payment === null);
}
