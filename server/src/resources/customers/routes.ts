import * as endpoints from '@quittance/contract/dashboard';
import type { Context } from '../../context.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { listPaymentsOfCustomer } from '../payments/list.ts';
import { listCustomers } from './list.ts';
import { readCustomer, readIdentity } from './read.ts';

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
