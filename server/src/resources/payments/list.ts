import type { QueryOf, endpoints } from '@quittance/contract';
import type { Context } from '../../context.ts';
import type { Account } from '../../platform/caller.ts';
import { readQueriedEmail } from '../../platform/email-address.ts';
import { listPage } from '../../platform/http/pagination.ts';
import { readInstant } from '../../platform/http/instant.ts';
import { presentPayment } from '../../settlement/records/present-payment.ts';
import type { CustomerIdentity } from '../../settlement/records/customer.ts';
import { type PaymentFilter, fetchPayments, findPosition } from './list-store.ts';

const LIMIT_DEFAULT = 20;

/**
 * A page of the account's payments, newest first. Payments that were not started are listed only with a status filter.
 */
export function listPayments(ctx: Context, call: { caller: Account; query: QueryOf<typeof endpoints.listPayments> }) {
  return listFiltered(ctx, call, readFilter(call.query));
}

/** The same list of the payments of one customer. */
export function listPaymentsOfCustomer(
  ctx: Context,
  call: { caller: Account; query: PageQuery },
  identity: CustomerIdentity,
) {
  const customer =
    'reference' in identity
      ? { reference: identity.reference, email: null }
      : { reference: null, email: identity.email, withoutReference: true };
  return listFiltered(ctx, call, { ...readFilter({}), customer });
}

type PageQuery = Pick<QueryOf<typeof endpoints.listPayments>, 'limit' | 'cursor' | 'starting_after'>;

function listFiltered(ctx: Context, call: { caller: Account; query: PageQuery }, filter: PaymentFilter) {
  const { caller } = call;
  return listPage(call, ctx, {
    list: 'payments',
    prefix: 'pay',
    defaultLimit: LIMIT_DEFAULT,
    filter: {
      ...filter,
      createdAfter: filter.createdAfter?.toISOString(),
      createdBefore: filter.createdBefore?.toISOString(),
    },
    find: (id) => findPosition(ctx.db, caller, id),
    fetch: (page) => fetchPayments(ctx.db, caller, filter, page),
    position: (row) => ({ createdAt: row.createdAt, id: row.id }),
    present: (payment) => presentPayment(ctx, payment),
  });
}

/** The filters of a query, for the list and the export. */
export function readFilter(
  query: Pick<
    QueryOf<typeof endpoints.listPayments>,
    | 'status'
    | 'route'
    | 'balance'
    | 'created_after'
    | 'created_before'
    | 'payment_link_id'
    | 'customer_reference'
    | 'customer_email'
  >,
): PaymentFilter {
  return {
    status: query.status ?? null,
    route: query.route ?? null,
    balance: query.balance ?? null,
    createdAfter: query.created_after === undefined ? null : readInstant(query.created_after, 'created_after'),
    createdBefore: query.created_before === undefined ? null : readInstant(query.created_before, 'created_before'),
    link: query.payment_link_id ?? null,
    customer: {
      reference: query.customer_reference ?? null,
      email: query.customer_email === undefined ? null : readQueriedEmail(query.customer_email),
    },
  };
}
