import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { networkName } from '../../networks/networks.ts';
import { ApiError } from '../lib/api.ts';
import { useT } from '../lib/i18n.tsx';
import { useKept } from '../lib/sent-refunds.ts';
import { useList } from '../lib/state.tsx';
import type { RefundJson } from '../lib/types.ts';
import { buttonClass, Card, Empty, Heading, pressableClass, Problem } from '../ui/basic.tsx';
import { Listing, LoadMore } from '../ui/listing.tsx';
import { useReport } from './payment/asked-refund.tsx';
import { RefundTable } from './refunds/refund-table.tsx';
import { SendTogether } from './refunds/send-together.tsx';

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
      <Tabs all={all === true} />
      <Kept />
      {all ? <AllRefunds /> : <ToSend />}
    </>
  );
}

/** Names what this browser sent, also of a refund that is in no list here because it was cancelled meanwhile. */
function Kept() {
  return useKept('rf').map((id) => <Report key={id} id={id} />);
}

function Report({ id }: { id: string }) {
  const { error } = useReport(id).report;
  // Another account, or the other mode, may have sent from this browser too.
  return error instanceof ApiError && error.status === 404 ? null : <Problem error={error} />;
}

function Tabs({ all }: { all: boolean }) {
  const t = useT();
  const navigate = useNavigate();
  return (
    <fieldset className="mb-4 flex gap-1 text-sm">
      <legend className="sr-only">{t('Refunds')}</legend>
      {[false, true].map((one) => (
        <button
          key={String(one)}
          type="button"
          aria-pressed={one === all}
          className={`${pressableClass} min-h-9`}
          onClick={() => void navigate({ to: '/refunds', search: { all: one ? true : undefined } })}
        >
          {one ? t('All') : t('To send')}
        </button>
      ))}
    </fieldset>
  );
}

function AllRefunds() {
  const t = useT();
  const list = useList<RefundJson>('refunds', '/v1/refunds');
  return (
    <Card flush>
      <Listing list={list} empty={<NoRefunds />}>
        <RefundTable label={t('Refunds')} refunds={list.items} />
      </Listing>
    </Card>
  );
}

function ToSend() {
  const list = useList<RefundJson>('refunds', '/v1/refunds', { status: 'planned', limit: 100 });
  const networks = [...new Set(list.items.map(({ network }) => network))];
  if (list.isPending || list.error !== null || networks.length === 0)
    return (
      <Card flush>
        <Listing list={list} empty={<NoRefunds />}>
          {null}
        </Listing>
      </Card>
    );
  return (
    <div className="grid gap-4">
      {networks.map((network) => (
        <Card key={network} title={networkName(network)}>
          <SendTogether network={network} refunds={list.items.filter((one) => one.network === network)} />
        </Card>
      ))}
      <LoadMore list={list} />
    </div>
  );
}

function NoRefunds() {
  const t = useT();
  return (
    <Empty title={t('No refund to send')} docs="/docs/guides/unusual-payments">
      {t('Plan one on the page of its payment, or ask the customer for the address by a link.')}
    </Empty>
  );
}
