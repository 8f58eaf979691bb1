import { endpoints } from '@quittance/contract';
import type { Context } from '../../context.ts';
import { route } from '../../platform/http/route.ts';
import { presentQuote } from './present.ts';
import { quoteRoute } from './quote.ts';

export const quoteRoutes = [
  route(endpoints.getRouteQuote, async (ctx: Context, { caller, query }) =>
    presentQuote(await quoteRoute(ctx, caller, query)),
  ),
];
