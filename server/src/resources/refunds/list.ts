import type { endpoints, QueryOf } from '@quittance/contract';
import type { Context } from '../../context.ts';
import type { Account } from '../../platform/caller.ts';
import { readInstant } from '../../platform/http/instant.ts';
import { listPage } from '../../platform/http/pagination.ts';
import { presentRefund } from './present.ts';
import { fetchRefunds, findRefund, type RefundFilter } from './store.ts';

/** A page of the account's refunds, newest first. */
export function listRefunds(ctx: Context, call: { caller: Account; query: QueryOf<typeof endpoints.listRefunds> }) {
  const { query } = call;
  return listFiltered(ctx, call, {
    status: query.status ?? null,
    payment: query.payment ?? null,
    createdAfter: query.created_after === undefined ? null : readInstant(query.created_after, 'created_after'),
    createdBefore: query.created_before === undefined ? null : readInstant(query.created_before, 'created_before'),
  });
}

/** The same of one payment. */
export function listRefundsOfPayment(
  ctx: Context,
  call: { caller: Account; query: QueryOf<typeof endpoints.listPaymentRefunds> },
  payment: string,
) {
  return listFiltered(ctx, call, { status: null, payment, createdAfter: null, createdBefore: null });
}

type PageQuery = QueryOf<typeof endpoints.listPaymentRefunds>;

function listFiltered(ctx: Context, call: { caller: Account; query: PageQuery }, filter: RefundFilter) {
  const { caller } = call;
  return listPage(call, ctx, {
    list: 'refunds',
    prefix: 'rf',
    filter: {
      ...filter,
      createdAfter: filter.createdAfter?.toISOString(),
      createdBefore: filter.createdBefore?.toISOString(),
    },
    find: (id) => findRefund(ctx.db, caller, id),
    fetch: (page) => fetchRefunds(ctx.db, caller, filter, page),
    position: (refund) => refund,
    present: (refund) => presentRefund(refund),
  });
}
