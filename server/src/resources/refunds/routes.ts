import { endpoints } from '@quittance/contract';
import {
  confirmRefund as confirmRefundEndpoint,
  holdRefunds as holdRefundsEndpoint,
  releaseRefunds as releaseRefundsEndpoint,
} from '@quittance/contract/dashboard';
import type { Context } from '../../context.ts';
import { fail } from '../../platform/errors.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { findPayment } from '../../settlement/records/payment-store.ts';
import { LOOK_UP_QUOTA } from '../payout-wallets/look-up-address.ts';
import { cancelRefund } from './cancel.ts';
import { confirmRefund } from './confirm.ts';
import { createRefund, readRecipient } from './create.ts';
import { holdRefunds, releaseRefunds } from './hold.ts';
import { listRefunds, listRefundsOfPayment } from './list.ts';
import { ownRefund } from './store.ts';
import { presentRefund } from './present.ts';
import { reportRefund } from './report.ts';

export const refundRoutes: Route<Context>[] = [
  route(
    endpoints.createRefund,
    async (ctx: Context, { db, caller, params, body, http }, to: string | null) => {
      http.reply.header('cache-control', 'no-store');
      const { refund, linkUrl } = await createRefund(ctx, db, caller, { id: params.id, body, to });
      return presentRefund(refund, linkUrl);
    },
    {
      prepare: (ctx, { caller, params, body }) => readRecipient(ctx, caller, params.id, body),
      quota: LOOK_UP_QUOTA,
      // A link is shown once.
      secretAnswer: true,
    },
  ),

  route(endpoints.listPaymentRefunds, async (ctx: Context, call) => {
    const payment = (await findPayment(ctx.db, call.caller, call.params.id)) ?? fail('not_found', { param: 'id' });
    return listRefundsOfPayment(ctx, call, payment.id);
  }),

  route(endpoints.listRefunds, (ctx: Context, call) => listRefunds(ctx, call)),

  route(endpoints.getRefund, async (ctx: Context, { caller, params }) =>
    presentRefund(await ownRefund(ctx.db, caller, params.id)),
  ),

  route(
    endpoints.reportRefund,
    async (ctx: Context, { db, caller, params, body }) =>
      presentRefund(await reportRefund(ctx, db, caller, { id: params.id, txHash: body.tx_hash })),
    { quota: LOOK_UP_QUOTA },
  ),

  route(confirmRefundEndpoint, async (ctx: Context, { db, caller, params, body }) =>
    presentRefund(await confirmRefund(ctx, db, caller, { id: params.id, body })),
  ),

  route(holdRefundsEndpoint, async (_ctx: Context, { db, caller, body }) => holdRefunds(db, caller, body)),

  route(releaseRefundsEndpoint, async (_ctx: Context, { db, caller, body }) => {
    await releaseRefunds(db, caller, body);
    return { released: true };
  }),

  route(endpoints.cancelRefund, async (ctx: Context, { db, caller, params }) =>
    presentRefund(await cancelRefund(ctx, db, caller, params.id)),
  ),
];
