import pg from 'pg';

/** A database's clock that tests can move, for every process that asks that database for the time. */
export interface MovableClock {
  /** Moves it forward, permanently. */
  pass(ms: number): Promise<void>;
  /** How far it is ahead. */
  aheadMs(): number;
  close(): Promise<void>;
}

/** Replaces the database's own clock. Open connections do not see it. */
export async function installClock(url: string): Promise<MovableClock> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`
    create table test_clock (ahead interval not null);
    insert into test_clock values ('0');
    create function clock_timestamp() returns timestamptz language sql volatile
      as 'select pg_catalog.clock_timestamp() + (select ahead from public.test_clock)';`);
  const { rows } = await client.query<{ name: string }>('select quote_ident(current_database()) as name');
  await client.query(`alter database ${rows[0]?.name} set search_path = public, pg_catalog`);

  let aheadMs = 0;
  return {
    async pass(ms) {
      aheadMs += ms;
      await client.query(`update test_clock set ahead = $1::double precision * interval '1 millisecond'`, [aheadMs]);
    },
    aheadMs: () => aheadMs,
    close: () => client.end(),
  };
}
