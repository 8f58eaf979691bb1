import type { Currency } from '@quittance/contract';
import * as endpoints from '@quittance/contract/dashboard';
import type { CustomerFiguresJson } from '@quittance/contract/dashboard';
import type { Context } from '../../context.ts';
import type { Account } from '../../platform/caller.ts';
import { readQueriedEmail } from '../../platform/email-address.ts';
import { fail } from '../../platform/errors.ts';
import { listPage } from '../../platform/http/pagination.ts';
import { type Page, type Route, route } from '../../platform/http/route.ts';
import { formatDisplayAmount } from '../../platform/money.ts';
import { customerId, type CustomerIdentity } from '../../settlement/records/customer.ts';
import { listPaymentsOfCustomer } from '../payments/list.ts';
import {
  type CustomerRow,
  describeCustomer,
  fetchCustomers,
  findCustomer,
  findCustomerPosition,
  searchCustomers,
} from './store.ts';

const MAX_FOUND = 50;

export const customerRoutes: Route<Context>[] = [
  // A short beginning reads six hundred rows.
  route(endpoints.listCustomers, (ctx: Context, { caller, query }) => listCustomers(ctx, { caller, query }), {
    quota: { name: 'customers', perMinute: 120, by: 'account' },
  }),
  route(endpoints.readCustomer, (ctx: Context, { caller, query }) => readCustomer(ctx, caller, query)),
  route(endpoints.listCustomerPayments, (ctx: Context, { caller, query }) =>
    listPaymentsOfCustomer(ctx, { caller, query }, readIdentity(query)),
  ),
];

/** One customer: what they have paid, or who they are if they have not. */
async function readCustomer(
  ctx: Context,
  account: Account,
  query: { reference?: string; email?: string },
): Promise<CustomerFiguresJson> {
  const identity = readIdentity(query);
  const found = await findCustomer(ctx.db, account, customerId(account, identity));
  if (found) return presentFigures(found);
  const described = (await describeCustomer(ctx.db, account, identity)) ?? fail('not_found');
  return { ...described, payments: 0, totals: [], last_paid_at: null };
}

/** The one of the two that the query names. */
function readIdentity({ reference, email }: { reference?: string; email?: string }): CustomerIdentity {
  if (reference !== undefined) return { reference };
  if (email !== undefined) return { email: readQueriedEmail(email) };
  return fail('invalid_list_request', { param: 'reference', message: 'Send `reference` or `email`.' });
}

/** Customers who have paid, the last payer first; with `q` at most fifty whose reference, address or name begins so. */
async function listCustomers(
  ctx: Context,
  call: { caller: Account; query: { limit?: number; cursor?: string; starting_after?: string; q?: string } },
): Promise<Page<CustomerFiguresJson>> {
  const { caller, query } = call;
  const text = query.q?.trim() ?? '';
  if (text !== '') {
    const found = (await searchCustomers(ctx.db, caller, text)).slice(0, MAX_FOUND);
    return { data: found.map(presentFigures), pagination: { cursor: null, has_more: false } };
  }
  return listPage(call, ctx, {
    list: 'customers',
    prefix: 'cus',
    find: (id) => findCustomerPosition(ctx.db, caller, id),
    fetch: (page) => fetchCustomers(ctx.db, caller, page),
    position: (row) => ({ createdAt: row.lastPaidAt, id: row.id }),
    present: presentFigures,
  });
}

function presentFigures(row: CustomerRow): CustomerFiguresJson {
  return {
    email: row.email,
    name: row.name,
    reference: row.reference,
    payments: row.payments,
    totals: Object.entries(row.totals)
      .filter(([, minor]) => minor !== '0')
      .map(([currency, minor]) => ({ currency: currency as Currency, amount: formatDisplayAmount(BigInt(minor)) })),
    last_paid_at: row.lastPaidAt.toISOString(),
  };
}
