import pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Db, Transaction } from '../../../src/platform/db/db.ts';
import { openDatabase } from '../../../src/platform/db/pool.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

describe('values', () => {
  test.each([
    ['select 9007199254740993::bigint as value', 9007199254740993n],
    [
      'select 115792089237316195423570985008687907853269984665640564039457::numeric(78,0) as value',
      115792089237316195423570985008687907853269984665640564039457n,
    ],
    ['select 0.100::numeric as value', '0.100'],
    ['select -5::numeric as value', -5n],
    ['select count(*) as value from accounts', 0n],
    ['select 7::integer as value', 7],
    [`select '2026-01-02T03:04:05.678Z'::timestamptz as value`, new Date('2026-01-02T03:04:05.678Z')],
    [`select '\\x00ff'::bytea as value`, Buffer.from([0, 255])],
    [`select '{"a":[1]}'::jsonb as value`, { a: [1] }],
    ['select array[1, null, 3]::bigint[] as value', [1n, null, 3n]],
    [`select '{}'::numeric[] as value`, []],
    ['select null::numeric as value', null],
  ])('%s arrives as it is', async (sql, expected) => {
    const [row] = await database.db.query<{ value: unknown }>(sql.slice(0, 60), sql);
    expect(row?.value).toEqual(expected);
  });

  test('columns are named in camel case, in transactions too; what JSON contains keeps its names', async () => {
    const sql = `select $1::text as tx_hash, 2 as of_2_kinds, '{"tx_hash":1}'::jsonb as paid_by_it, 3 as "isQuoted"`;
    const row = { txHash: 'one', of2Kinds: 2, paidByIt: { tx_hash: 1 }, isQuoted: 3 };
    const read = (db: Db) => db.query('names_in_camel_case', sql, ['one']);
    expect(await read(database.db)).toEqual([row]);
    // The second time the statement is prepared already.
    expect(await database.db.transaction(async (db) => [await read(db), await read(db)])).toEqual([[row], [row]]);
  });

  test('bigint, dates, bytes and arrays of them go in as they are', async () => {
    const at = new Date('2026-01-02T03:04:05.678Z');
    const [row] = await database.db.query(
      'values_go_in',
      'select $1::numeric as amount, $2::timestamptz as at, $3::bytea as bytes, $4::bytea[] as list, $5::bigint[] as numbers',
      [2n ** 200n, at, new Uint8Array([1, 2]), [Buffer.from([3])], [4n, null]],
    );
    expect(row).toEqual({
      amount: 2n ** 200n,
      at,
      bytes: Buffer.from([1, 2]),
      list: [Buffer.from([3])],
      numbers: [4n, null],
    });
  });
});

describe('transactions', () => {
  const insert = (id: string) =>
    [
      'put_lock',
      'insert into rate_samples (pair, minute, rate, sources) values ($1, $2, 1, $3)',
      [id, new Date(0), '[]'],
    ] as const;
  const exists = async (id: string) =>
    (await database.db.query('find_lock', 'select 1 from rate_samples where pair = $1', [id])).length > 0;

  test('nothing of a transaction is written if BEGIN alone fails', async () => {
    const query = pg.Client.prototype.query as (...values: unknown[]) => Promise<unknown>;
    const refuse = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (
      this: pg.Client,
      ...values: unknown[]
    ) {
      return (
        typeof values[0] === 'string' && values[0].startsWith('begin')
          ? Promise.reject(new Error('canceling statement due to user request'))
          : query.apply(this, values)
      ) as never;
    });
    const work = vi.fn(async (db: Transaction) => {
      await db.query(...insert('without_begin_1'));
      await db.query(...insert('without_begin_2'));
    });
    await expect(database.db.transaction(work))
      .rejects.toThrow('canceling statement')
      .finally(() => refuse.mockRestore());
    expect([await exists('without_begin_1'), await exists('without_begin_2')]).toEqual([false, false]);
    await database.db.transaction(async (db) => {
      await db.query(...insert('after_begin'));
    });
    expect(await exists('after_begin')).toBe(true);
  });

  test('writes of one transaction are kept together, and signaled after the commit', async () => {
    const notified: boolean[] = [];
    await database.db.transaction(async (db) => {
      db.afterCommit(() => notified.push(true));
      await db.query(...insert('kept'));
      expect(notified).toEqual([]);
    });
    expect(notified).toEqual([true]);
    expect(await exists('kept')).toBe(true);
  });

  test('nothing is kept and no signal is sent if the work throws', async () => {
    const notified: boolean[] = [];
    const work = database.db.transaction(async (db) => {
      db.afterCommit(() => notified.push(true));
      await db.query(...insert('lost'));
      throw new Error('changed my mind');
    });
    await expect(work).rejects.toThrow('changed my mind');
    expect(notified).toEqual([]);
    expect(await exists('lost')).toBe(false);
  });

  test('a transaction whose failed statement was swallowed says that it was not committed', async () => {
    const work = database.db.transaction(async (db) => {
      await db.query(...insert('swallowed'));
      await db.query('broken', 'select 1 / 0').catch(() => {});
    });
    await expect(work).rejects.toThrow('cannot be committed');
    expect(await exists('swallowed')).toBe(false);
  });

  test('a connection lost in the middle fails the transaction and not the process', async () => {
    const work = database.db.transaction(async (db) => {
      await db.query(...insert('cut'));
      const [row] = await db.query<{ pid: number }>('own_pid', 'select pg_backend_pid() as pid');
      await database.db.query('cut', 'select pg_terminate_backend($1)', [row?.pid]);
      await db.query('after', 'select 1');
    });
    await expect(work).rejects.toThrow();
    expect(await exists('cut')).toBe(false);
  });

  test('statements after the end of a transaction are refused', async () => {
    const kept = await database.db.transaction(async (db) => db);
    expect(() => kept.query('late', 'select 1')).toThrow('still open');
  });
});

describe('signals', () => {
  test('a listener gets signals, once for the same signal in one turn', async () => {
    const { heard, next, stop } = await listener('jobs');
    database.db.notify('jobs', 'a');
    database.db.notify('jobs', 'a');
    database.db.notify('jobs', 'b');
    await next(2);
    expect(heard.sort()).toEqual(['a', 'b']);
    await stop();
  });

  test('a lost connection is opened again and wakes the listener', async () => {
    const { next, stop } = await listener('reborn');
    await database.db.query(
      'cut_signals',
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'quittance signals'
        and datname = current_database()`,
    );
    await next(1);
    database.db.notify('reborn', 'again');
    await next(2);
    await stop();
  });

  test.each(['first', 'later'])('a channel whose %s LISTEN fails is heard, over one connection', async (which) => {
    const before = await signalConnections();
    const own = openDatabase({ url: database.url, log: pino({ level: 'silent' }), connections: 1 });
    try {
      if (which === 'later') await own.listen('heard before', () => {});
      const query = pg.Client.prototype.query as (...values: unknown[]) => Promise<unknown>;
      let refused = 0;
      const spy = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (
        this: pg.Client,
        ...values: unknown[]
      ) {
        const isRefused = values[0] === `listen "${which}"` && (refused += 1) <= 3;
        return (isRefused ? Promise.reject(new Error('canceling statement')) : query.apply(this, values)) as never;
      });
      const heard = vi.fn();
      await own.listen(which, heard);
      await expect.poll(() => refused).toBe(4);
      spy.mockRestore();
      own.notify(which, 'hello');
      await expect.poll(() => heard.mock.calls.flat()).toContain('hello');
      await expect.poll(signalConnections).toBe(before + 1);
    } finally {
      await own.close();
    }
  });

  async function signalConnections() {
    const rows = await database.db.query(
      'test_signals',
      `select from pg_stat_activity where application_name = 'quittance signals' and datname = current_database()`,
    );
    return rows.length;
  }

  async function listener(channel: string) {
    const heard: string[] = [];
    let look = () => {};
    const stop = await database.db.listen(channel, (payload) => {
      heard.push(payload);
      look();
    });
    const next = (count: number) =>
      new Promise<void>((resolve) => {
        look = () => {
          if (heard.length >= count) resolve();
        };
        look();
      });
    return { heard, next, stop };
  }
});

test("the clock is the database's, to the millisecond", async () => {
  const now = await database.db.now();
  expect(now.getTime()).toBeCloseTo(Date.now(), -5);
});
