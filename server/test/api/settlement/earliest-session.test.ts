import type { ReceiveNetwork } from '@quittance/contract';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { pruneBlocks } from '../../../src/settlement/reading/cursor-store.ts';
import { findEarliestSession } from '../../../src/settlement/reading/watched-address-store.ts';
import type { Db } from '../../../src/platform/db/db.ts';
import { DAY_MS, HOUR_MS, later, MINUTE_MS } from '../../../src/platform/time.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

const NOW = new Date('2026-06-01T12:00:00Z');
const MANY = 20_000;

let database: TestDatabase | undefined;
let filled = 0;

async function startEmpty(): Promise<void> {
  await database?.drop();
  database = await createTestDatabase();
  await database.db.query(
    'test_fill_accounts',
    `insert into accounts (id, email, created_at) values ('acct_one', 'one@example.com', $1)`,
    [NOW],
  );
  await database.db.query(
    'test_fill_wallets',
    `insert into payout_wallets (id, account_id, livemode, asset, network, address, is_default, created_by, created_at, watched_until)
     select network || livemode, 'acct_one', livemode, 'USDC', network, 'address', false, 'key', $1, $1
       from unnest(array['base', 'solana']) network, unnest(array[true, false]) livemode`,
    [NOW],
  );
}
afterAll(() => database?.drop());

describe('reading starts at the earliest session that is open or ended less than 30 days ago', () => {
  beforeEach(startEmpty);

  test('without such a session there is no start', async () => {
    await fill({ endedMs: 31 * DAY_MS, lengthMs: HOUR_MS });
    await fill({ endedMs: DAY_MS, lengthMs: HOUR_MS, network: 'solana' });
    await fill({ endedMs: DAY_MS, lengthMs: HOUR_MS, livemode: false });
    expect(await earliest()).toBeUndefined();
  });

  test.each([
    ['an open session', { endedMs: -HOUR_MS, lengthMs: 2 * HOUR_MS }],
    ['one that ended almost 30 days ago', { endedMs: 30 * DAY_MS - MINUTE_MS, lengthMs: HOUR_MS }],
    ['one that was open for a day', { endedMs: 30 * DAY_MS - MINUTE_MS, lengthMs: DAY_MS }],
    ['one that was open for a week', { endedMs: 30 * DAY_MS - MINUTE_MS, lengthMs: 7 * DAY_MS }],
    ['one that was open for 30 days', { endedMs: 30 * DAY_MS - MINUTE_MS, lengthMs: 30 * DAY_MS }],
    [
      'one that ended long ago and whose payment was not closed',
      { endedMs: 90 * DAY_MS, lengthMs: HOUR_MS, status: 'pending' },
    ],
  ])('%s counts, before later ones and after those that ended earlier', async (_, session) => {
    await fill({ endedMs: 31 * DAY_MS, lengthMs: HOUR_MS });
    await fill({ endedMs: 31 * DAY_MS, lengthMs: 30 * DAY_MS });
    await fill({ endedMs: 31 * DAY_MS, lengthMs: 400 * DAY_MS });
    await fill({ endedMs: -3 * HOUR_MS, lengthMs: 3 * HOUR_MS + MINUTE_MS });
    await fill(session);
    expect(await earliest()).toEqual(later(NOW, -session.endedMs - session.lengthMs));
  });
});

describe.each([
  ['an hour', HOUR_MS, DAY_MS],
  ['36 hours', 36 * HOUR_MS, DAY_MS],
  ['five days', 5 * DAY_MS, 4 * DAY_MS],
  ['30 days', 30 * DAY_MS, 3 * DAY_MS],
])('among thousands of sessions of %s', (_, lengthMs, tooEarlyMs) => {
  beforeAll(async () => {
    await startEmpty();
    // One session every ten minutes: from 138 days ago until now.
    await fill({ endedMs: 0, lengthMs, count: MANY, everyMs: 10 * MINUTE_MS });
  });

  test('it reads some, and starts too early by their class at most', async () => {
    const exact = later(NOW, -30 * DAY_MS - lengthMs).getTime();
    const { start, read } = await startWithReads();
    expect(start).toBeLessThanOrEqual(exact + 10 * MINUTE_MS);
    expect(start).toBeGreaterThan(exact - tooEarlyMs);
    expect(read).toBeGreaterThan(0);
    expect(read).toBeLessThan(MANY / 100);
  });

  if (lengthMs !== HOUR_MS) return;

  describe('and one more', () => {
    afterEach(() => empty({ from: filled - 1 }));

    test('a longer one of the same class that ends after the first of them is not missed', async () => {
      await fill({ endedMs: 30 * DAY_MS - 6 * HOUR_MS, lengthMs: 20 * HOUR_MS });
      expect((await startWithReads()).start).toBeLessThanOrEqual(later(NOW, -30 * DAY_MS - 14 * HOUR_MS).getTime());
    });

    test.each([1.5, 2, 3, 7, 16, 17, 30])(
      'one session of %s days among thousands of an hour is not missed',
      async (days) => {
        await fill({ endedMs: 20 * DAY_MS, lengthMs: days * DAY_MS });
        const first = later(NOW, -30 * DAY_MS - HOUR_MS).getTime();
        const exact = Math.min(first, later(NOW, -(20 + days) * DAY_MS).getTime());
        const { start } = await startWithReads();
        expect(start).toBeLessThanOrEqual(exact + 10 * MINUTE_MS);
        expect(start).toBeGreaterThan(exact - DAY_MS);
      },
    );
  });
});

test.each([
  ['base', 1_800],
  // Its blocks come every 450 ms at the fastest.
  ['bnb', 8_000],
])(
  'by whom a block of %s was read is stored until the second pass has read it, from the earliest start on',
  async (network, blocksPerHour) => {
    await startEmpty();
    const { db } = database as TestDatabase;
    const newest = 90_000_000n;
    await db.query(
      'test_fill_cursors',
      `insert into chain_cursors (network, pass, block_number, block_hash, block_time) values ($1, 'second', 1, '0x1', $2)`,
      [network, later(NOW, -70 * DAY_MS)],
    );
    await db.query(
      'test_fill_blocks',
      `insert into chain_blocks (network, pass, number, hash, time, provider)
     select $1, 'first', $2::bigint - days * 24 * $3, '0x', $4::timestamptz - days * interval '24 hours', 'one'
       from unnest(array[63, 65]) days`,
      [network, newest, blocksPerHour, NOW],
    );
    await pruneBlocks(db, network as ReceiveNetwork, { number: newest });
    const kept = await db.query<{ number: bigint }>('test_kept_blocks', 'select number from chain_blocks');
    expect(kept).toEqual([{ number: newest - 63n * 24n * BigInt(blocksPerHour) }]);
  },
);

interface Filled {
  /** How long before `NOW` the sessions ended, and how long they were open. */
  endedMs: number;
  lengthMs: number;
  status?: string;
  network?: string;
  livemode?: boolean;
  /** More sessions, each so much earlier than the one before. */
  count?: number;
  everyMs?: number;
}

function earliest(): Promise<Date | undefined> {
  return findEarliestSession((database as TestDatabase).db, 'base', NOW);
}

/** The start, and how many rows of sessions were read for it. */
async function startWithReads(): Promise<{ start: number; read: number }> {
  const { db } = database as TestDatabase;
  await db.query('test_analyze', 'analyze checkout_sessions, payments');
  return db.transaction(async (own) => {
    // Statistics of the connection's earlier reads may arrive later.
    const before = await countReads(own);
    const start = (await findEarliestSession(own, 'base', NOW))?.getTime() ?? 0;
    return { start, read: (await countReads(own)) - before };
  });
}

async function countReads(db: Db): Promise<number> {
  const [row] = await db.query<{ read: bigint }>(
    'test_count_reads',
    `select coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) as read from pg_stat_xact_user_tables
      where relname = 'checkout_sessions'`,
  );
  return Number(row?.read ?? 0n);
}

async function fill({ endedMs, lengthMs, count = 1, everyMs = 0, ...more }: Filled): Promise<void> {
  const { status = 'expired', network = 'base', livemode = true } = more;
  const end = later(NOW, -endedMs);
  await (database as TestDatabase).db.query(
    'test_fill_sessions',
    `
    with sessions as (
      insert into checkout_sessions (id, account_id, livemode, payment_id, payout_wallet_id, amount_minor, currency,
        metadata, accepted_assets, reference,
        receive_asset, receive_network, receive_address, created_at, expires_at)
      select 'cs_' || n, 'acct_one', $1::boolean, 'pay_' || n, $2::text || $1::boolean, 100, 'USD', '{}', '{}', sha256(n::text::bytea),
             'USDC', $2::text, 'address', $3::timestamptz - (n - $6::integer) * $5::interval,
               $4::timestamptz - (n - $6::integer) * $5::interval
        from generate_series($6::integer, $6::integer + $7::integer - 1) n
      returning *
    )
    insert into payments (id, account_id, livemode, session_id, status, sequence, route, pay_asset, pay_network,
      created_at, expires_at, is_announced)
    select payment_id, account_id, livemode, id, $8::text, 1, 'direct', receive_asset, receive_network, created_at,
      expires_at, true from sessions`,
    [livemode, network, later(end, -lengthMs), end, `${everyMs} milliseconds`, filled, count, status],
  );
  filled += count;
}

/** Deletes the sessions from this one on. */
async function empty({ from }: { from: number }): Promise<void> {
  const { db } = database as TestDatabase;
  const ids = [Array.from({ length: filled - from }, (_, n) => String(from + n))];
  await db.query(
    'test_empty_payments',
    `delete from payments where id = any (array(select 'pay_' || unnest($1::text[])))`,
    ids,
  );
  await db.query(
    'test_empty_sessions',
    `delete from checkout_sessions where id = any (array(select 'cs_' || unnest($1::text[])))`,
    ids,
  );
}
