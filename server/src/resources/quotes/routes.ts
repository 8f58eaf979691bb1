import { endpoints } from '@quittance/contract';
import type { Context } from '../../context.ts';
import { route } from '../../platform/http/route.ts';
import { presentQuote } from './present.ts';
import { quoteRoute } from './quote.ts';

/** Each writes a row, and often asks a route provider. */
export const MAX_QUOTES_PER_MINUTE = 600;

export const quoteRoutes = [
  route(
    endpoints.getRouteQuote,
    async (ctx: Context, { caller, query }) => presentQuote(await quoteRoute(ctx, caller, query)),
    {
      quota: {
        name: 'quotes',
        perMinute: MAX_QUOTES_PER_MINUTE,
        by: 'account',
        message:
          `The account has asked for ${MAX_QUOTES_PER_MINUTE} quotes within a minute, which is the limit. ` +
          `Try again after \`Retry-After\` seconds.`,
      },
    },
  ),
];
