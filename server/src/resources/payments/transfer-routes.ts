import { endpoints } from '@quittance/contract';
import type { Context } from '../../context.ts';
import { route } from '../../platform/http/route.ts';
import { acceptPayment } from './accept.ts';
import { presentPayment } from './present.ts';
import { readTimeline } from './timeline.ts';
import { assignTransfer, handleTransfer } from './transfer-by-hand.ts';
import { listTransfers } from './transfer-list.ts';

/** What a merchant decides and looks up about money that came. */
export const transferRoutes = [
  route(endpoints.acceptPayment, async (ctx: Context, { db, caller, params }) =>
    presentPayment(await acceptPayment(ctx, db, caller, params.id))),

  route(endpoints.getPaymentTimeline, (ctx: Context, { caller, params }) => readTimeline(ctx, caller, params.id)),

  route(endpoints.listTransfers, (ctx: Context, { caller, query }) => listTransfers(ctx, { caller, query })),

  route(endpoints.assignTransfer, (ctx: Context, { db, caller, params, body }) =>
    assignTransfer(ctx, db, caller, params.id, body.payment)),

  route(endpoints.handleTransfer, (_: Context, { db, caller, params }) => handleTransfer(db, caller, params.id)),
];
