import type { Asset } from '@quittance/contract';
import type { Context } from '../../context.ts';
import type { Router } from '../../outside/routers/router.ts';
import { SECOND_MS, within } from '../../platform/time.ts';

type Tools = Pick<Context, 'routers' | 'sandboxRouter' | 'config' | 'log' | 'caches'>;

/** The providers of a mode, in the order in which they are asked. */
export function routersOf(ctx: Omit<Tools, 'log' | 'caches'>, livemode: boolean): readonly Router[] {
  if (!livemode) return [ctx.sandboxRouter];
  // Without a fee recipient the service earns nothing from a route.
  const isOff = ctx.config.profile === 'production' && ctx.config.routes.feeRecipient === null;
  return isOff ? [] : ctx.routers;
}

/** A page does not wait longer than this for a provider's list of assets; the next request has it. */
const ANSWER_TIMEOUT_MS = 1.5 * SECOND_MS;

/** Whether some provider converts the pair, as far as is known. */
export async function canRoute(ctx: Tools, livemode: boolean, pay: Asset, receive: Asset): Promise<boolean> {
  for (const router of routersOf(ctx, livemode)) if (await supports(ctx, router, pay, receive)) return true;
  return false;
}

/** Answers from the cache, which asks again in the background when the answer is a minute old. */
function supports(ctx: Tools, router: Router, pay: Asset, receive: Asset): Promise<boolean> {
  const known = ctx.caches.routeSupport.get(`${router.name} ${pay.key} ${receive.key}`, () =>
    router.supports(pay, receive).catch((error: unknown) => {
      ctx.log.debug({ err: error, provider: router.name }, 'route provider did not return its supported assets');
      return false;
    }),
  );
  return within(ANSWER_TIMEOUT_MS, known, false);
}
