import type { Context } from '../../context.ts';
import type { Job } from '../../job.ts';
import { MAIL_CONNECTIONS } from '../../outside/mail/mail.ts';
import { PermanentError } from '../../platform/errors.ts';
import { randomBase62 } from '../../platform/ids.ts';
import { openMail } from '../../platform/mails/queue-mail.ts';
import { claimMails, type DueMail, finishMail, isMailWaiting, retryMail } from '../../platform/mails/store.ts';
import { later, MINUTE_MS, SECOND_MS } from '../../platform/time.ts';

const BATCH = 20;
const LEASE_MS = 2 * MINUTE_MS;
const RETRY_DELAYS_MS = [5 * SECOND_MS, 15 * SECOND_MS, 30 * SECOND_MS, MINUTE_MS, 2 * MINUTE_MS, 5 * MINUTE_MS];

/** Mail is sent by the worker, so that no request waits for a mail server. */
export const mailJob: Job = {
  name: 'mails',
  everyMs: SECOND_MS,
  channel: 'mails',
  async run(ctx) {
    return (await sendMails(ctx)) < BATCH ? 'idle' : 'more';
  },
};

/** Sends due mails. Returns how many it took, so that the caller knows whether to look again at once. */
export async function sendMails(ctx: Context): Promise<number> {
  if (!ctx.mail.available) return 0;
  let taken = 0;
  const send = async () => {
    while (taken < BATCH) {
      taken += 1;
      if ((await sendNext(ctx)) !== 'none_due') continue;
      taken -= 1;
      return;
    }
  };
  await Promise.all(Array.from({ length: MAIL_CONNECTIONS }, send));
  return taken;
}

/** Sends this mail if it is due, before all that wait. True once it is sent, by whomever, or will not be. */
export async function sendMail(ctx: Context, id: string): Promise<boolean> {
  const outcome = await sendNext(ctx, id);
  return outcome === 'none_due' ? !(await isMailWaiting(ctx.db, id)) : outcome === 'finished';
}

/** Leases one mail, because the lease would not outlast a wait for a slow mail server's connection. */
async function sendNext(ctx: Context, id?: string): Promise<'finished' | 'later' | 'none_due'> {
  const now = await ctx.db.now();
  const lease = randomBase62(16);
  const [mail] = await claimMails(ctx.db, { lease, now, leaseUntil: later(now, LEASE_MS), limit: 1, id });
  return mail ? sendOne(ctx, mail, lease, now) : 'none_due';
}

async function sendOne(ctx: Context, mail: DueMail, lease: string, now: Date): Promise<'finished' | 'later'> {
  if (mail.usefulUntil <= now) {
    await finishMail(ctx.db, { id: mail.id, lease, sentAt: null, error: 'expired before it could be sent' });
    ctx.log.warn({ mailId: mail.id, attempts: mail.attempts }, 'mail not delivered: giving up');
    return 'finished';
  }
  try {
    await ctx.mail.send(openMail(ctx.secrets, mail));
    await finishMail(ctx.db, { id: mail.id, lease, sentAt: now, error: null });
    return 'finished';
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    ctx.log.warn({ mailId: mail.id, attempts: mail.attempts, cause: reason }, 'mail not sent');
    if (error instanceof PermanentError) {
      await finishMail(ctx.db, { id: mail.id, lease, sentAt: null, error: reason });
      return 'finished';
    } else {
      const delayMs = RETRY_DELAYS_MS[Math.min(mail.attempts, RETRY_DELAYS_MS.length) - 1] as number;
      await retryMail(ctx.db, { id: mail.id, lease, due: later(now, delayMs), error: reason });
      return 'later';
    }
  }
}
