import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { networkName } from '../../../networks/networks.ts';
import { assetAmount, money, plain, shorten } from '../../lib/format.ts';
import { useLanguage } from '../../lib/i18n.tsx';
import { saleOf } from '../../lib/sale.ts';
import type { BusyAddressJson, PaymentJson, PayoutWalletJson, TransferJson } from '../../lib/types.ts';
import { Problem } from '../../ui/basic.tsx';
import { FAILURES, PaymentBadges, REASONS } from '../../ui/status.tsx';
import { Hash } from '../payment/hash.tsx';
import { answerOf, NAMED_TWICE, SENT_TWICE } from '../payment/refund-badge.tsx';
import { type Group, Groups } from './groups.tsx';
import { AMOUNT, Item, WHOLE } from './item.tsx';
import { Onboarding } from './onboarding.tsx';
import { DifferingPayout, PayoutNamedTwice, PayoutsToSend } from './payouts.tsx';
import { RefundItem, RefundsToSend } from './refunds.tsx';
import { undecided } from './undecided.ts';
import { MAX_SHOWN, type Waiting } from './waiting.ts';

const NEW_MS = 7 * 86_400_000;
const MORE = 'ms-auto underline hover:text-ink';

/**
 * What stands above the chart: the first steps, and what needs the merchant. Its file is loaded with the data, which it
 * does not ask for again: Home would wait once more for what has failed.
 */
export default function Above({ waiting }: { waiting: Waiting }) {
  return (
    <>
      <Onboarding />
      <Attention waiting={waiting} />
    </>
  );
}

/** Everything that needs the merchant, the most urgent first. Renders nothing if there is nothing. */
function Attention({ waiting }: { waiting: Waiting }) {
  const { t } = useLanguage();
  const groups: Group[] = [
    {
      name: t('Needs a decision'),
      items: payments(waiting),
      more: waiting.decisions.hasNextPage ? (
        <Link to="/payments" search={{ status: 'refund_required' }} className={MORE}>
          {t('Show all')}
        </Link>
      ) : (
        isCut(waiting.attention.data?.refunds) && (
          <Link to="/refunds" search={{}} className={MORE}>
            {t('Show all')}
          </Link>
        )
      ),
    },
    {
      name: t('May have been sent twice'),
      items: uncounted(waiting),
      more: isCut(waiting.attention.data?.uncounted_refunds) && (
        <Link to="/refunds" search={{ all: true }} className={MORE}>
          {t('Show all')}
        </Link>
      ),
    },
    {
      name: t('Unattributed transfers'),
      items: transfers(waiting),
      more: hasMoreTransfers(waiting) && (
        <Link to="/transfers" className={MORE}>
          {t('Show all')}
        </Link>
      ),
    },
    {
      name: t('Overpaid'),
      items: overpaid(waiting),
      more: false,
      count: waiting.attention.data?.overpaid.length,
    },
    { name: t('Webhooks'), items: endpoints(waiting), more: false },
    { name: t('Payout wallets'), items: wallets(waiting), more: false },
  ].filter(({ items }) => items.length > 0);
  return (
    <>
      <NotListed lists={waiting} />
      {groups.length > 0 && <Groups groups={groups} />}
    </>
  );
}

/** The first list that could not be read. The frame says so of the rest. */
function NotListed({ lists: { decisions, transfers, endpoints, wallets } }: { lists: Waiting }) {
  const failed = [decisions, transfers, endpoints, wallets].find(({ isLoadingError }) => isLoadingError);
  return failed && <Problem error={failed.error} retry={() => void failed.refetch()} />;
}

function payments({ attention, decisions }: Waiting): ReactNode[] {
  const {
    disappeared = [],
    refunds = [],
    planned_refunds: planned = [],
    payouts = [],
    doubtful_payouts: doubtful = [],
  } = attention.data ?? {};
  return [
    ...disappeared.map((payment) => (
      <PaymentItem key={`disappeared ${payment.id}`} payment={payment} at={payment.settlement_alert?.detected_at} />
    )),
    ...undecided(decisions.items, refunds).map((payment) => <PaymentItem key={payment.id} payment={payment} />),
    ...refunds
      .slice(0, MAX_SHOWN)
      .map((refund) => (
        <RefundItem
          key={refund.id}
          refund={refund}
          payment={decisions.items.find(({ id }) => id === refund.payment)}
          {...answerOf(refund)}
        />
      )),
    ...doubtful
      .filter(({ mismatch }) => mismatch !== null)
      .slice(0, MAX_SHOWN)
      .map((payout) => <DifferingPayout key={payout.id} payout={payout} />),
    ...planned.slice(0, 1).map(({ created_at: at }) => <RefundsToSend key="refunds" at={at} count={planned.length} />),
    ...payouts.slice(0, 1).map(({ created_at: at }) => <PayoutsToSend key="payouts" at={at} />),
  ];
}

function uncounted({ attention }: Waiting): ReactNode[] {
  const { uncounted_refunds: refunds = [], doubtful_payouts: doubtful = [] } = attention.data ?? {};
  return [
    ...refunds
      .slice(0, MAX_SHOWN)
      .map((refund) => (
        <RefundItem
          key={refund.id}
          refund={refund}
          reason={refund.status === 'final' ? NAMED_TWICE : SENT_TWICE}
          action="Check"
          hashes={refund.other_tx_hashes}
        />
      )),
    ...doubtful
      .filter(({ mismatch }) => mismatch === null)
      .slice(0, MAX_SHOWN)
      .map((payout) => <PayoutNamedTwice key={payout.id} payout={payout} />),
  ];
}

function transfers({ attention, transfers }: Waiting): ReactNode[] {
  const { set_aside: setAside = [], set_aside_transactions: notStored = [] } = attention.data ?? {};
  const isSetAside = new Set(setAside.map(({ id }) => id));
  return [
    ...setAside
      .slice(0, MAX_SHOWN)
      .map((transfer) => <TransferItem key={transfer.id} transfer={transfer} isSetAside />),
    ...notStored
      .slice(0, MAX_SHOWN)
      .map((transaction) => <NotStored key={`${transaction.network} ${transaction.tx_hash}`} {...transaction} />),
    ...transfers.items
      .filter(({ id, reason }) => reason !== null && !isSetAside.has(id))
      .map((transfer) => <TransferItem key={transfer.id} transfer={transfer} />),
  ];
}

/** One line, because the merchant may also keep what a customer sent too much. */
function overpaid({ attention }: Waiting): ReactNode[] {
  const { overpaid: payments = [] } = attention.data ?? {};
  return payments.length > 0 ? [<Overpaid key="overpaid" payments={payments} />] : [];
}

function Overpaid({ payments }: { payments: PaymentJson[] }) {
  const { t, locale } = useLanguage();
  const [first] = payments;
  const reason = t('Customers sent more than the price. You can refund the surplus.');
  if (payments.length === 1 && first)
    return (
      <Item reason={reason} action={t('Refund surplus')}>
        <Link to="/payments/$id" params={{ id: first.id }} search={{ surplus: true }} className={WHOLE}>
          {t('Overpaid {amount}', { amount: money(locale, first.surplus, first.currency) })} <bdi>{saleOf(first)}</bdi>
        </Link>
      </Item>
    );
  return (
    <Item reason={reason} action={t('Show all')}>
      <Link to="/payments" search={{ balance: 'overpaid' }} className={WHOLE}>
        {t('{count} overpaid payments', { count: payments.length })}
      </Link>
    </Item>
  );
}

function hasMoreTransfers({ attention, transfers }: Waiting): boolean {
  return transfers.hasNextPage || isCut(attention.data?.set_aside);
}

function isCut(list: readonly unknown[] = []): boolean {
  return list.length > MAX_SHOWN;
}

function endpoints({ endpoints }: Waiting): ReactNode[] {
  return endpoints.items
    .filter((endpoint) => endpoint.status === 'disabled' || endpoint.delivery_status.last_outcome === 'failed')
    .map(({ id, url, status }) => <Endpoint key={id} id={id} url={url} isDisabled={status === 'disabled'} />);
}

function wallets({ attention, wallets }: Waiting): ReactNode[] {
  const { busy_addresses: busy = [] } = attention.data ?? {};
  return [
    ...busy.slice(0, MAX_SHOWN).map((address) => <BusyAddress key={`busy ${address.wallet}`} busy={address} />),
    ...wallets.items
      .filter(
        (wallet) =>
          wallet.created_by === 'key' &&
          !wallet.archived &&
          (wallet.waits_for !== null || Date.now() - Date.parse(wallet.created_at) < NEW_MS),
      )
      .map((wallet) => <NewWallet key={wallet.id} wallet={wallet} />),
  ];
}

/** A payment with what arrived for it. `at` is when its transfer disappeared. */
function PaymentItem({ payment, at }: { payment: PaymentJson; at?: string | undefined }) {
  const { t, locale } = useLanguage();
  const reason = at
    ? t('The transfer that paid it disappeared from the blockchain. Wait before you ship.')
    : t(FAILURES[payment.failure_reason ?? ''] ?? 'Accept it or refund it.');
  return (
    <Item
      at={at ?? payment.created_at}
      reason={reason}
      action={t('Decide')}
      amount={
        payment.actual_output &&
        t('Received {amount}', { amount: assetAmount(locale, payment.actual_output, payment.receive_asset) })
      }
    >
      <Link to="/payments/$id" params={{ id: payment.id }} className={WHOLE}>
        <span className={AMOUNT}>{money(locale, payment.amount, payment.currency)}</span> <bdi>{saleOf(payment)}</bdi>
      </Link>{' '}
      <PaymentBadges payment={payment} isUnderStatus={at === undefined} />
    </Item>
  );
}

function TransferItem({ transfer, isSetAside = false }: { transfer: TransferJson; isSetAside?: boolean }) {
  const { t, locale } = useLanguage();
  const reason = isSetAside
    ? t('We could not process this transfer automatically. Assign it to a payment or mark it as handled.')
    : t(REASONS[transfer.reason ?? ''] ?? 'No matching payment');
  return (
    <Item at={transfer.block_time} reason={reason} action={t('Decide')}>
      <Link to="/transfers" className={WHOLE}>
        <span className={AMOUNT}>{assetAmount(locale, transfer.amount, transfer.asset)}</span> ·{' '}
        {networkName(transfer.network)}
        {transfer.order_id && (
          <>
            {' '}
            · <bdi>{plain(transfer.order_id)}</bdi>
          </>
        )}
      </Link>{' '}
      {isSetAside && (
        <span className="relative">
          <Hash hash={transfer.tx_hash} network={transfer.network} livemode={transfer.livemode} ends={4} />
        </span>
      )}
    </Item>
  );
}

function NotStored({
  network,
  tx_hash: hash,
  set_aside_at: at,
}: {
  network: string;
  tx_hash: string;
  set_aside_at: string;
}) {
  const { t } = useLanguage();
  return (
    <Item
      at={at}
      reason={t(
        'We could not store this transaction. Look it up in the explorer and send its hash to the operator of this server.',
      )}
    >
      <span className="font-medium">{networkName(network)}</span>{' '}
      <Hash hash={hash} network={network} livemode ends={4} />
    </Item>
  );
}

function Endpoint({ id, url, isDisabled }: { id: string; url: string; isDisabled: boolean }) {
  const { t } = useLanguage();
  return (
    <Item reason={isDisabled ? t('Disabled after 6 failed attempts') : t('Last attempt failed')} action={t('Check')}>
      <Link to="/webhooks/$id" params={{ id }} className={WHOLE}>
        {plain(url)}
      </Link>
    </Item>
  );
}

function NewWallet({ wallet }: { wallet: PayoutWalletJson }) {
  const { t } = useLanguage();
  const name = plain(wallet.label ?? wallet.address);
  const reason =
    wallet.waits_for === null
      ? t('Added via API in the last 7 days. Archive it if that wasn’t you.')
      : t('Added by a live key. Confirm it before payments can settle to it.');
  return (
    <Item at={wallet.created_at} reason={reason} action={t('Check')}>
      <Link to="/wallets" className={WHOLE}>
        {name}
      </Link>
    </Item>
  );
}

/** An address whose transfers are not all listed, and why. */
function BusyAddress({ busy }: { busy: BusyAddressJson }) {
  const { t } = useLanguage();
  const sentences = [
    ...(busy.skipped > 0 && !busy.proved
      ? [
          t(
            'This address receives more transfers than we list for an unverified wallet. Payments with an exact amount or a reference are found as usual. Verify ownership of the address to list every transfer.',
          ),
        ]
      : []),
    ...(busy.skipped > 0
      ? [t('{count} transfers were not listed in the last 24 hours.', { count: busy.skipped })]
      : []),
    ...(busy.dust > 0
      ? [t('{count} transfers below 0.01 USD were not listed in the last 24 hours.', { count: busy.dust })]
      : []),
  ];
  return (
    <Item reason={sentences.join(' ')}>
      <Link to="/wallets" className="font-medium hover:underline">
        {busy.label === null ? `${shorten(busy.address)} · ${networkName(busy.network)}` : plain(busy.label)}
      </Link>
    </Item>
  );
}
