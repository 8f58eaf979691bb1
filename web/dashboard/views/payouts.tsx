import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { networkName } from '../../networks/networks.ts';
import { useT } from '../lib/i18n.tsx';
import { useList, useRead } from '../lib/state.tsx';
import type { PayoutJson } from '../lib/types.ts';
import { AddButton, buttonClass, Card, Empty, Heading, pressableClass } from '../ui/basic.tsx';
import { Listing, LoadMore } from '../ui/listing.tsx';
import { ImportDialog } from './payouts/import.tsx';
import { PayoutTable } from './payouts/payout-table.tsx';
import { KeptPayouts, SendPayouts } from './payouts/send-payouts.tsx';

const PATH = '/dashboard/api/payouts';

/** What the merchant sends to others: planned, a card for each network, and on its way; or all there are. */
export function PayoutsView() {
  const t = useT();
  const { all } = useSearch({ from: '/shell/payouts' });
  const [isImporting, setImporting] = useState(false);
  return (
    <>
      <Heading
        title={t('Payouts')}
        below={t('What you send to others from your own wallet. Each is checked on-chain and recorded.')}
      >
        <Link to="/refunds" className={buttonClass()}>
          {t('Refunds')}
        </Link>
        <AddButton onClick={() => setImporting(true)}>{t('Import payouts')}</AddButton>
      </Heading>
      {isImporting && <ImportDialog onClose={() => setImporting(false)} />}
      <Tabs all={all === true} />
      <KeptPayouts />
      {all ? <AllPayouts /> : <OpenPayouts />}
    </>
  );
}

function Tabs({ all }: { all: boolean }) {
  const t = useT();
  const navigate = useNavigate();
  return (
    <fieldset className="mb-4 flex gap-1 text-sm">
      <legend className="sr-only">{t('Payouts')}</legend>
      {[false, true].map((one) => (
        <button
          key={String(one)}
          type="button"
          aria-pressed={one === all}
          className={`${pressableClass} min-h-9`}
          onClick={() => void navigate({ to: '/payouts', search: { all: one ? true : undefined } })}
        >
          {one ? t('All') : t('To send')}
        </button>
      ))}
    </fieldset>
  );
}

function AllPayouts() {
  const t = useT();
  const list = useList<PayoutJson>('payouts', PATH);
  return (
    <Card flush>
      <Listing list={list} empty={<NoPayouts />}>
        <PayoutTable label={t('Payouts')} payouts={list.items} />
      </Listing>
    </Card>
  );
}

function OpenPayouts() {
  const t = useT();
  const list = useList<PayoutJson>('payouts', PATH, { status: 'planned', limit: 100 });
  const onTheirWay =
    useRead<PayoutJson[]>(
      'payouts',
      PATH,
      { status: 'sent', limit: 100 },
      { again: (sent) => sent.some(({ mismatch }) => mismatch === null) },
    ).data ?? [];
  const networks = [...new Set(list.items.map(({ network }) => network))];
  return (
    <div className="grid gap-4">
      {onTheirWay.length > 0 && (
        <Card title={t('On their way')} flush>
          <PayoutTable label={t('On their way')} payouts={onTheirWay} />
        </Card>
      )}
      {list.isPending || list.error !== null || networks.length === 0 ? (
        <Card flush>
          <Listing list={list} empty={<NoPayouts />}>
            {null}
          </Listing>
        </Card>
      ) : (
        networks.map((network) => (
          <Card key={network} title={networkName(network)}>
            <SendPayouts network={network} payouts={list.items.filter((one) => one.network === network)} />
          </Card>
        ))
      )}
      <LoadMore list={list} />
    </div>
  );
}

function NoPayouts() {
  const t = useT();
  return (
    <Empty title={t('No payout to send')} docs="/docs/guides/dashboard">
      {t('Import a CSV: a line has an address, an asset, a network, an amount and a note.')}
    </Empty>
  );
}
