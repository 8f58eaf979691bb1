import type { Context } from '../../context.ts';
import type { Caller } from '../../platform/caller.ts';
import type { Db } from '../../platform/db/db.ts';
import { DAY_MS, later } from '../../platform/time.ts';
import type { Payment } from '../../settlement/records/payment.ts';
import { presentPayment, presentUnits } from '../../settlement/records/present-payment.ts';
import { surplusLeft } from '../../settlement/records/returned.ts';
import { fetchPayments, type PaymentFilter } from '../payments/list-store.ts';
import { PLANNED_DAYS, presentPayout } from '../payouts/payout.ts';
import { fetchPayouts, findDoubtfulPayouts } from '../payouts/store.ts';
import { presentRefund } from '../refunds/present.ts';
import type { StoredRefund } from '../refunds/refund.ts';
import { fetchRefunds, findAnsweredRefunds, findSentUncounted } from '../refunds/store.ts';
import { fetchPage as fetchTransfers } from '../transfers/list-store.ts';
import { presentTransfer } from '../transfers/present.ts';
import { listEndpoints } from '../webhooks/endpoints/endpoint-store.ts';
import {
  findArriving,
  findBusyAddresses,
  findDisappearedPayments,
  findSetAside,
  findSetAsideTransactions,
} from './attention-store.ts';
import type { AttentionJson } from '@quittance/contract/dashboard';

const MAX_SHOWN = 20;
const MAX_COUNTED = 10;
const MAX_ARRIVING = 200;
const MAX_OVERPAID = 100;
const MAX_PLANNED = 100;
const ALERT_SHOWN_MS = 30 * DAY_MS;
const ACTIVITY_MS = 1 * DAY_MS;

/** What settlement could not finish or did not list for this account, and the API's lists do not show. */
export async function readAttention(ctx: Context, caller: Caller): Promise<AttentionJson> {
  const { db } = ctx;
  const [
    payments,
    transfers,
    transactions,
    addresses,
    refunds,
    uncounted,
    toSend,
    planned,
    doubtful,
    overpaid,
    arriving,
    counts,
  ] = await Promise.all([
    findDisappearedPayments(db, caller, later(caller.realNow, -ALERT_SHOWN_MS), MAX_SHOWN),
    findSetAside(db, caller, MAX_SHOWN),
    caller.livemode ? findSetAsideTransactions(db, caller, later(caller.realNow, -ALERT_SHOWN_MS), MAX_SHOWN) : [],
    caller.livemode ? findBusyAddresses(db, caller, later(caller.realNow, -ACTIVITY_MS), MAX_SHOWN) : [],
    findAnsweredRefunds(db, caller, MAX_SHOWN),
    findSentUncounted(db, caller, later(caller.now, -ALERT_SHOWN_MS), MAX_SHOWN),
    findToSend(db, caller),
    fetchPayouts(db, caller, 'planned', { after: null, limit: MAX_SHOWN }),
    // A second transaction may be named long after the first one was sent.
    findDoubtfulPayouts(db, caller, later(caller.now, -(PLANNED_DAYS * DAY_MS + ALERT_SHOWN_MS)), MAX_SHOWN),
    findOverpaid(db, caller),
    findArriving(db, caller, MAX_ARRIVING),
    count(db, caller),
  ]);
  return {
    disappeared: payments.map((payment) => presentPayment(ctx, payment)),
    set_aside: transfers.map((transfer) => presentTransfer(ctx, { transfer, payment: null, namedBy: [] })),
    set_aside_transactions: transactions.map(({ network, txHash, at }) => ({
      network,
      tx_hash: txHash,
      set_aside_at: at.toISOString(),
    })),
    busy_addresses: addresses,
    overpaid: overpaid.map((payment) => presentPayment(ctx, payment)),
    arriving: arriving.map(({ payment, asset, network, detectedUnits }) => ({
      payment,
      detected: presentUnits(detectedUnits, asset, network),
    })),
    refunds: refunds.map((refund) => presentRefund(refund)),
    uncounted_refunds: uncounted.map((refund) => ({ ...presentRefund(refund), other_tx_hashes: refund.otherHashes })),
    planned_refunds: toSend.map((refund) => presentRefund(refund)),
    payouts: planned.map(presentPayout),
    doubtful_payouts: doubtful.map(presentPayout),
    counts: { ...counts, refunds: Math.min(refunds.length + toSend.length, MAX_COUNTED) },
  };
}

async function count(db: Db, caller: Caller): Promise<Omit<AttentionJson['counts'], 'refunds'>> {
  const page = { after: null, limit: MAX_COUNTED };
  const [payments, transfers, endpoints] = await Promise.all([
    fetchPayments(db, caller, { ...EVERY_PAYMENT, status: 'refund_required' }, page),
    fetchTransfers(db, caller, true, page),
    listEndpoints(db, caller, { after: null, limit: MAX_SHOWN }),
  ]);
  return {
    payments: payments.length,
    transfers: transfers.length,
    webhooks: endpoints.filter(({ status }) => status === 'disabled').length,
  };
}

const EVERY_PAYMENT: PaymentFilter = {
  status: null,
  route: null,
  balance: null,
  createdAfter: null,
  createdBefore: null,
  link: null,
  customer: { reference: null, email: null },
};

/** Planned refunds. One whose customer has named an address is listed by that. */
async function findToSend(db: Db, caller: Caller): Promise<StoredRefund[]> {
  const filter = { status: 'planned' as const, payment: null, createdAfter: null, createdBefore: null };
  const planned = await fetchRefunds(db, caller, filter, { after: null, limit: MAX_PLANNED });
  return planned.filter(({ link }) => !link?.answeredAt).slice(0, MAX_SHOWN);
}

/** Those of the last days with a surplus that no refund returns, planned ones included. */
async function findOverpaid(db: Db, caller: Caller): Promise<Payment[]> {
  const filter = { ...EVERY_PAYMENT, balance: 'overpaid' as const, createdAfter: later(caller.now, -ALERT_SHOWN_MS) };
  const payments = await fetchPayments(db, caller, filter, { after: null, limit: MAX_OVERPAID });
  return payments.filter((payment) => surplusLeft(payment) > 0n).slice(0, MAX_SHOWN);
}
