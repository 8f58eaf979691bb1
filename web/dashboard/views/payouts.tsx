import { Link, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useT } from '../lib/i18n.tsx';
import { useList, useRead } from '../lib/state.tsx';
import type { PayoutJson } from '../lib/types.ts';
import { AddButton, buttonClass, Card, Empty, Heading } from '../ui/basic.tsx';
import { ListCard, OpenOrAll } from '../ui/listing.tsx';
import { ByNetwork } from './outgoing/by-network.tsx';
import { KeptSent } from './outgoing/kept-sent.tsx';
import { ImportDialog } from './payouts/import.tsx';
import { PAYOUTS_CHANGED, PayoutTable } from './payouts/payout-table.tsx';
import { recordPayouts, SendPayouts } from './payouts/send-payouts.tsx';

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
      <OpenOrAll to="/payouts" label={t('Payouts')} open={t('To send')} all={all} />
      <KeptSent kind="po" record={recordPayouts} changed={PAYOUTS_CHANGED} />
      {all ? <AllPayouts /> : <OpenPayouts />}
    </>
  );
}

function AllPayouts() {
  const t = useT();
  const list = useList<PayoutJson>('payouts', PATH);
  return (
    <ListCard list={list} empty={<NoPayouts />}>
      <PayoutTable label={t('Payouts')} payouts={list.items} />
    </ListCard>
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
      { again: (sent) => sent.some(({ mismatch }) => mismatch === null), isAside: true },
    ).data ?? [];
  return (
    <div className="grid gap-4">
      {onTheirWay.length > 0 && (
        <Card title={t('On their way')} flush>
          <PayoutTable label={t('On their way')} payouts={onTheirWay} />
        </Card>
      )}
      <ByNetwork list={list} empty={<NoPayouts />}>
        {(network, payouts) => <SendPayouts network={network} payouts={payouts} />}
      </ByNetwork>
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
