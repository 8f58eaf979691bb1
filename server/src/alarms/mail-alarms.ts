import type { Context } from '../context.ts';
import type { Transaction } from '../platform/db/db.ts';
import type { RaisedAlarm } from '../platform/log.ts';
import { type Mail, queueMail } from '../platform/mails/queue-mail.ts';
import { DAY_MS, HOUR_MS, later, MINUTE_MS } from '../platform/time.ts';
import { findOperatorEmail } from '../resources/accounts/store.ts';
import { sendMail } from '../resources/mails/send-mails.ts';
import { claimAlarmMails } from './store.ts';
import { whatToDo } from './what-to-do.ts';

const AGAIN_AFTER_MS = HOUR_MS;
/** Processes raise the same alarm within about this time. One mail is of all of them. */
const SAME_MS = MINUTE_MS;

/** The mails of alarms that this process has still to send. */
export type UnsentMails = Set<string>;

/**
 * Mails the operator what this process has raised. Several processes raise the same alarm, and most alarms are raised again
 * until they end: each is mailed once an hour. One that is raised before the hour is over waits for its end.
 */
export async function mailAlarms(ctx: Context, unsent: UnsentMails): Promise<void> {
  await queueAlarms(ctx, unsent);
  // Not left to a worker, because its end may be what the alarm is about.
  for (const id of unsent) if (await sendMail(ctx, id)) unsent.delete(id);
}

/** Queues the mail of what was raised. */
export async function queueAlarms(ctx: Context, unsent: UnsentMails): Promise<void> {
  const raised = new Map(ctx.raisedAlarms);
  if (raised.size === 0) return;
  const now = await ctx.db.now();
  const done = ctx.mail.available
    ? await ctx.db.transaction((db) => queue(ctx, db, { raised, now }, unsent))
    : new Set(raised.keys());
  // What was raised again meanwhile is not in this mail.
  for (const name of done) if (ctx.raisedAlarms.get(name) === raised.get(name)) ctx.raisedAlarms.delete(name);
}

/** Returns the names of the alarms that need no mail any more. */
async function queue(
  ctx: Context,
  db: Transaction,
  { raised, now }: { raised: ReadonlyMap<string, RaisedAlarm>; now: Date },
  unsent: UnsentMails,
): Promise<ReadonlySet<string>> {
  const to = await findOperatorEmail(db);
  if (!to) return new Set(raised.keys());
  for (const alarm of raised.values()) alarm.seenAt ??= now;
  const mails = await claimAlarmMails(db, [...raised.keys()], { now, since: later(now, -AGAIN_AFTER_MS) });
  const mailed = new Map(mails.map(({ name, mailedAt }) => [name, mailedAt]));
  const alarms = [...raised].flatMap(([name, alarm]) => (mailed.get(name) === null ? [alarm] : []));
  if (alarms.length > 0) {
    const mail = { to, ...alarmMail(alarms, ctx.config.publicUrl) };
    const id = await queueMail(db, ctx.secrets, mail, { now, usefulUntil: later(now, DAY_MS) });
    db.afterCommit(() => unsent.add(id));
  }
  const isDone = ([name, { seenAt = now }]: [string, RaisedAlarm]) => {
    const at = mailed.get(name);
    return !at || seenAt.getTime() - at.getTime() < SAME_MS;
  };
  return new Set([...raised].filter(isDone).map(([name]) => name));
}

function alarmMail(alarms: readonly RaisedAlarm[], publicUrl: string): Omit<Mail, 'to'> {
  const [first] = alarms;
  const rest = alarms.length - 1;
  return {
    subject: `Alarm: ${first?.alarm}${first?.facts.network ? ` (${first.facts.network})` : ''}${rest > 0 ? ` and ${rest} more` : ''}`,
    text: `The service at ${publicUrl} needs you. It raised:

${alarms.map(paragraphOf).join('\n\n')}

"Alarms" in docs/operating.md of the release says what each one means. The log has the whole line.
An alarm that is raised again is mailed again after an hour.
`,
  };
}

function paragraphOf({ alarm, message, facts, times }: RaisedAlarm): string {
  const advice = whatToDo(alarm);
  return [
    alarm,
    message,
    ...Object.entries(facts).map(([name, value]) => `${name}: ${value}`),
    ...(times > 1 ? [`raised ${times} times; these are the last one's facts`] : []),
    ...(advice === null ? [] : [`What to do: ${advice}`]),
  ].join('\n');
}
