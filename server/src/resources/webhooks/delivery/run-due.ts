import { setTimeout as pause } from 'node:timers/promises';
import type { Context } from '../../../context.ts';
import { attemptDelivery } from './attempt.ts';
import { type DueDelivery, leaseTheseDeliveries, releaseDeliveries, listDue, stillOpen } from './lease-store.ts';
import { type LeasedDelivery, wasDropped } from './delivery.ts';
import { openEndpoints } from './endpoint-state-store.ts';
import { recordAttempts } from './recorder.ts';

/** No more are loaded, because an account decides how many wait and how long each is. */
const AT_ONCE_PER_ENDPOINT = 4;
const LOOK_AGAIN_MS = 50;

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
  const run = async () => {
    if (!hasTime()) return;
    const until = await ctx.db.now();
    const endpointIds = await openEndpoints(ctx.db, { id: accountId, livemode: false });
    await Promise.all(endpointIds.map((endpointId) => serve(ctx, { endpointId, until }, hasTime)));
  };
  const done = ctx.lines.testDeliveries
    .inTurn(accountId, run)
    // No error: the clock has moved already, and the caller would move it again.
    .catch((error) => ctx.log.warn({ err: error }, 'deliveries of a test clock left to the worker'));
  await Promise.race([done, pause(deadlineMs, undefined, { ref: false })]);
}

/** Some at a time, in the order in which they became due, each once. */
async function serve(
  ctx: Context,
  { endpointId, until }: { endpointId: string; until: Date },
  hasTime: () => boolean,
): Promise<void> {
  const attempted = new Set<string>();
  // Attempted, and due again: a redelivery that fails leaves the earlier schedule of its delivery.
  const without: string[] = [];
  for (let from = new Date(0); hasTime(); ) {
    const due = await listDue(ctx.db, endpointId, { from, until, without, limit: AT_ONCE_PER_ENDPOINT });
    const last = due.at(-1);
    if (!last) return;
    without.push(...due.flatMap(({ id }) => (attempted.has(id) ? id : [])));
    await attemptAll(
      ctx,
      due.filter(({ id }) => !attempted.has(id)),
      hasTime,
    );
    for (const { id } of due) attempted.add(id);
    from = last.dueAt;
  }
}

async function attemptAll(ctx: Context, due: readonly DueDelivery[], hasTime: () => boolean): Promise<void> {
  for (let open = due; open.length > 0 && hasTime(); open = await stillOpen(ctx.db, open)) {
    const now = await ctx.db.now();
    const claimed = await leaseTheseDeliveries(ctx.db, ctx, now, open);
    // A worker attempts the rest.
    if (claimed.length === 0) await pause(LOOK_AGAIN_MS);
    await Promise.all(claimed.map((delivery) => attempt(ctx, delivery, now)));
  }
}

async function attempt(ctx: Context, delivery: LeasedDelivery, now: Date): Promise<void> {
  try {
    const attempted = await attemptDelivery(ctx, delivery, now);
    if (wasDropped(attempted)) await releaseDeliveries(ctx.db, [delivery]);
    else await recordAttempts(ctx, [attempted]);
  } catch (error) {
    // Its lease expires, and the worker makes the same attempt.
    ctx.log.error({ err: error }, 'delivery of a test clock not recorded');
  }
}
