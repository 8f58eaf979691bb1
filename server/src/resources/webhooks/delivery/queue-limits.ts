import type { Context } from '../../../context.ts';
import type { Job } from '../../../job.ts';
import { type Mail, queueMail } from '../../../platform/mails/queue-mail.ts';
import { DAY_MS, later, MINUTE_MS } from '../../../platform/time.ts';
import { MAX_WAITING_PER_ACCOUNT, type Queue, listQueues, countUncollected, setCollecting } from './parking-store.ts';

/** Deliveries that a disabled endpoint collects, and how few must be left before it collects again. */
export const MAX_PARKED_PER_ENDPOINT = 10_000;
const MIN_ROOM = MAX_PARKED_PER_ENDPOINT / 2;
/** The endpoints that must stop or may start collecting deliveries. Endpoints with short queues always collect. */
export function changedCollectors(queues: readonly Queue[]): Queue[] {
  const ofAccount = new Map<string, number>();
  for (const { accountId, waiting } of queues) ofAccount.set(accountId, (ofAccount.get(accountId) ?? 0) + waiting);
  return queues.flatMap((queue) => {
    const isOver = (ofAccount.get(queue.accountId) ?? 0) >= MAX_WAITING_PER_ACCOUNT;
    const isLong = queue.waiting >= (queue.collects ? MAX_PARKED_PER_ENDPOINT : MIN_ROOM);
    const collects = !(isLong && (queue.status === 'disabled' || isOver));
    return collects === queue.collects ? [] : [{ ...queue, collects }];
  });
}

/** Keeps queues within their limits: counts what a full endpoint misses, and notifies its merchant. */
export const waitingJob: Job = {
  name: 'waiting deliveries',
  everyMs: MINUTE_MS,
  async run(ctx) {
    const now = await ctx.db.now();
    const changed = changedCollectors(await listQueues(ctx.db));
    await countUncollected(ctx.db, now);
    await ctx.db.transaction(async (db) => {
      const full = changed.filter(({ collects }) => !collects);
      await setCollecting(
        db,
        changed.filter(({ collects }) => collects),
        null,
      );
      for (const endpoint of await setCollecting(db, full, now)) {
        ctx.log.warn({ endpointId: endpoint.id }, 'webhook endpoint full: events counted and not collected');
        if (endpoint.email === null) continue;
        const mail = fullMail(ctx, { ...endpoint, email: endpoint.email });
        await queueMail(db, ctx.secrets, mail, { now, usefulUntil: later(now, 7 * DAY_MS) });
      }
      if (full.length > 0) db.afterCommit(() => ctx.db.notify('mails'));
    });
    return 'idle';
  },
};

function fullMail(ctx: Pick<Context, 'config'>, { id, url, email }: { id: string; url: string; email: string }): Mail {
  const limit = MAX_PARKED_PER_ENDPOINT.toLocaleString('en-US');
  return {
    to: email,
    subject: 'Your webhook endpoint no longer collects events',
    text: `More than ${limit} deliveries wait for one of your webhook endpoints. New events are not queued for it until there is room again.

Endpoint: ${url}
Id:       ${id}

Nothing is lost: every event is kept and listed by GET /v1/events, and \`delivery_status.uncollected\` of the endpoint counts them.
Repair the endpoint and enable it, or delete it if it is no longer used: ${ctx.config.publicUrl}/dashboard
`,
  };
}
