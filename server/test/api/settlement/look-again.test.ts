import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { DAY_MS, HOUR_MS, later } from '../../../src/platform/time.ts';
import { lookAgainJob } from '../../../src/settlement/reading/look-again.ts';
import {
  deleteGapsBefore,
  findDueGaps,
  hasUnseen,
  noteLook,
  recordOneLook,
  recordUnseen,
} from '../../../src/settlement/reading/unseen-store.ts';
import { SHOP } from '../../support/evm-answers.ts';
import { startApp, type TestApp } from '../../support/index.ts';
import { at, INSIDE, insideChain, type InsideNode, real } from '../../support/inside-payment.ts';

const ETHEREUM = 'ethereum';
const honest: InsideNode = { balance: real };
const pruned: InsideNode = { balance: null };
const liar: InsideNode = { balance: () => 0n };

let app: TestApp;
let now: Date;
beforeAll(async () => {
  app = await startApp();
  const merchant = await app.newMerchant({ mode: 'live' });
  await merchant.live.createWallet({ asset: 'ETH', network: ETHEREUM, address: SHOP });
  const soon = later(await app.ctx.db.now(), DAY_MS);
  await app.ctx.db.query('test_watch', 'update payout_wallets set watched_until = $1', [soon]);
});
afterAll(() => app.stop());
beforeEach(async () => {
  now = await app.ctx.db.now();
  for (const table of ['unseen_blocks', 'transfers']) await app.ctx.db.query(`test_${table}`, `delete from ${table}`);
});

describe('gaps of two assets in the same blocks', () => {
  const denied = (from: number, to: number) =>
    app.ctx.db.transaction((db) =>
      recordUnseen(db, ETHEREUM, { asset: 'USDC', from: at(from), to: at(to), why: 'test' }, { now, lookedBy: 'liar' }),
    );

  test.each([
    [5, 5],
    [4, 6],
    [3, 4],
    [7, 8],
    [1, 9],
  ])('hold the payments of both, whichever is recorded first: %i to %i beside 4 to 6', async (from, to) => {
    await record(4, 6);
    await denied(from, to);
    expect([await holds(now), await holds(now, 'USDC')]).toEqual([true, true]);
    expect(await gaps()).toContainEqual([4n, 6n, null]);
    await app.ctx.db.query('test_forget', 'delete from unseen_blocks');
    await denied(from, to);
    await record(4, 6);
    expect([await holds(now), await holds(now, 'USDC')]).toEqual([true, true]);
    expect(await gaps()).toContainEqual([4n, 6n, null]);
  });

  test('are closed by the same two looks, and cut at the same blocks', async () => {
    await record(4, 6);
    await denied(4, 6);
    await look(4, 5, 'honest');
    expect(await gaps()).toEqual([
      [4n, 5n, 'honest'],
      [6n, 6n, null],
      [6n, 6n, 'liar'],
    ]);
    await look(4, 6, 'liar');
    await look(6, 6, 'honest');
    expect(await gaps()).toEqual([]);
  });
});

describe('a gap of a block in which a contract paid', () => {
  test.each([
    ['a liar and an honest one', { liar, honest }, { gaps: [], found: [INSIDE] }],
    ['an honest one and a liar', { honest, liar }, { gaps: [], found: [INSIDE] }],
    ['a liar and one that cannot', { liar, pruned }, { gaps: [[5n, 5n, 'liar']], found: [] }],
    ['one that cannot and an honest one', { pruned, honest }, { gaps: [[5n, 5n, 'honest']], found: [INSIDE] }],
    ['a liar, one that cannot and an honest one', { liar, pruned, honest }, { gaps: [], found: [INSIDE] }],
    ['two that cannot', { pruned, other: pruned }, { gaps: [[5n, 5n, null]], found: [] }],
    ['an honest one alone', { honest }, { gaps: [], found: [INSIDE] }],
  ] as const)('is looked at by two of the providers: %s', async (_, nodes, expected) => {
    await record(5, 5);
    await lookAgain(nodes);
    expect({ gaps: await gaps(), found: await found() }).toEqual(expected);
  });

  test('stays due after one look, and closes when another provider has looked', async () => {
    await record(4, 6);
    await lookAgain({ liar, pruned });
    expect(await gaps()).toEqual([[4n, 6n, 'liar']]);
    const due = { now: later(now, HOUR_MS), minMs: 0, maxMs: 0, limit: 9 };
    expect(await findDueGaps(app.ctx.db, ETHEREUM, due)).toMatchObject([{ fromBlock: 4n, toBlock: 6n }]);
    await app.ctx.db.query('test_due', 'update unseen_blocks set tried_at = null');
    await lookAgain({ liar, pruned: honest });
    expect({ gaps: await gaps(), found: await found() }).toEqual({ gaps: [], found: [INSIDE] });
  });

  test('holds payments until one provider has looked, and for an hour more', async () => {
    await record(5, 5);
    expect(await holds(later(now, 9 * HOUR_MS))).toBe(true);
    await lookAgain({ liar, pruned });
    expect(await holds(later(await app.ctx.db.now(), HOUR_MS / 2))).toBe(true);
    expect(await holds(later(await app.ctx.db.now(), HOUR_MS + 1))).toBe(false);
  });

  test('holds payments and is kept although a provider dates its blocks 40 days back', async () => {
    const early = (number: number) => ({ ...at(number), time: later(now, -40 * DAY_MS) });
    await record(5, 6, early);
    expect(await holds(now)).toBe(true);
    expect(await deleteGapsBefore(app.ctx.db, later(now, -30 * DAY_MS), 10)).toBe(0);
    await look(5, 5, 'liar');
    await look(5, 5, 'honest');
    expect([await gaps(), await holds(now)]).toEqual([[[6n, 6n, null]], true]);
    expect(await deleteGapsBefore(app.ctx.db, later(now, 1), 10)).toBe(1);
  });
});

describe('a gap whose blocks hold what the database refuses', () => {
  test('closes without the transaction, which is set aside, and keeps no other gap open', async () => {
    await record(5, 5);
    await record(2, 3);
    await refuse('transfers', 'insert', 'new.block_number');
    await lookAgain({ honest, other: honest });
    expect({ gaps: await gaps(), found: await found() }).toEqual({ gaps: [], found: [] });
    const setAside = await app.ctx.db.query('test_set_aside', 'select block_number, error from set_aside_transactions');
    expect(setAside).toEqual([{ blockNumber: 5n, error: 'refused' }]);
  });

  test('waits behind the others if not even the look can be stored', async () => {
    await record(5, 5);
    await record(2, 3);
    await refuse('unseen_blocks', 'delete', 'old.from_block');
    await lookAgain({ honest, other: honest });
    expect(await gaps()).toEqual([[5n, 5n, null]]);
    const due = { now: later(await app.ctx.db.now(), 1), minMs: HOUR_MS, maxMs: HOUR_MS, limit: 9 };
    expect(await findDueGaps(app.ctx.db, ETHEREUM, due)).toEqual([]);
  });
});

/** The database refuses this of block 5, until the end of the test. */
async function refuse(table: string, change: string, block: string): Promise<void> {
  await app.ctx.db.query(
    `test_refuse_function_${table}`,
    `
    create or replace function test_refuse() returns trigger language plpgsql as $$
    begin
      if ${block} = 5 then raise exception 'refused'; end if;
      return coalesce(new, old);
    end $$`,
  );
  await app.ctx.db.query(
    `test_refuse_${table}`,
    `create trigger test_refuse before ${change} on ${table} for each row execute function test_refuse()`,
  );
  onTestFinished(async () => {
    await app.ctx.db.query('test_allow', 'drop function test_refuse cascade');
  });
}

describe('neighboring gaps', () => {
  test('are joined where the same provider has looked, or none', async () => {
    await record(1, 40);
    await look(31, 40, 'one');
    await look(21, 30, 'one');
    await record(41, 50);
    expect(await gaps()).toEqual([
      [1n, 20n, null],
      [21n, 40n, 'one'],
      [41n, 50n, null],
    ]);
    await look(11, 45, 'other');
    expect(await gaps()).toEqual([
      [1n, 10n, null],
      [11n, 20n, 'other'],
      [41n, 45n, 'other'],
      [46n, 50n, null],
    ]);
  });

  test('are left as they are where the second pass could look no better', async () => {
    await record(5, 6);
    await app.ctx.db.transaction((db) =>
      recordOneLook(db, ETHEREUM, { asset: 'ETH', from: at(3), to: at(9), why: 'test' }, { now, lookedBy: 'first' }),
    );
    expect(await gaps()).toEqual([
      [3n, 4n, 'first'],
      [5n, 6n, null],
      [7n, 9n, 'first'],
    ]);
  });

  test('are counted for the operator, block by block, until they are closed', async () => {
    const counted = async () => {
      const { payload } = await app.server.inject({ url: '/metrics' });
      return /^quittance_unseen_blocks\{network="ethereum"\} (\d+)$/m.exec(payload)?.[1];
    };
    const looks = [() => record(1, 9), () => record(21, 22), () => look(1, 9, 'one'), () => look(1, 9, 'other')];
    const counts = [];
    for (const next of [...looks, () => look(21, 22, 'one'), () => look(21, 22, 'other')]) {
      await next();
      counts.push(await counted());
    }
    expect(counts).toEqual(['9', '11', '11', '2', '2', undefined]);
  });

  test('count as looked at by no provider after they are read again, since blocks may have been replaced', async () => {
    await record(1, 9);
    await look(1, 9, 'one');
    await record(5, 12);
    expect(await gaps()).toEqual([[1n, 12n, null]]);
  });
});

const record = (from: number, to: number, ref = at) =>
  app.ctx.db.transaction((db) =>
    recordUnseen(db, ETHEREUM, { asset: 'ETH', from: ref(from), to: ref(to), why: 'test' }, { now }),
  );

const look = (from: number, to: number, lookedBy: string) =>
  app.ctx.db.transaction((db) =>
    noteLook(db, ETHEREUM, { after: BigInt(from - 1), to: BigInt(to), lookedBy, needsAnother: true }, now),
  );

async function lookAgain(nodes: Record<string, InsideNode>): Promise<void> {
  const ctx = { ...app.ctx, chains: new Map([[ETHEREUM, insideChain(nodes)]] as const) };
  await lookAgainJob.run(ctx as typeof app.ctx, new AbortController().signal, () => {});
}

async function gaps(): Promise<unknown[][]> {
  const rows = await app.ctx.db.query<Record<string, unknown>>(
    'test_gaps',
    'select from_block, to_block, looked_by from unseen_blocks order by 1, looked_by nulls first',
  );
  return rows.map((row) => Object.values(row));
}

async function found(): Promise<bigint[]> {
  const rows = await app.ctx.db.query<{ amountUnits: bigint }>('test_found', 'select amount_units from transfers');
  return rows.map(({ amountUnits }) => amountUnits);
}

const holds = (atTime: Date, asset: 'ETH' | 'USDC' = 'ETH') =>
  hasUnseen(app.ctx.db, { network: ETHEREUM, asset, from: later(now, -60_000), until: atTime }, atTime);
