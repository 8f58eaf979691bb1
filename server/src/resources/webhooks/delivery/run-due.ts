import { setTimeout as pause } from 'node:timers/promises';
import type { Context } from '../../../context.ts';
import { later } from '../../../platform/time.ts';
import { attemptDelivery } from './attempt.ts';
import { leaseTheseDeliveries, releaseDeliveries, listDue, stillOpen } from './lease-store.ts';
import { type LeasedDelivery, wasDropped } from './delivery.ts';
import { recordAttempts } from './recorder.ts';

const AT_ONCE_PER_ENDPOINT = 4;
const LOOK_AGAIN_MS = 25;

/**
 * Attempts every due delivery of the account's test mode once. Returns when all of them are recorded, including those
 * that a worker attempted, or at the deadline. The worker attempts the rest.
 */
export async function runDueDeliveries(
  ctx: Context,
  { accountId, deadlineMs }: { accountId: string; deadlineMs: number },
): Promise<void> {
  const startedAt = performance.now();
  const hasTime = () => performance.now() - startedAt < deadlineMs;
  const ended = pause(deadlineMs, undefined, { ref: false });
  const due = await listDue(ctx.db, accountId, await ctx.db.now());
  let open = due;

  while (open.length > 0 && hasTime()) {
    const mono = performance.now();
    const now = await ctx.db.now();
    const claimed = await leaseTheseDeliveries(ctx.db, ctx, now, open);
    const running = [...byEndpoint(claimed)].map((queue) =>
      sendAll(ctx, queue, () => later(now, performance.now() - mono), hasTime),
    );
    await Promise.race([Promise.all(running), ended]);
    open = await stillOpen(ctx.db, open);
    // A worker attempts the rest.
    if (open.length > 0 && claimed.length === 0) await pause(LOOK_AGAIN_MS);
  }
}

/** A few at once. Releases what cannot start in time. */
async function sendAll(ctx: Context, queue: LeasedDelivery[], now: () => Date, hasTime: () => boolean): Promise<void> {
  const sendNext = async (): Promise<void> => {
    for (let delivery = queue.shift(); delivery && hasTime(); delivery = queue.shift()) {
      const attempted = await attemptDelivery(ctx, delivery, now());
      if (wasDropped(attempted)) await releaseDeliveries(ctx.db, [delivery]);
      else await recordAttempts(ctx, [attempted]);
    }
  };
  try {
    await Promise.all(Array.from({ length: AT_ONCE_PER_ENDPOINT }, sendNext));
    await releaseDeliveries(ctx.db, queue);
  } catch (error) {
    // Their leases expire, and the worker makes the same attempts.
    ctx.log.error({ err: error }, 'deliveries of a test clock not recorded');
  }
}

function byEndpoint(claimed: readonly LeasedDelivery[]): Iterable<LeasedDelivery[]> {
  return Map.groupBy(claimed, ({ endpointId }) => endpointId).values();
}
