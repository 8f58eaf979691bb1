import type { Asset } from '@quittance/contract';
import type { Context } from '../../context.ts';
import type { Router } from '../../outside/routers/router.ts';
import { MINUTE_MS, SECOND_MS, within } from '../../platform/time.ts';

type Tools = Pick<Context, 'routers' | 'sandboxRouter' | 'config' | 'log'>;

/** The providers of a mode, in the order in which they are asked. */
export function routersOf(ctx: Omit<Tools, 'log'>, livemode: boolean): readonly Router[] {
  if (!livemode) return [ctx.sandboxRouter];
  // Without a fee recipient the service earns nothing from a route.
  const isOff = ctx.config.profile === 'production' && ctx.config.routes.feeRecipient === null;
  return isOff ? [] : ctx.routers;
}

const FRESH_MS = 1 * MINUTE_MS;
/** A page does not wait longer than this for a provider's list of assets; the next request has it. */
const ANSWER_TIMEOUT_MS = 1.5 * SECOND_MS;

interface CachedSupport {
  answer: boolean;
  /** When it was last asked, by the monotonic clock. */
  askedAt: number;
  asking: Promise<unknown> | null;
}

const known = new WeakMap<Router, Map<string, CachedSupport>>();

/** Whether some provider converts the pair, as far as is known. */
export async function canRoute(ctx: Tools, livemode: boolean, pay: Asset, receive: Asset): Promise<boolean> {
  for (const router of routersOf(ctx, livemode)) if (await supports(ctx, router, pay, receive)) return true;
  return false;
}

/** Answers from the cache, and refreshes it in the background when it is a minute old. */
async function supports(ctx: Tools, router: Router, pay: Asset, receive: Asset): Promise<boolean> {
  const pairs = known.get(router) ?? new Map<string, CachedSupport>();
  known.set(router, pairs);
  const pair = `${pay.key} ${receive.key}`;
  const before = pairs.get(pair);
  const entry = before ?? { answer: false, askedAt: Number.NEGATIVE_INFINITY, asking: null };
  pairs.set(pair, entry);

  if (!entry.asking && performance.now() - entry.askedAt > FRESH_MS) {
    entry.asking = router
      .supports(pay, receive)
      .then(
        (answer) => {
          entry.answer = answer;
        },
        (error: unknown) => {
          entry.answer = false;
          ctx.log.debug({ err: error, provider: router.name }, 'route provider did not return its supported assets');
        },
      )
      .finally(() => {
        entry.asking = null;
        entry.askedAt = performance.now();
      });
  }
  if (entry.asking && entry.askedAt === Number.NEGATIVE_INFINITY)
    await within(ANSWER_TIMEOUT_MS, entry.asking, undefined);
  return entry.answer;
}
