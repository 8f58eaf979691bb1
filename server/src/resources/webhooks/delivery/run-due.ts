import { setTimeout as pause } from 'node:timers/promises';
import type { Context } from '../../../context.ts';
import type { Db } from '../../../platform/db/db.ts';
import { later } from '../../../platform/time.ts';
import { attemptDelivery } from './attempt.ts';
import { leaseTheseDeliveries, releaseDeliveries } from './lease-store.ts';
import { type LeasedDelivery, wasDropped } from './delivery.ts';
import { recordAttempts } from './record-attempts.ts';

const AT_ONCE_PER_ENDPOINT = 4;
const LOOK_AGAIN_MS = 25;

/** Moves the retries of an account's test mode as much nearer as its test clock was advanced. */
export async function shiftDeliveries(db: Db, accountId: string, ms: number): Promise<void> {
  await db.query(
    'shift_deliveries',
    `
    update deliveries set due_at = due_at - $2 * interval '1 millisecond',
                          resume_due_at = resume_due_at - $2 * interval '1 millisecond'
     where account_id = $1 and not livemode and state = 'pending'
       and endpoint_id in (select id from webhook_endpoints where account_id = $1 and not livemode)`,
    [accountId, ms],
  );
}

/**
 * Makes one attempt of every delivery that is due in the account's test mode, and returns when all of them are
 * recorded, whoever made them; at the latest at the deadline, with what is left to the worker.
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
    const claimed = await leaseTheseDeliveries(ctx.db, ctx.secrets, now, open);
    const running = [...byEndpoint(claimed)].map((queue) =>
      sendAll(ctx, queue, () => later(now, performance.now() - mono), hasTime),
    );
    await Promise.race([Promise.all(running), ended]);
    open = await stillOpen(ctx.db, open);
    // The rest is on its way in a worker.
    if (open.length > 0 && claimed.length === 0) await pause(LOOK_AGAIN_MS);
  }
}

/** A few at once; what has no time left to begin is given back. */
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
    // Their leases run out, and the worker makes the same attempts.
    ctx.log.error({ err: error }, 'deliveries of a test clock not recorded');
  }
}

interface DueDelivery {
  id: string;
  endpointId: string;
  recordedAt: Date;
  dueAt: Date;
}

async function listDue(db: Db, accountId: string, now: Date): Promise<DueDelivery[]> {
  const rows = await db.query<{ id: string; endpoint_id: string; recorded_at: Date; due_at: Date }>(
    'list_due',
    `
    select d.id, d.endpoint_id, d.recorded_at, d.due_at
      from webhook_endpoints endpoint
      join deliveries d on d.endpoint_id = endpoint.id and d.state = 'pending' and d.due_at <= $2
     where endpoint.account_id = $1 and not endpoint.livemode and endpoint.status = 'active' and endpoint.deleted_at is null
     order by d.due_at`,
    [accountId, now],
  );
  return rows.map((row) => ({
    id: row.id,
    endpointId: row.endpoint_id,
    recordedAt: row.recorded_at,
    dueAt: row.due_at,
  }));
}

/** Those that stand as they stood: an attempt makes them due later, or ends them. */
async function stillOpen(db: Db, deliveries: readonly DueDelivery[]): Promise<DueDelivery[]> {
  const rows = await db.query<{ id: string }>(
    'still_open',
    `
    select d.id
      from unnest($1::timestamptz[], $2::text[], $3::timestamptz[]) as known (recorded_at, id, due_at)
      join deliveries d on d.recorded_at = known.recorded_at and d.id = known.id
     where d.due_at = known.due_at`,
    [
      deliveries.map(({ recordedAt }) => recordedAt),
      deliveries.map(({ id }) => id),
      deliveries.map(({ dueAt }) => dueAt),
    ],
  );
  const open = new Set(rows.map(({ id }) => id));
  return deliveries.filter(({ id }) => open.has(id));
}

function byEndpoint(claimed: readonly LeasedDelivery[]): Iterable<LeasedDelivery[]> {
  return Map.groupBy(claimed, ({ endpointId }) => endpointId).values();
}
