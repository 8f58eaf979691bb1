import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ago, assetAmount, money, networkName, plain, shorten } from '../../lib/format.ts';
import { useLanguage } from '../../lib/i18n.tsx';
import { useAttention, useList } from '../../lib/state.tsx';
import type {
  BusyAddressJson,
  PaymentJson,
  PayoutWalletJson,
  TransferJson,
  WebhookEndpointJson,
} from '../../lib/types.ts';
import { Badge, Card, Problem, When } from '../../ui/basic.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Hash } from '../payment/hash.tsx';
import { FAILURES, REASONS } from '../../ui/status.tsx';

const NEW_MS = 7 * 86_400_000;
const MAX_SHOWN = 5;

/** Everything that could need the merchant. */
export function useWaiting() {
  const attention = useAttention();
  const decisions = useList<PaymentJson>('payments', '/v1/payments', { status: 'refund_required', limit: MAX_SHOWN });
  const transfers = useList<TransferJson>('transfers', '/v1/transfers', { unattributed: true, limit: MAX_SHOWN });
  const endpoints = useList<WebhookEndpointJson>('endpoints', '/v1/webhook-endpoints');
  const wallets = useList<PayoutWalletJson>('wallets', '/v1/payout-wallets');
  return { attention, decisions, transfers, endpoints, wallets };
}

/** Everything that needs the merchant. Renders nothing if the list is empty. */
export function Attention() {
  const { t } = useLanguage();
  const { attention, decisions, transfers, endpoints, wallets } = useWaiting();
  const {
    disappeared = [],
    set_aside: setAside = [],
    set_aside_transactions: notStored = [],
    busy_addresses: busy = [],
  } = attention.data ?? {};
  const isSetAside = new Set(setAside.map(({ id }) => id));
  const items = [
    ...disappeared.map((payment) => (
      <Item key={`disappeared ${payment.id}`} kind={t('Payment')}>
        <PaymentLink payment={payment} />
        <span className="text-quiet">
          {' '}
          · {t('The transfer that paid it disappeared from the blockchain. Wait before you ship.')}
        </span>
      </Item>
    )),
    ...setAside.slice(0, MAX_SHOWN).map((transfer) => (
      <Item key={transfer.id} kind={t('Transfer')}>
        <Link to="/transfers" className="font-medium hover:underline">
          {assetAmount(transfer.amount, transfer.asset)} · {networkName(transfer.network)}
        </Link>{' '}
        <Hash hash={transfer.tx_hash} network={transfer.network} livemode={transfer.livemode} ends={4} />
        <span className="text-quiet">
          {' '}
          · {t('We could not process this transfer automatically. Assign it to a payment or mark it as handled.')}
        </span>
      </Item>
    )),
    ...notStored.slice(0, MAX_SHOWN).map(({ network, tx_hash: hash }) => (
      <Item key={`${network} ${hash}`} kind={t('Transaction')}>
        <span className="font-medium">{networkName(network)}</span>{' '}
        <Hash hash={hash} network={network} livemode ends={4} />
        <span className="text-quiet">
          {' '}
          ·{' '}
          {t(
            'We could not store this transaction. Look it up in the explorer and send its hash to the operator of this server.',
          )}
        </span>
      </Item>
    )),
    ...decisions.items.map((payment) => (
      <Item key={payment.id} kind={t('Payment')}>
        <PaymentLink payment={payment} />
        <span className="text-quiet"> · {t(FAILURES[payment.failure_reason ?? ''] ?? 'Accept it or refund it.')}</span>
        <Age at={payment.created_at} />
      </Item>
    )),
    ...transfers.items
      .filter(({ id, reason }) => reason !== null && !isSetAside.has(id))
      .map((transfer) => (
        <Item key={transfer.id} kind={t('Transfer')}>
          <Link to="/transfers" className="font-medium hover:underline">
            {assetAmount(transfer.amount, transfer.asset)} · {networkName(transfer.network)}
          </Link>
          <span className="text-quiet"> · {t(REASONS[transfer.reason ?? ''] ?? 'No matching payment')}</span>
          <Age at={transfer.block_time} />
        </Item>
      )),
    ...endpoints.items
      .filter((endpoint) => endpoint.status === 'disabled' || endpoint.delivery_status.last_outcome === 'failed')
      .map((endpoint) => (
        <Item key={endpoint.id} kind={t('Webhook')}>
          <Link to="/webhooks/$id" params={{ id: endpoint.id }} className="font-medium hover:underline">
            {plain(endpoint.url)}
          </Link>
          <span className="text-quiet">
            {' '}
            · {endpoint.status === 'disabled' ? t('Disabled after 6 failed attempts') : t('Last attempt failed')}
          </span>
        </Item>
      )),
    ...busy.slice(0, MAX_SHOWN).map((address) => <BusyAddress key={`busy ${address.wallet}`} busy={address} />),
    ...wallets.items
      .filter(
        (wallet) =>
          wallet.created_by === 'key' && !wallet.archived && Date.now() - Date.parse(wallet.created_at) < NEW_MS,
      )
      .map((wallet) => (
        <Item key={wallet.id} kind={t('Wallet')}>
          <Link to="/wallets" className="font-medium hover:underline">
            {plain(wallet.label ?? wallet.address)}
          </Link>
          <span className="text-quiet"> · {t('Added via API in the last 7 days. Archive it if that wasn’t you.')}</span>
        </Item>
      )),
  ];
  const failed = [decisions, transfers, endpoints, wallets, attention].find(({ error }) => error !== null);
  if (items.length === 0) return failed ? <Problem error={failed.error} retry={() => void failed.refetch()} /> : null;
  return (
    <Card
      title={
        <span className="flex items-center gap-2">
          <span className="text-warn">
            <Icon name="alert" />
          </span>
          {t('Needs attention')}
        </span>
      }
    >
      <ul className="grid gap-2.5">{items}</ul>
    </Card>
  );
}

function PaymentLink({ payment }: { payment: PaymentJson }) {
  const { locale } = useLanguage();
  return (
    <Link to="/payments/$id" params={{ id: payment.id }} className="font-medium hover:underline">
      {money(locale, payment.amount, payment.currency)} <bdi>{plain(payment.order_id ?? '')}</bdi>
    </Link>
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
      ? [
          t(
            {
              one: '{count} transfer was not listed in the last 24 hours.',
              other: '{count} transfers were not listed in the last 24 hours.',
            },
            { count: busy.skipped },
          ),
        ]
      : []),
    ...(busy.dust > 0
      ? [
          t(
            {
              one: '{count} transfer below 0.01 USD was not listed in the last 24 hours.',
              other: '{count} transfers below 0.01 USD were not listed in the last 24 hours.',
            },
            { count: busy.dust },
          ),
        ]
      : []),
  ];
  return (
    <Item kind={t('Wallet')}>
      <Link to="/wallets" className="font-medium hover:underline">
        {busy.label === null ? `${shorten(busy.address)} · ${networkName(busy.network)}` : plain(busy.label)}
      </Link>
      <span className="text-quiet"> · {sentences.join(' ')}</span>
    </Item>
  );
}

function Age({ at }: { at: string }) {
  const { locale } = useLanguage();
  return (
    <span className="text-quiet">
      {' '}
      · <When at={at}>{ago(locale, at)}</When>
    </span>
  );
}

function Item({ kind, children }: { kind: string; children: ReactNode }) {
  return (
    <li className="flex items-baseline gap-3 text-sm">
      <Badge tone="warn">{kind}</Badge>
      <span className="min-w-0 [overflow-wrap:anywhere]">{children}</span>
    </li>
  );
}
