import { endpoints } from '@quittance/contract';
import type { Context } from '../../context.ts';
import { fail } from '../../platform/errors.ts';
import { route } from '../../platform/http/route.ts';
import { presentSession } from '../checkout-sessions/present.ts';
import { findSession } from '../checkout-sessions/store.ts';
import { advanceClock } from './advance.ts';
import { simulatePayment } from './simulate-payment.ts';

/** Each has two paths: the documented one, and one with hyphens like all other paths. */
export const testHelperRoutes = [
  ...[endpoints.testPaySession, hyphenated(endpoints.testPaySession)].map((endpoint) =>
    route(
      endpoint,
      async (ctx: Context, { caller, params, body }) => {
        (await findSession(ctx.db, caller, params.id)) ?? fail('not_found', { param: 'id' });
        const input = { asset: body.pay_asset, network: body.pay_network, outcome: body.outcome };
        await simulatePayment(ctx, params.id, input, null);
        const { session, progress } =
          (await findSession(ctx.db, caller, params.id)) ?? fail('not_found', { param: 'id' });
        return presentSession(session, progress, ctx.config);
      },
      { transaction: false },
    ),
  ),
  ...[endpoints.advanceTestClock, hyphenated(endpoints.advanceTestClock)].map((endpoint) =>
    route(endpoint, (ctx: Context, { caller, body }) => advanceClock(ctx, caller, body.seconds), {
      transaction: false,
    }),
  ),
];

function hyphenated<E extends { path: string }>(endpoint: E): E {
  return { ...endpoint, path: endpoint.path.replace('/test_helpers/', '/test-helpers/') };
}
