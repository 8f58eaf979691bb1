import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { post } from '../lib/api.ts';
import { assetAmount, instant, networkName, shorten } from '../lib/format.ts';
import { useLanguage, useT } from '../lib/i18n.tsx';
import { useAct, useAttention, useList } from '../lib/state.tsx';
import type { TransferJson } from '../lib/types.ts';
import { Badge, Button, Card, Copyable, Empty, Heading, Problem } from '../ui/basic.tsx';
import { Confirm } from '../ui/dialog.tsx';
import { meaningOf, REASONS } from '../ui/status.tsx';
import { Listing } from '../ui/listing.tsx';
import { Cell, Table } from '../ui/table.tsx';
import { Hash } from './payment/hash.tsx';
import { AssignDialog } from './transfers/assign.tsx';

const CHANGED = ['transfers', 'attention', 'payments', 'payment', 'timeline', 'overview'];

export function TransfersView() {
  const { t, locale } = useLanguage();
  const { all } = useSearch({ from: '/shell/transfers' });
  const navigate = useNavigate();
  const list = useList<TransferJson>('transfers', '/v1/transfers', all ? {} : { unattributed: true });
  const handle = useAct((id: string) => post<TransferJson>(`/v1/transfers/${id}/handle`), CHANGED);
  const setAside = new Set(useAttention().data?.set_aside.map(({ id }) => id));
  const release = useAct((id: string) => post<TransferJson>(`/v1/transfers/${id}/release`), CHANGED);
  const [releasing, setReleasing] = useState<TransferJson | null>(null);
  const [assigning, setAssigning] = useState<TransferJson | null>(null);
  return (
    <>
      <Heading
        title={t('Unattributed transfers')}
        below={t(
          'Transfers to your payout wallets that we couldn’t match to a payment. Assign each one to a payment or mark it as handled.',
        )}
      >
        <Button
          aria-pressed={all === true}
          onClick={() => void navigate({ to: '/transfers', search: { all: all ? undefined : true } })}
        >
          {all ? t('Show open only') : t('Show all transfers')}
        </Button>
      </Heading>
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
              heads={[
                t('Amount'),
                t('Reason'),
                t('From'),
                t('Transaction'),
                t('Time'),
                <span key="act" className="sr-only">
                  {t('Actions')}
                </span>,
              ]}
            >
              {list.items.map((transfer) => (
                <tr key={transfer.id}>
                  <Cell className="font-semibold whitespace-nowrap tabular-nums">
                    {assetAmount(transfer.amount, transfer.asset)}{' '}
                    <span className="font-normal text-quiet">· {networkName(transfer.network)}</span>
                  </Cell>
                  <Cell>
                    <Reason transfer={transfer} isSetAside={setAside.has(transfer.id)} />
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
                  <Cell>
                    {transfer.from ? <Copyable text={transfer.from} shown={shorten(transfer.from, 4)} /> : '–'}
                  </Cell>
                  <Cell>
                    <Hash hash={transfer.tx_hash} network={transfer.network} livemode={transfer.livemode} ends={4} />
                  </Cell>
                  <Cell className="text-quiet whitespace-nowrap">{instant(locale, transfer.block_time)}</Cell>
                  <Cell className="text-end whitespace-nowrap">
                    {transfer.held_by_other_account && (
                      <Button onClick={() => setReleasing(transfer)}>{t('Release')}</Button>
                    )}
                    {isOpen(transfer) && (
                      <span className="inline-flex gap-2">
                        <Button onClick={() => setAssigning(transfer)}>{t('Assign')}</Button>
                        <Button
                          kind="quiet"
                          busy={handle.isPending && handle.variables === transfer.id}
                          onClick={() => handle.mutate(transfer.id)}
                        >
                          {t('Mark as handled')}
                        </Button>
                      </span>
                    )}
                  </Cell>
                </tr>
              ))}
            </Table>
          </Listing>
        </Card>
      </div>
      {releasing && (
        <Confirm
          title={t('Release this transfer?')}
          action={t('Release')}
          danger
          busy={release.isPending}
          onClose={() => setReleasing(null)}
          onConfirm={() => release.mutate(releasing.id, { onSettled: () => setReleasing(null) })}
        >
          {t(
            'The other account’s payment loses this money, and its merchant is notified. You can assign the transfer afterwards.',
          )}
        </Confirm>
      )}
      {assigning && <AssignDialog transfer={assigning} onClose={() => setAssigning(null)} />}
    </>
  );
}

function Reason({ transfer, isSetAside }: { transfer: TransferJson; isSetAside: boolean }) {
  const t = useT();
  if (transfer.held_by_other_account) return <Badge tone="warn">{t('Taken by another account')}</Badge>;
  const tone = isOpen(transfer) ? 'warn' : 'neutral';
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
