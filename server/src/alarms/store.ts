import type { Transaction } from '../platform/db/db.ts';

/** Of these alarms, those that no process has mailed since that instant. They count as mailed now. */
export async function claimAlarmMails(
  db: Transaction,
  names: readonly string[],
  { now, since }: { now: Date; since: Date },
): Promise<string[]> {
  const rows = await db.query<{ name: string }>(
    'claim_alarm_mails',
    `
    insert into alarm_mails as m (name, mailed_at)
    select name, $2 from unnest($1::text[]) as name order by name
    on conflict (name) do update set mailed_at = $2 where m.mailed_at <= $3
    returning name`,
    [names, now, since],
  );
  return rows.map(({ name }) => name);
}
