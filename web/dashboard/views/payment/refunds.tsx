import { toCents } from '@quittance/contract/cents';
import type { UseMutationResult } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { networkName } from '../../../networks/networks.ts';
import { post } from '../../lib/api.ts';
import { assetAmount, exactInstant, money, plain, shorten } from '../../lib/format.ts';
import { useLanguage } from '../../lib/i18n.tsx';
import { useAct, useRead } from '../../lib/state.tsx';
import type { PaymentJson, RefundJson } from '../../lib/types.ts';
import { Button, Card, Copyable, Facts, Notice, Problem, Skeleton } from '../../ui/basic.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { LinkState, NextStep, type Opening, type Reporting, useReport } from './asked-refund.tsx';
import { Hash } from './hash.tsx';
import { CHANGED } from './record-refund.tsx';
import { RefundBadge, SENT_TWICE } from './refund-badge.tsx';

/** The refunds of a payment, newest first. */
export function useRefunds(payment: string) {
  return useRead<RefundJson[]>(
    'refunds',
    `/v1/payments/${payment}/refunds`,
    { limit: '100' },
    { again: (refunds) => refunds.some(({ status }) => status === 'sent') },
  );
}

/** The refunds of a payment, newest first, with what each of them waits for. */
export function Refunds({
  payment,
  onDecided,
  opened,
  open,
}: {
  payment: PaymentJson;
  onDecided: () => void;
  /** The refund whose dialog is open, by its id. */
  opened: string | null;
  open: (refund: string | null) => void;
}) {
  const { t } = useLanguage();
  const read = useRefunds(payment.id);
  // The sum and the status of the payment follow from what became of its refunds. It may have been read before that.
  const fates = read.data?.map(({ status }) => status).join(' ');
  const sum = (read.data ?? []).reduce(
    (sum, { status, amount }) => sum + (status === 'final' ? toCents(amount) : 0n),
    0n,
  );
  const isBehind = sum !== toCents(payment.refunded_amount);
  const known = useRef<string>(undefined);
  useEffect(() => {
    if (fates !== undefined && (known.current === undefined ? isBehind : known.current !== fates)) onDecided();
    known.current = fates;
  });
  if (read.isPending) return <Skeleton />;
  return (
    <Card title={t('Refunds')}>
      <Problem error={read.isLoadingError && read.error} retry={() => void read.refetch()} />
      <ul className="divide-y divide-line">
        {(read.data ?? []).map((refund) => (
          <li key={refund.id} className="py-3 first:pt-0 last:pb-0">
            <OneRefund
              payment={payment}
              refund={refund}
              isOpened={opened === refund.id}
              open={(isOpen) => open(isOpen ? refund.id : null)}
            />
          </li>
        ))}
      </ul>
    </Card>
  );
}

function OneRefund({ payment, refund, ...opening }: { payment: PaymentJson; refund: RefundJson } & Opening) {
  const { t, locale } = useLanguage();
  const cancel = useAct<void, RefundJson>(() => post<RefundJson>(`/v1/refunds/${refund.id}/cancel`), CHANGED);
  // Here, because a refund that is cancelled while a wallet has it is not offered to be sent any more.
  const reporting = useReport(refund.id);
  const isOpen = refund.status === 'planned' || refund.status === 'requested' || refund.mismatch !== null;
  return (
    <div className="grid gap-2">
      <p className="flex flex-wrap items-center gap-2">
        <strong className="tabular-nums">{money(locale, refund.amount, refund.currency)}</strong>
        <RefundBadge refund={refund} />
      </p>
      {refund.mismatch && (
        <Notice tone="warn">
          <Mismatch refund={refund} />
        </Notice>
      )}
      {refund.status === 'cancelled' && refund.tx_hash && !refund.mismatch && (
        <Uncounted hash={refund.tx_hash} reporting={reporting} />
      )}
      <Facts
        facts={[
          [t('Amount'), `${assetAmount(locale, refund.coin_amount, refund.asset)} · ${networkName(refund.network)}`],
          ...(refund.to
            ? [
                [
                  refund.tx_hash ? t('Sent to') : t('Address'),
                  <Copyable key="to" text={refund.to} shown={shorten(refund.to)} />,
                ] as const,
              ]
            : []),
          ...(refund.tx_hash
            ? [
                [
                  t('Transaction'),
                  <Hash
                    key="hash"
                    hash={refund.tx_hash}
                    network={refund.network as PaymentJson['receive_network']}
                    livemode={refund.livemode}
                  />,
                ] as const,
              ]
            : []),
          ...(refund.reason ? [[t('Reason'), <bdi key="why">{plain(refund.reason)}</bdi>] as const] : []),
          [t('Created'), exactInstant(locale, refund.created_at)],
        ]}
      />
      {refund.link && <LinkState refund={refund} link={refund.link} />}
      {isOpen && (
        <div className="flex flex-wrap gap-2">
          <NextStep payment={payment} refund={refund} reporting={reporting} {...opening} />
          <CancelRefund refund={refund} cancel={cancel} />
        </div>
      )}
      <Problem error={cancel.error} />
    </div>
  );
}

/** Asks first, because the customer's answer is lost with the refund. */
function CancelRefund({ refund, cancel }: { refund: RefundJson; cancel: UseMutationResult<RefundJson, Error, void> }) {
  const { t } = useLanguage();
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <>
      <Button busy={cancel.isPending} onClick={() => setOpen(true)}>
        {t('Cancel this refund')}
      </Button>
      {isOpen && (
        <Confirm
          title={t('Cancel this refund?')}
          action={t('Cancel this refund')}
          dismiss={t('Back')}
          danger
          busy={cancel.isPending}
          onClose={close}
          onConfirm={() => cancel.mutate(undefined, { onSettled: close })}
        >
          {refund.mismatch ? (
            <Mismatch refund={refund} />
          ) : (
            t('If the customer should still get this refund, plan it again or send them a new link.')
          )}
        </Confirm>
      )}
    </>
  );
}

/** A wallet sent it after it had ended. It counts once its money belongs to no other refund. */
function Uncounted({ hash, reporting: { report, name } }: { hash: string; reporting: Reporting }) {
  const { t } = useLanguage();
  return (
    <Notice tone="warn">
      <p className="mb-2">{t(SENT_TWICE)}</p>
      <Button busy={report.isPending} onClick={() => name(hash)}>
        {t('Count it as sent')}
      </Button>
      {report.data?.status === 'cancelled' && <p className="mt-2">{t('Its money still belongs to other refunds.')}</p>}
      <Problem error={report.error} />
    </Notice>
  );
}

/** The transaction is on the chain and is not this refund, so it does not count as it. */
function Mismatch({ refund: { mismatch, asset, coin_amount: amount } }: { refund: RefundJson }) {
  const { t, locale } = useLanguage();
  if (mismatch?.asset === asset && mismatch.coin_amount === amount)
    return t(
      'The transaction sent this amount, but it can’t count for this refund: it counts for another one, is older than the payment, or came from a wallet that another account has proved. Look at your wallet before you cancel this refund and send it again.',
    );
  return mismatch?.asset && mismatch.coin_amount !== null
    ? t('The transaction sent {amount} instead. Cancel this refund and record the amount that you sent.', {
        amount: assetAmount(locale, mismatch.coin_amount, mismatch.asset),
      })
    : t('The transaction sent nothing to this address. Check where it went, then cancel this refund.');
}
