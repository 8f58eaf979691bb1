import type { Transaction } from '../platform/db/db.ts';
import { later, MINUTE_MS } from '../platform/time.ts';

/** A mail from further ahead is of a clock that was ahead. Processes that look at the same time are closer together. */
const MAX_AHEAD_MS = MINUTE_MS;

/**
 * Of these alarms, those that no process has mailed since that instant, which count as mailed now; and of the others the
 * time of their mail.
 */
export async function claimAlarmMails(
  db: Transaction,
  names: readonly string[],
  { now, since }: { now: Date; since: Date },
): Promise<{ name: string; mailedAt: Date | null }[]> {
  const claimed = await db.query<{ name: string }>(
    'claim_alarm_mails',
    `
    insert into alarm_mails as m (name, mailed_at)
    select name, $2 from unnest($1::text[]) as name order by name
    on conflict (name) do update set mailed_at = $2 where m.mailed_at <= $3 or m.mailed_at > $4
    returning name`,
    [names, now, since, later(now, MAX_AHEAD_MS)],
  );
  const others = await db.query<{ name: string; mailedAt: Date }>(
    'find_alarm_mails',
    'select name, mailed_at from alarm_mails where name = any($1) and name <> all($2)',
    [names, claimed.map(({ name }) => name)],
  );
  return [...claimed.map(({ name }) => ({ name, mailedAt: null })), ...others];
}
