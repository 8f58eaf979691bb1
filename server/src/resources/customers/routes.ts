import * as endpoints from '@quittance/contract/dashboard';
import type { CustomerFiguresJson } from '@quittance/contract/dashboard';
import type { Context } from '../../context.ts';
import type { Account } from '../../platform/caller.ts';
import { readQueriedEmail } from '../../platform/email-address.ts';
import { fail } from '../../platform/errors.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { customerId, type CustomerIdentity } from '../../settlement/records/customer.ts';
import { listPaymentsOfCustomer } from '../payments/list.ts';
import { listCustomers, presentFigures } from './list.ts';
import { describeCustomer, findCustomer } from './store.ts';

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
