import type { Account } from '../../platform/caller.ts';
import type { Db } from '../../platform/db/db.ts';

/** The sales of one day or a part of it: one entry of `paid` per currency and route. */
export interface Activity {
  paid: { currency: string; route: string; paid: number; volumeMinor: bigint; feeMinor: bigint }[];
  started: number;
}

/** The sales of a day up to an instant. */
export interface ActivitySoFar extends Activity {
  until: Date;
}

interface KeptEntry {
  currency: string;
  route: string;
  paid: number;
  volume_minor: string;
  fee_minor: string;
}

/** Those of these days that have a stored sum. */
export async function findDays(db: Db, account: Account, days: readonly string[]): Promise<Map<string, Activity>> {
  const rows = await db.query<{ day: string; paid: KeptEntry[]; started: number }>(
    'find_activity_days',
    `
    select day::text as day, paid, started from activity_days
     where account_id = $1 and livemode = $2 and day = any($3::date[])`,
    [account.id, account.livemode, days],
  );
  return new Map(rows.map((row) => [row.day, { started: row.started, paid: row.paid.map(fromEntry) }]));
}

export async function keepDays(
  db: Db,
  account: Account,
  days: readonly (readonly [string, Activity])[],
): Promise<void> {
  if (days.length === 0) return;
  const paid = days.map(([, { paid: entries }]) => JSON.stringify(entries.map(toEntry)));
  await db.query(
    'keep_activity_days',
    `
    insert into activity_days (account_id, livemode, day, paid, started)
    select $1, $2, one.day, one.paid::jsonb, one.started
      from unnest($3::date[], $4::text[], $5::integer[]) as one (day, paid, started)
    on conflict do nothing`,
    [account.id, account.livemode, days.map(([day]) => day), paid, days.map(([, { started }]) => started)],
  );
}

/** How far a day that is not over has been summed. */
export async function findDaySoFar(db: Db, account: Account, day: string): Promise<ActivitySoFar | undefined> {
  const [row] = await db.query<{ summedUntil: Date; paid: KeptEntry[]; started: number }>(
    'find_day_so_far',
    `
    select summed_until, paid, started from activity_so_far where account_id = $1 and livemode = $2 and day = $3`,
    [account.id, account.livemode, day],
  );
  return row && { until: row.summedUntil, started: row.started, paid: row.paid.map(fromEntry) };
}

/** Stores how far a day has been summed, if no other request went further, and deletes what is over. */
export async function keepDaySoFar(
  db: Db,
  account: Account,
  day: string,
  { until, paid, started }: ActivitySoFar,
): Promise<void> {
  await db.query(
    'keep_day_so_far',
    `
    with over as (delete from activity_so_far where account_id = $1 and livemode = $2 and day < $3::date - 1)
    insert into activity_so_far as sum (account_id, livemode, day, summed_until, paid, started) values ($1, $2, $3, $4, $5, $6)
        on conflict (account_id, livemode, day) do update
       set summed_until = excluded.summed_until, paid = excluded.paid, started = excluded.started
     where sum.summed_until < excluded.summed_until`,
    [account.id, account.livemode, day, until, JSON.stringify(paid.map(toEntry)), started],
  );
}

function fromEntry({ currency, route, paid, volume_minor, fee_minor }: KeptEntry): Activity['paid'][number] {
  return { currency, route, paid, volumeMinor: BigInt(volume_minor), feeMinor: BigInt(fee_minor) };
}

function toEntry({ currency, route, paid, volumeMinor, feeMinor }: Activity['paid'][number]): KeptEntry {
  return { currency, route, paid, volume_minor: volumeMinor.toString(), fee_minor: feeMinor.toString() };
}

/** A payment that was accepted although a part is missing counts with what arrived: `soldMinor` in SQL. */
export async function sumPaid(db: Db, account: Account, { from, to }: { from: Date; to: Date }) {
  return db.query<{
    day: string;
    currency: string;
    route: string;
    payments: bigint;
    volumeMinor: bigint;
    feeMinor: bigint;
  }>(
    'sum_paid_by_day',
    `
    select (p.paid_at at time zone 'UTC')::date::text as day, s.currency, p.route, count(*) as payments,
           coalesce(sum(case when p.actual_output_units < p.expected_output_units
                               and exists (select from payment_states st
                                            where st.payment_id = p.id and st.status = 'refund_required')
                             then div(s.amount_minor * p.actual_output_units, p.expected_output_units)
                             else s.amount_minor end), 0) as volume_minor,
           coalesce(sum(p.service_fee_minor), 0) as fee_minor
      from payments p join checkout_sessions s on s.id = p.session_id
     where p.account_id = $1 and p.livemode = $2 and p.paid_at >= $3 and p.paid_at < $4
     group by 1, 2, 3`,
    [account.id, account.livemode, from, to],
  );
}

export async function sumStarted(db: Db, account: Account, { from, to }: { from: Date; to: Date }) {
  return db.query<{ day: string; payments: bigint }>(
    'sum_started_by_day',
    `
    select (started_at at time zone 'UTC')::date::text as day, count(*) as payments
      from payments
     where account_id = $1 and livemode = $2 and started_at >= $3 and started_at < $4
     group by 1`,
    [account.id, account.livemode, from, to],
  );
}
