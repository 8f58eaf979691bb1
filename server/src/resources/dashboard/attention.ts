import type { Context } from '../../context.ts';
import type { Caller } from '../../platform/caller.ts';
import { DAY_MS, later } from '../../platform/time.ts';
import { presentPayment } from '../../settlement/records/present-payment.ts';
import { fetchPayments, type PaymentFilter } from '../payments/list-store.ts';
import { presentRefund } from '../refunds/present.ts';
import { findAnsweredRefunds } from '../refunds/store.ts';
import { presentTransfer } from '../transfers/present.ts';
import {
  findBusyAddresses,
  findDisappearedPayments,
  findSetAside,
  findSetAsideTransactions,
} from './attention-store.ts';
import type { AttentionJson } from '@quittance/contract/dashboard';

const MAX_SHOWN = 20;
const ALERT_SHOWN_MS = 30 * DAY_MS;
const ACTIVITY_MS = 1 * DAY_MS;

/** What settlement could not finish or did not list for this account, and the API's lists do not show. */
export async function readAttention(ctx: Context, caller: Caller): Promise<AttentionJson> {
  const { db } = ctx;
  const [payments, transfers, transactions, addresses, refunds, overpaid] = await Promise.all([
    findDisappearedPayments(db, caller, later(caller.realNow, -ALERT_SHOWN_MS), MAX_SHOWN),
    findSetAside(db, caller, MAX_SHOWN),
    caller.livemode ? findSetAsideTransactions(db, caller, later(caller.realNow, -ALERT_SHOWN_MS), MAX_SHOWN) : [],
    caller.livemode ? findBusyAddresses(db, caller, later(caller.realNow, -ACTIVITY_MS), MAX_SHOWN) : [],
    findAnsweredRefunds(db, caller, MAX_SHOWN),
    fetchPayments(db, caller, overpaidSince(later(caller.now, -ALERT_SHOWN_MS)), { after: null, limit: MAX_SHOWN }),
  ]);
  return {
    disappeared: payments.map((payment) => presentPayment(ctx, payment)),
    set_aside: transfers.map((transfer) => presentTransfer(ctx, transfer, null)),
    set_aside_transactions: transactions.map(({ network, txHash, at }) => ({
      network,
      tx_hash: txHash,
      set_aside_at: at.toISOString(),
    })),
    busy_addresses: addresses,
    overpaid: overpaid.map((payment) => presentPayment(ctx, payment)),
    refunds: refunds.map((refund) => presentRefund(refund)),
  };
}

function overpaidSince(createdAfter: Date): PaymentFilter {
  const customer = { reference: null, email: null };
  return { status: null, route: null, balance: 'overpaid', createdAfter, createdBefore: null, customer };
}
