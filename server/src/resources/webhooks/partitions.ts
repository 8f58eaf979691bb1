import type { Job } from '../../job.ts';
import type { Database, Transaction } from '../../platform/db/db.ts';
import { DAY_MS, HOUR_MS, later } from '../../platform/time.ts';

const TABLES = ['events', 'deliveries', 'delivery_attempts'] as const;
const MONTHS_AHEAD = 2;

/** Keeps a partition ready for each month to come, and drops the months that are past keeping. */
export const partitionsJob: Job = {
  name: 'partitions',
  everyMs: HOUR_MS,
  async run({ db, config, log }) {
    const now = await db.now();
    for (let ahead = 0; ahead <= MONTHS_AHEAD; ahead += 1) await createMonth(db, monthOf(now, ahead));
    const dropped = await dropMonthsBefore(db, now, config.retentionDays);
    if (dropped.length > 0) log.info({ dropped }, 'event and delivery partitions dropped: retention ended');
    return 'idle';
  },
};

/** A month of real time, `2026_11`, from its first instant to that of the next. */
export interface Month {
  name: string;
  from: Date;
  to: Date;
}

export function monthOf(instant: Date, ahead = 0): Month {
  const from = new Date(Date.UTC(instant.getUTCFullYear(), instant.getUTCMonth() + ahead, 1));
  const to = new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + 1, 1));
  return { name: `${from.getUTCFullYear()}_${String(from.getUTCMonth() + 1).padStart(2, '0')}`, from, to };
}

/** Makes the month's partitions. What the default partition has caught of that month moves into them. */
export async function createMonth(db: Database, month: Month): Promise<void> {
  for (const table of TABLES) {
    if ((await monthsOf(db, table)).some(({ name }) => name === month.name)) continue;
    await alone(db, async (own) => {
      if ((await monthsOf(own, table)).some(({ name }) => name === month.name)) return;
      const partition = `${table}_${month.name}`;
      const range = `recorded_at >= '${month.from.toISOString()}' and recorded_at < '${month.to.toISOString()}'`;
      const run = (step: string, sql: string) => own.query(`partition_${step}_${partition}`, sql);
      // Writers wait here, before they decide which partition a row belongs to: one that had decided would be refused.
      await run('lock', `lock table ${table} in share row exclusive mode`);
      // Deliveries are updated where they stand while they are leased, which needs room on their page.
      await run(
        'create',
        `create table ${partition} (like ${table} including all) ${table === 'deliveries' ? 'with (fillfactor = 80)' : ''}`,
      );
      await run(
        'move',
        `with moved as (delete from ${table}_default where ${range} returning *) insert into ${partition} select * from moved`,
      );
      await run(
        'attach',
        `
        alter table ${table} attach partition ${partition} for values from ('${month.from.toISOString()}') to ('${month.to.toISOString()}')`,
      );
    });
  }
}

/**
 * Drops what is older than so many days, by whole months. Deliveries that still wait, and their events, move on into
 * the present first. Answers the names of the months.
 */
export async function dropMonthsBefore(db: Database, now: Date, days: number): Promise<string[]> {
  const cutoff = later(now, -days * DAY_MS);
  const months = (await monthsOf(db, 'events')).filter(({ to }) => to <= cutoff);
  const end = monthOf(cutoff).from;
  await alone(db, async (own) => {
    await moveOn(own, end, now);
    for (const table of TABLES)
      await own.query(`delete_${table}_before`, `delete from ${table}_default where recorded_at < $1`, [end]);
  });

  const dropped: string[] = [];
  for (const month of months) {
    await alone(db, async (own) => {
      await moveOn(own, month.to, now);
      for (const table of TABLES)
        await own.query(`drop_${table}_${month.name}`, `drop table if exists ${table}_${month.name}`);
      dropped.push(month.name);
    });
  }
  return dropped;
}

/** What waits since before the instant is given the present one as the time of its record. */
async function moveOn(db: Transaction, before: Date, now: Date): Promise<void> {
  await db.query(
    'move_events_on',
    `
    update events set recorded_at = $2
     where recorded_at < $1
       and id in (select event_id from deliveries where state in ('pending', 'parked') and event_recorded_at < $1)`,
    [before, now],
  );
  // An attempt that is on its way is not found again by this, and is made once more.
  await db.query(
    'move_deliveries_on',
    `
    update deliveries set recorded_at = $2, event_recorded_at = $2
     where state in ('pending', 'parked') and (recorded_at < $1 or event_recorded_at < $1)`,
    [before, now],
  );
}

async function monthsOf(db: Database | Transaction, table: string): Promise<Month[]> {
  const rows = await db.query<{ name: string }>(
    'partitions_of',
    `
    select child.relname as name
      from pg_inherits
      join pg_class child on child.oid = inhrelid
      join pg_class parent on parent.oid = inhparent
     where parent.relname = $1 and parent.relnamespace = 'public'::regnamespace`,
    [table],
  );
  return rows.flatMap(({ name }) => {
    const [, year, month] = /_(\d{4})_(\d{2})$/.exec(name) ?? [];
    return year && month ? [monthOf(new Date(Date.UTC(Number(year), Number(month) - 1, 1)))] : [];
  });
}

/** One worker at a time, and none that would make the others wait long: what cannot be done now is done in an hour. */
async function alone(db: Database, work: (db: Transaction) => Promise<void>): Promise<void> {
  await db.transaction(async (own) => {
    await own.query('partition_patience', `set local lock_timeout = '2s'`);
    const [lock] = await own.query<{ mine: boolean }>(
      'partition_lock',
      `select pg_try_advisory_xact_lock(hashtext('quittance partitions')) as mine`,
    );
    if (lock?.mine) await work(own);
  });
}
