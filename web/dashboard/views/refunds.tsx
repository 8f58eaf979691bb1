import { Link, useSearch } from '@tanstack/react-router';
import { useT } from '../lib/i18n.tsx';
import { useAttention, useList } from '../lib/state.tsx';
import type { RefundJson } from '../lib/types.ts';
import { buttonClass, Card, Empty, Heading } from '../ui/basic.tsx';
import { ListCard, OpenOrAll } from '../ui/listing.tsx';
import { ByNetwork } from './outgoing/by-network.tsx';
import { KeptSent } from './outgoing/kept-sent.tsx';
import { CHANGED } from './payment/record-refund.tsx';
import { hasAddressToConfirm } from './payment/refund-badge.tsx';
import { RefundTable } from './refunds/refund-table.tsx';
import { recordRefunds, SendTogether } from './refunds/send-together.tsx';

/** The refunds that the merchant can send now, a card for each network, or all there are. */
export function RefundsView() {
  const t = useT();
  const { all } = useSearch({ from: '/shell/refunds' });
  return (
    <>
      <Heading
        title={t('Refunds')}
        below={all ? t('All refunds, newest first.') : t('Planned refunds. Send all of a network with one signature.')}
      >
        <Link to="/payouts" className={buttonClass()}>
          {t('Payouts')}
        </Link>
      </Heading>
      <OpenOrAll to="/refunds" label={t('Refunds')} open={t('To send')} all={all} />
      <KeptSent kind="rf" record={recordRefunds} changed={CHANGED} />
      {all ? <AllRefunds /> : <ToSend />}
    </>
  );
}

function AllRefunds() {
  const t = useT();
  const list = useList<RefundJson>('refunds', '/v1/refunds');
  return (
    <ListCard list={list} empty={<NoRefunds />}>
      <RefundTable label={t('Refunds')} refunds={list.items} />
    </ListCard>
  );
}

function ToSend() {
  const list = useList<RefundJson>('refunds', '/v1/refunds', { status: 'planned', limit: 100 });
  const attention = useAttention();
  const toConfirm = attention.data?.refunds.filter(hasAddressToConfirm) ?? [];
  if (toConfirm.length > 0 && list.items.length === 0) return <ToConfirm refunds={toConfirm} />;
  // The frame says so. There may be addresses to confirm.
  if (attention.isLoadingError && list.isSuccess && list.items.length === 0) return null;
  return (
    <div className="grid gap-4">
      {toConfirm.length > 0 && <ToConfirm refunds={toConfirm} />}
      <ByNetwork list={list} empty={<NoRefunds />}>
        {(network, refunds) => <SendTogether network={network} refunds={refunds} />}
      </ByNetwork>
    </div>
  );
}

/** Refunds that cannot be sent until the merchant has compared the address, on the page of the payment. */
function ToConfirm({ refunds }: { refunds: readonly RefundJson[] }) {
  const t = useT();
  return (
    <Card title={t('Addresses to confirm')} flush>
      <RefundTable
        label={t('Addresses to confirm')}
        refunds={refunds}
        state={(refund) => (
          <Link to="/payments/$id" params={{ id: refund.payment }} className={buttonClass()}>
            {t('Check the address')}
          </Link>
        )}
      />
    </Card>
  );
}

function NoRefunds() {
  const t = useT();
  return (
    <Empty title={t('No refund to send')} docs="/docs/guides/selling-without-code#refund">
      {t('Plan one on the page of its payment, or ask the customer for the address by a link.')}
    </Empty>
  );
}
