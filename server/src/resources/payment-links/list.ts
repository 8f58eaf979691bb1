import type { QueryOf, endpoints } from '@quittance/contract';
import type { Context } from '../../context.ts';
import type { Account } from '../../platform/caller.ts';
import { listPage } from '../../platform/http/pagination.ts';
import { presentLink } from './present.ts';
import { fetchLinks, findLink } from './store.ts';

/** A page of the account's links, newest first. */
export function listLinks(ctx: Context, call: { caller: Account; query: QueryOf<typeof endpoints.listPaymentLinks> }) {
  return listPage(call, ctx, {
    list: 'payment_links',
    prefix: 'pl',
    find: (id) => findLink(ctx.db, call.caller, id),
    fetch: (page) => fetchLinks(ctx.db, call.caller, page),
    position: (row) => ({ createdAt: row.createdAt, id: row.id }),
    present: (row) => presentLink(row, ctx.config.publicUrl),
  });
}
