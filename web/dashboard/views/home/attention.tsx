import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { assetAmount, money, networkName, plain } from '../../lib/format.ts';
import { useSpeech } from '../../lib/i18n.tsx';
import { useList } from '../../lib/state.tsx';
import type { PaymentJson, PayoutWalletJson, TransferJson, WebhookEndpointJson } from '../../lib/types.ts';
import { Badge, Card, Problem } from '../../ui/basic.tsx';
import { Icon } from '../../ui/icon.tsx';
import { FAILURES, REASONS } from '../../ui/status.tsx';

const NEW_MS = 7 * 86_400_000;
const SHOWN_MOST = 5;

/** What waits for the merchant; nothing at all where nothing does. */
export function Attention() {
  const { t, locale } = useSpeech();
  const decisions = useList<PaymentJson>('payments', '/v1/payments', { status: 'refund_required', limit: SHOWN_MOST });
  const transfers = useList<TransferJson>('transfers', '/v1/transfers', { unattributed: true, limit: SHOWN_MOST });
  const endpoints = useList<WebhookEndpointJson>('endpoints', '/v1/webhook-endpoints');
  const wallets = useList<PayoutWalletJson>('wallets', '/v1/payout-wallets');
  const items = [
    ...decisions.items.map((payment) => (
      <Item key={payment.id} kind={t('Payment')}>
        <Link to="/payments/$id" params={{ id: payment.id }} className="font-medium hover:underline">{money(locale, payment.amount, payment.currency)} <bdi>{plain(payment.order_id ?? '')}</bdi></Link>
        <span className="text-quiet"> · {t(FAILURES[payment.failure_reason ?? ''] ?? 'Accept it or give it back.')}</span>
      </Item>
    )),
    ...transfers.items.map((transfer) => (
      <Item key={transfer.id} kind={t('Transfer')}>
        <Link to="/transfers" className="font-medium hover:underline">{assetAmount(transfer.amount, transfer.asset)} · {networkName(transfer.network)}</Link>
        <span className="text-quiet"> · {t(REASONS[transfer.reason ?? ''] ?? 'No open payment fits')}</span>
      </Item>
    )),
    ...endpoints.items.filter((endpoint) => endpoint.status === 'disabled' || endpoint.delivery_status.last_outcome === 'failed').map((endpoint) => (
      <Item key={endpoint.id} kind={t('Webhook')}>
        <Link to="/webhooks/$id" params={{ id: endpoint.id }} className="font-medium hover:underline">{plain(endpoint.url)}</Link>
        <span className="text-quiet"> · {endpoint.status === 'disabled' ? t('disabled after six failures') : t('the last attempt failed')}</span>
      </Item>
    )),
    ...wallets.items.filter((wallet) => wallet.created_by === 'key' && !wallet.archived && Date.now() - Date.parse(wallet.created_at) < NEW_MS).map((wallet) => (
      <Item key={wallet.id} kind={t('Wallet')}>
        <Link to="/wallets" className="font-medium hover:underline">{plain(wallet.label ?? wallet.address)}</Link>
        <span className="text-quiet"> · {t('added by a secret key in the last seven days; archive it if that was not you')}</span>
      </Item>
    )),
  ];
  const failed = [decisions, transfers, endpoints, wallets].find(({ error }) => error !== null);
  if (items.length === 0) return failed ? <Problem error={failed.error} retry={() => void failed.refetch()} /> : null;
  return (
    <Card title={<span className="flex items-center gap-2"><span className="text-warn"><Icon name="alert" /></span>{t('Needs attention')}</span>}>
      <ul className="grid gap-2.5">{items}</ul>
    </Card>
  );
}

function Item({ kind, children }: { kind: string; children: ReactNode }) {
  return <li className="flex items-baseline gap-3 text-sm"><Badge tone="warn">{kind}</Badge><span className="min-w-0 [overflow-wrap:anywhere]">{children}</span></li>;
}
