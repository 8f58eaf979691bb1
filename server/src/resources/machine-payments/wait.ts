import type { Context } from '../../context.ts';
import type { FeedRules } from '../../platform/db/feed.ts';
import { SECOND_MS } from '../../platform/time.ts';
import { findEnded } from './store.ts';

/** How long a program's request waits for the service's own verdict. */
const VERDICT_TIMEOUT_MS = 25 * SECOND_MS;
const LOOK_EVERY_MS = 1 * SECOND_MS;
const MAX_WAITING = 5_000;
const FEED = 'verdicts';

interface Waiter {
  paymentId: string;
  done(): void;
}

/** How long a request waits, by its `Prefer` header (RFC 7240): a program may choose a shorter wait. */
export function waitOf(prefer: string | string[] | undefined): number {
  const [, seconds] = /(?:^|[\s,;])wait=(\d{1,5})(?:$|[\s,;])/.exec(String(prefer ?? '')) ?? [];
  return seconds === undefined ? VERDICT_TIMEOUT_MS : Math.min(Number(seconds) * SECOND_MS, VERDICT_TIMEOUT_MS);
}

/** Resolves once the payment is no longer open, or its credential has ended, or at the timeout. */
export async function waitForVerdict(ctx: Context, paymentId: string, timeoutMs: number): Promise<void> {
  if (ctx.feeds.count(FEED) >= MAX_WAITING) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const { leave } = ctx.feeds.join<Waiter>(FEED, { paymentId, done: resolve }, () => verdictFeed(ctx));
  const timer = setTimeout(resolve, timeoutMs);
  await promise;
  clearTimeout(timer);
  leave();
}

/** One feed for all payments: one query serves all waiting requests. */
function verdictFeed(ctx: Context): FeedRules<Waiter> {
  return {
    db: ctx.db,
    channel: 'payments',
    concerns: () => true,
    everyMs: LOOK_EVERY_MS,
    async look(waiters) {
      const ended = await findEnded(ctx.db, [...new Set([...waiters].map((waiter) => waiter.paymentId))]);
      for (const waiter of waiters) if (ended.has(waiter.paymentId)) waiter.done();
      return 'idle';
    },
    failed: (error) => ctx.log.warn({ err: error }, 'verdicts for programs could not be looked up'),
    end: (waiter) => waiter.done(),
  };
}
