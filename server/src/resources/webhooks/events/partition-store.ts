import { setTimeout as pause } from 'node:timers/promises';
import type { Database, Transaction, Db } from '../../../platform/db/db.ts';

export const TABLES = ['events', 'deliveries', 'delivery_attempts'] as const;

/** The maximum number of a month's rows that move out of the default partition, because writers wait meanwhile. */
const MAX_CAUGHT = 20_000;

export const MOVED_AT_ONCE = 1_000;

const PAGES_AT_ONCE = 100;

const DROP_LOCK_TIMEOUT_MS = 100;

const DROP_TRIES = 20;

const DROP_PAUSE_MS = 500;

const LOCK_NOT_AVAILABLE = '55P03';

/** A month of real time, such as `2026_11`, from its first instant to the first of the next month. */
interface Month {
  name: string;
  from: Date;
  to: Date;
}

export function monthOf(instant: Date, ahead = 0): Month {
  const from = new Date(Date.UTC(instant.getUTCFullYear(), instant.getUTCMonth() + ahead, 1));
  const to = new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + 1, 1));
  return { name: `${from.getUTCFullYear()}_${String(from.getUTCMonth() + 1).padStart(2, '0')}`, from, to };
}

/**
 * Creates the month's partitions, and moves that month's rows out of the default partition. Too many rows stay there,
 * because writers would wait for the move, and are deleted there when their time has come.
 */
export async function createMonth(db: Database, month: Month): Promise<void> {
  for (const table of TABLES) {
    if ((await monthsOf(db, table)).some(({ name }) => name === month.name)) continue;
    await runExclusively(db, async (own) => {
      if ((await monthsOf(own, table)).some(({ name }) => name === month.name)) return;
      const partition = `${table}_${month.name}`;
      const range = rangeOf(month);
      const run = (step: string, sql: string) => own.query(`partition_${step}_${partition}`, sql);
      const caught = await run('caught', `select 1 from ${table}_default where ${range} limit ${MAX_CAUGHT + 1}`);
      if (caught.length > MAX_CAUGHT) return;
      // Writers wait here, before their rows are routed: a row already routed to the default partition would be
      // rejected.
      await run('lock', `lock table ${table} in share row exclusive mode`);
      // Deliveries are updated in place while they are leased, which needs room on their page.
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
        alter table ${table} attach partition ${partition} for values
          from ('${month.from.toISOString()}') to ('${month.to.toISOString()}')`,
      );
    });
  }
}

function rangeOf({ from, to }: Month): string {
  return `recorded_at >= '${from.toISOString()}' and recorded_at < '${to.toISOString()}'`;
}

/** False if the lock was not available, or something in it is pending again. The next run tries again. */
export async function dropMonth(db: Database, month: Month): Promise<boolean> {
  for (let tries = 0; tries < DROP_TRIES; tries += 1) {
    let isDropped = false;
    try {
      await runExclusively(db, async (own) => {
        const run = (step: string, sql: string) => own.query(`${step}_${month.name}`, sql);
        // Short, because every reader of these tables waits behind it.
        await run('drop_patience', `set local lock_timeout = '${DROP_LOCK_TIMEOUT_MS}ms'`);
        // Where the default partition had caught too many rows, the month has no partition of its own.
        if ((await monthsOf(own, 'deliveries')).some(({ name }) => name === month.name))
          await run('lock_month', `lock table deliveries_${month.name} in access exclusive mode`);
        const waiting = await run(
          'waiting',
          `select 1 from deliveries where ${rangeOf(month)} and state = 'pending' limit 1`,
        );
        if (waiting.length > 0) return;
        for (const table of TABLES) await run(`drop_${table}`, `drop table if exists ${table}_${month.name}`);
        isDropped = true;
      });
      return isDropped;
    } catch (error) {
      if ((error as { code?: unknown }).code !== LOCK_NOT_AVAILABLE) throw error;
      await pause(DROP_PAUSE_MS);
    }
  }
  return false;
}

export async function moveBatchToPresent(db: Transaction, before: Date, now: Date): Promise<number> {
  // If an event has several deliveries, a batch may move some; the others find their event when they follow. An attempt
  // in flight does not find its delivery again, so it is repeated.
  const rows = await db.query(
    'move_deliveries_on',
    `
    with waiting as materialized (
      select recorded_at, id, event_id from deliveries
       where state = 'pending' and (recorded_at < $1 or event_recorded_at < $1) limit $3
    ), moved as (
      update events set recorded_at = $2
       where recorded_at < $1 and id in (select event_id from waiting)
      returning id
    )
    update deliveries d
       set recorded_at = $2,
           event_recorded_at = case when d.event_id in (select id from moved) then $2
                                    else coalesce((select max(e.recorded_at) from events e where e.id = d.event_id), $2) end
      from waiting
     where d.recorded_at = waiting.recorded_at and d.id = waiting.id
    returning d.id`,
    [before, now, MOVED_AT_ONCE],
  );
  return rows.length;
}

/** Deletes rows before the instant from the default partition, in ranges of pages. */
export async function deleteCaught(db: Database, table: (typeof TABLES)[number], before: Date): Promise<void> {
  const [size] = await db.query<{ pages: number }>(
    `pages_of_${table}`,
    `select (pg_relation_size('${table}_default') / current_setting('block_size')::integer)::integer as pages`,
  );
  for (let page = 0; page < (size?.pages ?? 0); page += PAGES_AT_ONCE) {
    const startedAt = performance.now();
    const rows = await db.query(
      `delete_${table}_before`,
      `
      delete from ${table}_default
       where ctid >= format('(%s,0)', $2::integer)::tid and ctid < format('(%s,0)', $3::integer)::tid
         and recorded_at < $1 ${table === 'deliveries' ? "and state <> 'pending'" : ''}
      returning 1`,
      [before, page, page + PAGES_AT_ONCE],
    );
    if (rows.length > 0) await pause(performance.now() - startedAt);
  }
}

/** The months of which at least one table has a partition, oldest first. */
export async function findMonths(db: Database): Promise<Month[]> {
  const all: Month[] = [];
  for (const table of TABLES) all.push(...(await monthsOf(db, table)));
  const byName = new Map(all.map((month) => [month.name, month]));
  return [...byName.values()].sort((one, other) => one.from.getTime() - other.from.getTime());
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

/** One worker at a time, and never one that makes the others wait long: what cannot run now runs in an hour. */
export async function runExclusively(db: Database, work: (db: Transaction) => Promise<void>): Promise<void> {
  await db.transaction(async (own) => {
    await own.query('partition_lock_timeout', `set local lock_timeout = '2s'`);
    const [lock] = await own.query<{ mine: boolean }>(
      'partition_lock',
      `select pg_try_advisory_xact_lock(hashtext('quittance partitions')) as mine`,
    );
    if (lock?.mine) await work(own);
  });
}

export interface ExpiredEndpoint {
  id: string;
  url: string;
  parked: bigint;
  email: string | null;
}

export function markNotified(db: Db, before: Date, now: Date, notifiedBefore: Date): Promise<ExpiredEndpoint[]> {
  return db.query<ExpiredEndpoint>(
    'mark_notified_of_expiry',
    `
    update webhook_endpoints e set expiry_mailed_at = $2
      from (select endpoint_id, count(*) as parked from deliveries where state = 'parked'
        and recorded_at < $1 group by endpoint_id) expired, accounts a
     where e.id = expired.endpoint_id and a.id = e.account_id and e.deleted_at is null
       and (e.expiry_mailed_at is null or e.expiry_mailed_at < $3)
    returning e.id, e.url, expired.parked, a.email`,
    [before, now, notifiedBefore],
  );
}
