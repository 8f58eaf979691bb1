import { endpoints } from '@quittance/contract';
import type { Context } from '../../context.ts';
import { fail } from '../../platform/errors.ts';
import { committingRoute, route } from '../../platform/http/route.ts';
import { createSession } from './create.ts';
import { presentSession } from './present.ts';
import { findSession } from './store.ts';

export const checkoutSessionRoutes = [
  committingRoute(endpoints.createCheckoutSession, (ctx: Context, { caller, body }, { claim, serialize }) =>
    createSession(ctx, { caller, claim, serialize }, body),
  ),

  route(endpoints.getCheckoutSession, async (ctx: Context, { caller, params }) => {
    const found = (await findSession(ctx.db, caller, params.id)) ?? fail('not_found', { param: 'id' });
    return presentSession(found.session, found.progress, ctx.config);
  }),
];
