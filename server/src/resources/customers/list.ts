import type { Currency } from '@quittance/contract';
import type { CustomerFiguresJson } from '@quittance/contract/dashboard';
import type { Context } from '../../context.ts';
import type { Account } from '../../platform/caller.ts';
import { listPage } from '../../platform/http/pagination.ts';
import type { Page } from '../../platform/http/route.ts';
import { formatDisplayAmount } from '../../platform/money.ts';
import { type CustomerRow, fetchCustomers, findCustomerPosition, searchCustomers } from './store.ts';

const MAX_FOUND = 50;

/** Customers who have paid, the last payer first; with `q` at most fifty whose reference, address or name begins so. */
export async function listCustomers(
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

export function presentFigures(row: CustomerRow): CustomerFiguresJson {
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
