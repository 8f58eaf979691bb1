import type { Context } from '../context.ts';
import type { Transaction } from '../platform/db/db.ts';
import type { RaisedAlarm } from '../platform/log.ts';
import { type Mail, queueMail } from '../platform/mails/queue-mail.ts';
import { DAY_MS, HOUR_MS, later } from '../platform/time.ts';
import { findOperatorEmail } from '../resources/accounts/store.ts';
import { sendMails } from '../resources/mails/send-mails.ts';
import { claimAlarmMails } from './store.ts';

const AGAIN_AFTER_MS = HOUR_MS;

/**
 * Mails the operator what this process has raised since the last call. Several processes raise the same alarm, and most
 * alarms are raised again until they end: each is mailed once an hour.
 */
export async function mailAlarms(ctx: Context): Promise<void> {
  if (ctx.raisedAlarms.size === 0) return;
  const raised = new Map(ctx.raisedAlarms);
  const isQueued = ctx.mail.available && (await ctx.db.transaction((db) => queueAlarms(ctx, db, raised)));
  for (const [name, alarm] of raised) if (ctx.raisedAlarms.get(name) === alarm) ctx.raisedAlarms.delete(name);
  // Not left to a worker, because its end may be what the alarm is about.
  if (isQueued) await sendMails(ctx);
}

async function queueAlarms(ctx: Context, db: Transaction, raised: ReadonlyMap<string, RaisedAlarm>): Promise<boolean> {
  const to = await findOperatorEmail(db);
  if (!to) return false;
  const now = await ctx.db.now();
  const names = await claimAlarmMails(db, [...raised.keys()], { now, since: later(now, -AGAIN_AFTER_MS) });
  const alarms = names.flatMap((name) => raised.get(name) ?? []);
  if (alarms.length === 0) return false;
  await queueMail(
    db,
    ctx.secrets,
    { to, ...alarmMail(alarms, ctx.config.publicUrl) },
    { now, usefulUntil: later(now, DAY_MS) },
  );
  return true;
}

function alarmMail(alarms: readonly RaisedAlarm[], publicUrl: string): Omit<Mail, 'to'> {
  const [first] = alarms;
  const rest = alarms.length - 1;
  return {
    subject: `Alarm: ${first?.alarm}${first?.facts.network ? ` (${first.facts.network})` : ''}${rest > 0 ? ` and ${rest} more` : ''}`,
    text: `The service at ${publicUrl} raised an alarm that needs you.

${alarms.map(paragraphOf).join('\n\n')}

"Alarms" in docs/operating.md of the release says what each one means and what to do. The log has the whole line.
An alarm is mailed again after an hour, if it is raised again.
`,
  };
}

function paragraphOf({ alarm, message, facts }: RaisedAlarm): string {
  return [alarm, message, ...Object.entries(facts).map(([name, value]) => `${name}: ${value}`)].join('\n');
}
