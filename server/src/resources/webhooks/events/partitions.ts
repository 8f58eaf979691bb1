import { setTimeout as pause } from 'node:timers/promises';
import type { Context } from '../../../context.ts';
import type { Job } from '../../../job.ts';
import type { Database } from '../../../platform/db/db.ts';
import { DAY_MS, HOUR_MS, later } from '../../../platform/time.ts';
import {
  TABLES,
  MOVED_AT_ONCE,
  monthOf,
  createMonth,
  dropMonth,
  moveBatchToPresent,
  deleteCaught,
  findMonths,
  runExclusively,
  type ExpiredEndpoint,
  markNotified,
} from './partition-store.ts';
import { type Mail, queueMail } from '../../../platform/mails/queue-mail.ts';

const MONTHS_AHEAD = 2;
/** Keeps a partition ready for each coming month, and drops the months whose retention has ended. */
export const partitionsJob: Job = {
  name: 'partitions',
  everyMs: HOUR_MS,
  async run(ctx) {
    const { db, config, log } = ctx;
    const now = await db.now();
    for (let ahead = 0; ahead <= MONTHS_AHEAD; ahead += 1) await createMonth(db, monthOf(now, ahead));
    const dropped = await dropMonthsBefore(ctx, now, config.retentionDays);
    if (dropped.length > 0) log.info({ dropped }, 'event and delivery partitions dropped: retention ended');
    return 'idle';
  },
};

/** What dropping needs: the settings, and the means to notify merchants. */
type DropContext = Pick<Context, 'db' | 'config' | 'secrets' | 'log'>;

/**
 * Drops whole months that are older than this number of days. First moves pending deliveries and their events into the
 * present, batch by batch. Parked ones have waited long enough, and their merchants are notified. Returns the names of
 * the months.
 */
export async function dropMonthsBefore(ctx: DropContext, now: Date, days: number): Promise<string[]> {
  const { db } = ctx;
  const cutoff = later(now, -days * DAY_MS);
  const end = monthOf(cutoff).from;
  const months = (await findMonths(db)).filter(({ to }) => to <= cutoff);
  await moveToPresent(db, end, now);
  await reportExpired(ctx, end, now);
  for (const table of TABLES) await deleteCaught(db, table, end);

  const dropped: string[] = [];
  for (const month of months) if (await dropMonth(db, month)) dropped.push(month.name);
  return dropped;
}

/** Gives pending deliveries from before the instant, and their events, the current time as their recording time. */
async function moveToPresent(db: Database, before: Date, now: Date): Promise<void> {
  for (let moved = MOVED_AT_ONCE; moved === MOVED_AT_ONCE; ) {
    const startedAt = performance.now();
    moved = 0;
    // Two workers would move the same rows, and a row that moved to another partition cannot be waited for.
    await runExclusively(db, async (own) => {
      moved = await moveBatchToPresent(own, before, now);
    });
    if (moved > 0) await pause(performance.now() - startedAt);
  }
}

/** A run that is repeated, because it could not drop everything, notifies a merchant once. */
const NOTIFY_AGAIN_MS = 14 * DAY_MS;

/**
 * Notifies merchants that parked deliveries from before the instant expire now, because their endpoints have been
 * disabled for too long.
 */
async function reportExpired(
  ctx: Pick<Context, 'db' | 'config' | 'secrets' | 'log'>,
  before: Date,
  now: Date,
): Promise<void> {
  await ctx.db.transaction(async (db) => {
    const expired = await markNotified(db, before, now, later(now, -NOTIFY_AGAIN_MS));
    for (const endpoint of expired) {
      const deliveries = endpoint.parked;
      ctx.log.warn(
        { endpointId: endpoint.id, deliveries: String(deliveries) },
        'parked webhook deliveries cancelled after their time',
      );
      if (endpoint.email === null) continue;
      const mail = expiredMail(ctx, { ...endpoint, email: endpoint.email });
      await queueMail(db, ctx.secrets, mail, { now, usefulUntil: later(now, 7 * DAY_MS) });
    }
    if (expired.length > 0) db.afterCommit(() => ctx.db.notify('mails'));
  });
}

function expiredMail(ctx: Pick<Context, 'config'>, endpoint: ExpiredEndpoint & { email: string }): Mail {
  const parked = endpoint.parked.toLocaleString('en-US');
  return {
    to: endpoint.email,
    subject: 'Webhook deliveries were canceled',
    text: `One of your webhook endpoints has been disabled for so long that ${parked} of the deliveries
parked for it were canceled. They are older than the ${ctx.config.retentionDays} days for which this server keeps events.

Endpoint: ${endpoint.url}
Id:       ${endpoint.id}

Payments are not affected. Enable the endpoint to receive what is still parked, or delete it if it is no longer used:
${ctx.config.publicUrl}/dashboard
`,
  };
}
