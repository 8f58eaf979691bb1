import { endpoints } from '@quittance/contract';
import type { Context } from '../../context.ts';
import { fail } from '../../platform/errors.ts';
import { route } from '../../platform/http/route.ts';
import { acceptPayment } from './accept.ts';
import { listPayments } from './list.ts';
import { presentPayment } from '../../settlement/records/present-payment.ts';
import { recordRefund } from './refund.ts';
import { findPayment } from '../../settlement/records/payment-store.ts';
import { readTimeline } from './timeline.ts';

export const paymentRoutes = [
  route(endpoints.listPayments, (ctx: Context, { caller, query }) => listPayments(ctx, { caller, query })),

  route(endpoints.getPayment, async (ctx: Context, { caller, params }) =>
    presentPayment(ctx, (await findPayment(ctx.db, caller, params.id)) ?? fail('not_found', { param: 'id' })),
  ),

  route(endpoints.recordRefund, async (ctx: Context, { db, caller, params, body }) =>
    presentPayment(ctx, await recordRefund(ctx, db, caller, { id: params.id, body })),
  ),

  route(endpoints.acceptPayment, async (ctx: Context, { db, caller, params }) =>
    presentPayment(ctx, await acceptPayment(ctx, db, caller, params.id)),
  ),

  route(endpoints.getPaymentTimeline, (ctx: Context, { caller, params }) => readTimeline(ctx, caller, params.id), {
    isLong: true,
  }),
];
