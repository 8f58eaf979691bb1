import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { post } from '../lib/api.ts';
import { networkName } from '../../networks/networks.ts';
import { assetAmount, instant, shorten } from '../lib/format.ts';
import { useLanguage, useT } from '../lib/i18n.tsx';
import { useAct, useAttention, useList } from '../lib/state.tsx';
import type { TransferJson } from '../lib/types.ts';
import { Badge, Button, Card, Copyable, Empty, Heading, Problem } from '../ui/basic.tsx';
import { Confirm } from '../ui/dialog.tsx';
import { meaningOf, REASONS } from '../ui/status.tsx';
import { Listing } from '../ui/listing.tsx';
import { ActionsHead, Cell, Table } from '../ui/table.tsx';
import { Hash } from './payment/hash.tsx';
import { AssignDialog } from './transfers/assign.tsx';

const CHANGED = ['transfers', 'attention', 'payments', 'payment', 'timeline', 'overview'];

export function TransfersView() {
  const t = useT();
  const { all } = useSearch({ from: '/shell/transfers' });
  const list = useList<TransferJson>('transfers', '/v1/transfers', all ? {} : { unattributed: true });
  const handle = useAct((id: string) => post<TransferJson>(`/v1/transfers/${id}/handle`), CHANGED);
  const setAside = new Set(useAttention().data?.set_aside.map(({ id }) => id));
  const release = useAct((id: string) => post<TransferJson>(`/v1/transfers/${id}/release`), CHANGED);
  const [releasing, setReleasing] = useState<TransferJson | null>(null);
  const [assigning, setAssigning] = useState<TransferJson | null>(null);
  return (
    <>
      <TransfersHeading all={all === true} />
      <div className="grid gap-4">
        <Problem error={handle.error ?? release.error} />
        <Card flush>
          <Listing
            list={list}
            empty={
              <Empty title={t('All caught up')} docs="/docs/guides/unusual-payments">
                {t('Every transfer to your payout wallets is matched to a payment.')}
              </Empty>
            }
          >
            <Table
              label={t('Transfers')}
              heads={[t('Amount'), t('Reason'), t('From'), t('Transaction'), t('Time'), <ActionsHead key="act" />]}
            >
              {list.items.map((transfer) => (
                <TransferRow key={transfer.id} transfer={transfer} isSetAside={setAside.has(transfer.id)}>
                  {transfer.held_by_other_account && (
                    <Button onClick={() => setReleasing(transfer)}>{t('Release')}</Button>
                  )}
                  {isOpen(transfer) && (
                    <OpenTransferActions
                      assign={() => setAssigning(transfer)}
                      handle={() => handle.mutate(transfer.id)}
                      busy={handle.isPending && handle.variables === transfer.id}
                    />
                  )}
                </TransferRow>
              ))}
            </Table>
          </Listing>
        </Card>
      </div>
      {releasing && (
        <ReleaseDialog
          busy={release.isPending}
          onClose={() => setReleasing(null)}
          onConfirm={() => release.mutate(releasing.id, { onSettled: () => setReleasing(null) })}
        />
      )}
      {assigning && <AssignDialog transfer={assigning} onClose={() => setAssigning(null)} />}
    </>
  );
}

/** Says what the list contains, and switches between the open transfers and all of them. */
function TransfersHeading({ all }: { all: boolean }) {
  const t = useT();
  const navigate = useNavigate();
  return (
    <Heading
      title={t('Unattributed transfers')}
      below={t(
        'Transfers to your payout wallets that we couldn’t match to a payment. Assign each one to a payment or mark it as handled.',
      )}
    >
      <Button
        aria-pressed={all}
        onClick={() => void navigate({ to: '/transfers', search: { all: all ? undefined : true } })}
      >
        {all ? t('Show open only') : t('Show all transfers')}
      </Button>
    </Heading>
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
      </Cell>
      <Cell>
        <Reason transfer={transfer} isSetAside={isSetAside} />
        {transfer.payment && (
          <Link
            to="/payments/$id"
            params={{ id: transfer.payment }}
            className="ms-2 inline-block text-accent hover:underline"
          >
            {t('Payment')}
          </Link>
        )}
      </Cell>
      <Cell>{transfer.from ? <Copyable text={transfer.from} shown={shorten(transfer.from, 4)} /> : '–'}</Cell>
      <Cell>
        <Hash hash={transfer.tx_hash} network={transfer.network} livemode={transfer.livemode} ends={4} />
      </Cell>
      <Cell className="text-quiet whitespace-nowrap">{instant(locale, transfer.block_time)}</Cell>
      <Cell className="text-end whitespace-nowrap">{children}</Cell>
    </tr>
  );
}

function OpenTransferActions({ assign, handle, busy }: { assign: () => void; handle: () => void; busy: boolean }) {
  const t = useT();
  return (
    <span className="inline-flex flex-wrap justify-end gap-2">
      <Button onClick={assign}>{t('Assign')}</Button>
      <Button kind="quiet" busy={busy} onClick={handle}>
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
  const tone = isOpen(transfer) ? 'warn' : 'neutral';
  if (!transfer.confirmed && !transfer.payment) return <Badge>{t('Not confirmed by a second provider')}</Badge>;
  if (transfer.reason) return <Badge tone={tone}>{meaningOf(transfer.reason, REASONS, t)}</Badge>;
  if (transfer.payment) return <Badge tone="good">{t('Paid')}</Badge>;
  return isSetAside || transfer.handled_at ? (
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
