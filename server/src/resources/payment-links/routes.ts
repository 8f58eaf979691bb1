import { endpoints } from '@quittance/contract';
import type { Context } from '../../context.ts';
import { fail } from '../../platform/errors.ts';
import { route } from '../../platform/http/route.ts';
import { createLink } from './create.ts';
import { listLinks } from './list.ts';
import { presentLink } from './present.ts';
import { disableLink, enableLink } from './set-status.ts';
import { findLink } from './store.ts';

export const paymentLinkRoutes = [
  route(endpoints.createPaymentLink, async (ctx: Context, { db, caller, body }) =>
    presentLink(await createLink(db, caller, body), ctx.config.publicUrl),
  ),

  route(endpoints.listPaymentLinks, (ctx: Context, { caller, query }) => listLinks(ctx, { caller, query })),

  route(endpoints.getPaymentLink, async (ctx: Context, { caller, params }) =>
    presentLink(
      (await findLink(ctx.db, caller, params.id)) ?? fail('not_found', { param: 'id' }),
      ctx.config.publicUrl,
    ),
  ),

  route(endpoints.disablePaymentLink, async (ctx: Context, { db, caller, params }) =>
    presentLink(await disableLink(db, caller, params.id), ctx.config.publicUrl),
  ),

  route(endpoints.enablePaymentLink, async (ctx: Context, { db, caller, params }) =>
    presentLink(await enableLink(db, caller, params.id), ctx.config.publicUrl),
  ),
];
