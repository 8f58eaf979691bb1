import type { Context } from '../../../context.ts';
import type { Mail } from '../../../platform/mails/mail.ts';
import { queueMail } from '../../../platform/mails/queue-mail.ts';
import { DAY_MS, later } from '../../../platform/time.ts';
import { type ExpiredEndpoint, markNotified } from './partition-store.ts';

/** A run that is repeated, because it could not drop everything, notifies a merchant once. */
const NOTIFY_AGAIN_MS = 14 * DAY_MS;

/**
 * Notifies merchants that parked deliveries from before the instant expire now, because their endpoints have been
 * disabled for too long.
 */
export async function reportExpired(
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
