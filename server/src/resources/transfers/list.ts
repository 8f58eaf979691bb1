import type { endpoints, QueryOf } from '@quittance/contract';
import type { Context } from '../../context.ts';
import type { Account } from '../../platform/caller.ts';
import { listPage } from '../../platform/http/pagination.ts';
import { presentTransfer } from './present.ts';
import { type OwnTransfer, findOwnTransfer, fetchPage } from './list-store.ts';

/** A page of the transfers to the account's payout wallets, newest first. */
export function listTransfers(ctx: Context, call: { caller: Account; query: QueryOf<typeof endpoints.listTransfers> }) {
  const { caller, query } = call;
  const unattributed = query.unattributed === true;
  return listPage<OwnTransfer, ReturnType<typeof presentTransfer>>(call, ctx, {
    list: 'transfers',
    prefix: 'tr',
    filter: { unattributed },
    find: async (id) => {
      const own = await findOwnTransfer(ctx.db, caller, id);
      return own && { createdAt: own.transfer.block.time, id };
    },
    fetch: (page) => fetchPage(ctx.db, caller, unattributed, page),
    position: ({ transfer }) => ({ createdAt: transfer.block.time, id: transfer.id }),
    present: (own) => presentTransfer(ctx, own),
  });
}
