import * as endpoints from '@quittance/contract/dashboard';
import type { Context } from '../../context.ts';
import { listPage } from '../../platform/http/pagination.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { type PreparedSending, prepareSending } from '../outgoing-transfers/prepare-sending.ts';
import { LOOK_UP_QUOTA } from '../payout-wallets/look-up-address.ts';
import { cancelPayouts } from './cancel.ts';
import { previewCsv } from './check.ts';
import { importPayouts } from './import.ts';
import { ownPayouts, fetchPayouts, findPayouts } from './store.ts';
import { MAX_IMPORTS_PER_MINUTE, presentPayout } from './payout.ts';
import { reportPayouts } from './report.ts';
import { sendPayouts } from './send.ts';

export const payoutRoutes: Route<Context>[] = [
  // Asked while a person writes.
  route(endpoints.checkPayouts, (ctx: Context, { caller, body }) => previewCsv(ctx, caller, body.csv), {
    transaction: false,
    quota: { name: 'payout checks', perMinute: 60, by: 'account' },
  }),

  route(endpoints.importPayouts, (ctx: Context, { db, caller, body }) => importPayouts(ctx, db, caller, body), {
    quota: { name: 'payout imports', perMinute: MAX_IMPORTS_PER_MINUTE, by: 'account' },
  }),

  route(endpoints.listPayouts, (ctx: Context, call) => {
    const { caller, query } = call;
    const status = query.status ?? null;
    return listPage(call, ctx, {
      list: 'payouts',
      prefix: 'po',
      filter: { status },
      find: async (id) => (await findPayouts(ctx.db, caller, [id]))[0],
      fetch: (page) => fetchPayouts(ctx.db, caller, status, page),
      position: (payout) => payout,
      present: presentPayout,
    });
  }),

  route(
    endpoints.sendPayouts,
    (_ctx: Context, { db, caller, body }, prepared: PreparedSending) => sendPayouts(db, caller, body, prepared),
    {
      prepare: async (ctx, { caller, body }) =>
        prepareSending(ctx, caller, await ownPayouts(ctx.db, caller, body.payouts), body.from),
      quota: LOOK_UP_QUOTA,
    },
  ),

  route(endpoints.reportPayouts, (ctx: Context, { db, caller, body }) => reportPayouts(ctx, db, caller, body), {
    quota: LOOK_UP_QUOTA,
  }),

  route(endpoints.cancelPayouts, (_ctx: Context, { db, caller, body }) => cancelPayouts(db, caller, body)),
];
