import type { Context } from '../../../context.ts';
import type { Account } from '../../../platform/caller.ts';
import { ApiError } from '../../../platform/errors.ts';
import { SECOND_MS } from '../../../platform/time.ts';

const BURST = 60;
const REFILL_MS = 1 * SECOND_MS;
const MAX_ACCOUNTS = 10_000;

/**
 * Test deliveries go to any address an account names. The limit of sixty, then one a second, keeps them from flooding a
 * stranger.
 */
export function takeTest({ caches }: Pick<Context, 'caches'>, account: Account): void {
  const fullAt = caches.testBursts;
  const now = performance.now();
  const next = Math.max(now, fullAt.get(account.id) ?? 0) + REFILL_MS;
  if (next - now > BURST * REFILL_MS) {
    throw new ApiError('rate_limited', {
      retryAfterSeconds: Math.ceil((next - now) / SECOND_MS) - BURST,
      message: 'Too many test deliveries. Try again after `Retry-After` seconds.',
    });
  }
  if (fullAt.size >= MAX_ACCOUNTS) for (const [id, at] of fullAt) if (at < now) fullAt.delete(id);
  fullAt.set(account.id, next);
}
