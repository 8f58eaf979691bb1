import { Writable } from 'node:stream';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Context } from '../../../src/context.ts';
import { TemporaryError } from '../../../src/platform/errors.ts';
import { later } from '../../../src/platform/time.ts';
import { expiryJob } from '../../../src/settlement/outcome/expire.ts';
import { advance } from '../../../src/settlement/outcome/lifecycle.ts';
import { findPaymentOfSession, saveSteps } from '../../../src/settlement/records/payment-store.ts';
import { rescan } from '../../../src/settlement/rescan.ts';
import { createWatcher, tick, type Watcher } from '../../../src/watch.ts';
import { createFakeChain, NO_PAUSES, type FakeChain } from '../../programs/simulation/fake-chain.ts';
import {
  createFakeProvider,
  removeFaults,
  runAhead,
  type FakeProvider,
} from '../../programs/simulation/fake-provider.ts';
import { createLedger, type Ledger, type Tx } from '../../programs/simulation/ledger.ts';
import { createRandom, type Random } from '../../programs/simulation/random.ts';
import { startApp, type TestApp } from '../../support/index.ts';

const WALLET = '0x52908400098527886E0F7030069857D2E4169EE7';
const BLOCK_MS = 20_000;
const lines: Record<string, unknown>[] = [];

let app: TestApp;
let ctx: Context;
let ledger: Ledger;
let fake: FakeChain;
let watcher: Watcher;
let now: Date;
let random: Random;

beforeAll(async () => {
  const log = pino(
    { level: 'error' },
    new Writable({
      write(chunk, _encoding, done) {
        lines.push(JSON.parse(String(chunk)));
        done();
      },
    }),
  );
  app = await startApp({ env: { CONFIRMATIONS_BASE: '5' }, overrides: { log } });
  random = createRandom(7);
});
afterAll(() => app.stop());

beforeEach(() => begin(2));

test.each([1, 2])(
  'the same transaction that comes back with another amount is attributed again (reported by %i)',
  async (providers) => {
    await begin(providers);
    const [one, other] = [await checkout(), await checkout()];
    const tx = transfer(one.amountUnits);
    ledger.send(tx);
    await blocks(2);
    expect(await seen(one)).toBe(one.amountUnits);

    await fork(2, [
      { ...tx, movements: tx.movements.map((movement) => ({ ...movement, amountUnits: other.amountUnits })) },
    ]);
    await blocks(8);
    expect([await status(one), await status(other)]).toEqual(['pending', 'paid']);
  },
);

test('the same transaction that comes back with another amount after it was dropped is attributed again', async () => {
  const [one, other] = [await checkout(), await checkout()];
  const tx = transfer(one.amountUnits);
  ledger.send(tx);
  await blocks(2);
  await fork(2, []);
  await blocks(8);
  expect(await seen(one)).toBe(0n);

  ledger.send({ ...tx, movements: tx.movements.map((movement) => ({ ...movement, amountUnits: other.amountUnits })) });
  await blocks(8);
  expect([await status(one), await status(other)]).toEqual(['pending', 'paid']);
});

describe('a transfer that a fork puts into a block of another time is judged by that time', () => {
  test('in time before, late now', async () => {
    const one = await checkout({ expires_in: 100 });
    const tx = transfer(one.amountUnits);
    ledger.send(tx);
    await blocks(3);
    expect(await seen(one)).toBe(one.amountUnits);

    ledger.replace(3, []);
    await blocks(1, { unseen: 3, sent: tx });
    await blocks(7);
    expect(await walk(one)).toEqual(['created', 'pending', 'expired', 'refund_required']);
  });

  test('late before, in time now', async () => {
    const one = await checkout({ expires_in: 100 });
    const tx = transfer(one.amountUnits);
    await blocks(1, { unseen: 5, sent: tx });
    await blocks(1);
    expect(await seen(one)).toBe(one.amountUnits);

    await fork(6, [tx]);
    await blocks(7);
    expect(await walk(one)).toEqual(['created', 'pending', 'paid']);
  });

  test('of the session before, from before the session now', async () => {
    const one = await checkout();
    const tx = transfer(one.amountUnits);
    ledger.send(tx);
    await blocks(1);
    expect(await seen(one)).toBe(one.amountUnits);

    await fork(12, [tx]);
    expect(await seen(one)).toBe(0n);
    await blocks(8);
    expect([await walk(one), await whose(tx)]).toEqual([
      ['created', 'pending'],
      { by: null, reason: 'no_match', status: 'final' },
    ]);
  });

  test('from before the session before, of the session now', async () => {
    const one = await checkout();
    const tx = transfer(one.amountUnits);
    await app.ctx.db.query(
      'test_open_later',
      `update payments set created_at = created_at + interval '10 s' where session_id = $1`,
      [one.id],
    );
    await fork(4, [tx]);
    expect([await seen(one), await whose(tx)]).toEqual([0n, { by: null, reason: 'no_match', status: 'seen' }]);

    ledger.replace(4, []);
    await blocks(1, { unseen: 0, sent: tx });
    expect(await seen(one)).toBe(one.amountUnits);
    await blocks(7);
    expect(await walk(one)).toEqual(['created', 'pending', 'paid']);
  });

  test('a transfer that a merchant has assigned stays assigned', async () => {
    const one = await checkout();
    const tx = transfer(one.amountUnits + 5n);
    ledger.send(tx);
    await blocks(1);
    const [row] = await app.ctx.db.query<{ id: string }>(
      'test_transfer_id',
      'select id from transfers where tx_hash = $1',
      [tx.hash],
    );
    const payment = await findPaymentOfSession(app.ctx.db, one.id);
    await app.merchant.live.dashboard.post(`/transfers/${row?.id}/assign`, { payment: payment?.id });
    expect((await whose(tx)).by).toBe('hand');

    ledger.replace(1, []);
    await blocks(1, { unseen: 0, sent: tx });
    expect((await whose(tx)).by).toBe('hand');
    await blocks(7);
    expect(await status(one)).toBe('paid');
  });
});

test('a tag that stood alone before a fork and beside another transfer after it pays nothing', async () => {
  const one = await checkout();
  const [session] = await app.ctx.db.query<{ reference: Buffer }>(
    'test_reference',
    'select reference from checkout_sessions where id = $1',
    [one.id],
  );
  const tagged = { ...transfer(49_900_000n) };
  tagged.movements = tagged.movements.map((movement) => ({
    ...movement,
    carried: [session?.reference.subarray(0, 16) as Uint8Array],
  }));
  ledger.send(tagged);
  await blocks(1);
  expect(await seen(one)).toBe(49_900_000n);

  const [movement] = tagged.movements as [Tx['movements'][number]];
  await fork(1, [
    {
      ...tagged,
      movements: [
        { ...movement, carried: [] },
        { ...movement, carried: [], index: 1, amountUnits: 7n },
      ],
    },
  ]);
  expect(await seen(one)).toBe(0n);
  await blocks(8);
  expect(await status(one)).toBe('pending');
});

test('a transaction that reverted only on an abandoned branch does not fail a payment', async () => {
  const ends: (string | null)[] = [];
  for (const isAbandoned of [false, true]) {
    await begin(2);
    const one = await checkout({ expires_in: 100 });
    const [session] = await app.ctx.db.query<{ reference: Buffer }>(
      'test_reference',
      'select reference from checkout_sessions where id = $1',
      [one.id],
    );
    const tx = transfer(one.amountUnits);
    ledger.send({
      ...tx,
      reverted: true,
      movements: tx.movements.map((movement) => ({
        ...movement,
        carried: [session?.reference.subarray(0, 16) as Uint8Array],
      })),
    });
    await blocks(2);
    if (isAbandoned) await fork(2, []);
    await blocks(6);
    while ((await expiryJob.run(ctx, new AbortController().signal, () => {})) === 'more');
    ends.push(await status(one));
  }
  expect(ends).toEqual(['failed', 'expired']);
});

test('a head below the cursor on another branch is noticed before it has grown past it', async () => {
  const one = await checkout();
  ledger.send(transfer(one.amountUnits));
  await blocks(4);
  expect(await seen(one)).toBe(one.amountUnits);

  await fork(4, [], 2);
  await watch();
  expect(await seen(one)).toBe(0n);
});

test('a head that only lags changes nothing', async () => {
  const one = await checkout();
  ledger.send(transfer(one.amountUnits));
  await blocks(3);
  const before = await cursors();
  for (const provider of fake.providers) provider.view = provider.view.slice(0, -2);
  await watch();
  expect(await cursors()).toEqual(before);
  expect(await seen(one)).toBe(one.amountUnits);
});

test('the second look reads a new branch from where it begins, however far the first has gone on it already', async () => {
  fake.widestWindow = 1;
  const one = await checkout();
  await blocks(4);
  for (const provider of fake.providers.slice(0, 1)) provider.omits = 1;
  await fork(4, [transfer(one.amountUnits)]);
  await blocks(8);
  expect(await status(one)).toBe('paid');
});

test('a reader that followed a provider far beyond the head reads the real blocks, though it had none of them', async () => {
  await begin(1);
  const one = await checkout();
  await blocks(2);
  const [provider] = fake.providers as [FakeProvider];
  // A new process knows no head that would warn it, and reads all invented blocks in one step.
  fake.restart();
  fake.widestWindow = 1_000_000;
  runAhead(provider, ledger, random, { leaves: true, count: 900, txs: [] });
  await blocks(1);
  expect((await cursors())[0]?.blockNumber).toBeGreaterThan(BigInt(ledger.blocks.length + 800));

  removeFaults(provider);
  ledger.send(transfer(one.amountUnits));
  await blocks(12);
  expect(await status(one)).toBe('paid');
});

test('a single provider that left something out is asked for it a second time', async () => {
  await begin(1);
  const one = await checkout({ expires_in: 86_400 });
  const [provider] = fake.providers;
  if (!provider) throw new Error('provider not found');
  provider.omits = 1;
  ledger.send(transfer(one.amountUnits));
  await blocks(3);
  expect(await status(one)).toBe('pending');

  provider.omits = 0;
  await blocks(70);
  expect(await status(one)).toBe('paid');
});

test('providers that contradict each other raise no alarm for a moment, and one after long', async () => {
  const one = await checkout();
  const [, other] = fake.providers;
  if (!other) throw new Error('provider not found');
  await blocks(1);
  other.invents.push(transfer(one.amountUnits));
  while ((await seen(one)) !== one.amountUnits) await blocks(1);
  // It keeps reporting its invented transfer, in the block where it was last read.
  other.omits = 1;
  await blocks(4);
  expect(alarms()).toHaveLength(0);
  await blocks(20);
  expect(alarms().length).toBeGreaterThan(0);
  expect(await status(one)).toBe('pending');
});

test('a contradicted transfer is not paid while the contradicting provider is unreachable, however small it is', async () => {
  const one = await checkout();
  const [honest, liar] = fake.providers;
  if (!honest || !liar) throw new Error('there are none');
  await blocks(1);
  liar.invents.push(transfer(one.amountUnits));
  await blocks(16);
  expect(await seen(one)).toBe(one.amountUnits);
  // It keeps reporting its invented transfer, in the block where it was last read.
  liar.omits = 1;
  await blocks(6);
  honest.isDown = true;
  await blocks(90);
  expect(await status(one)).toBe('pending');
});

test('a final transfer that has disappeared is reported, though no provider answered while the fork passed', async () => {
  const paid = [await checkout(), await checkout()];
  const sent = paid.map((one) => transfer(one.amountUnits));
  for (const tx of sent) ledger.send(tx);
  await blocks(8);
  expect(await Promise.all(paid.map(status))).toEqual(['paid', 'paid']);

  let isSilent = true;
  const check: FakeChain['chain']['check'] = async (...asked) => {
    if (isSilent) throw new TemporaryError('no provider answers');
    return fake.chain.check(...asked);
  };
  ctx = { ...ctx, chains: new Map([['base', { ...fake.chain, check }]]) };
  await fork(12, []);
  const reported = () =>
    lines
      .filter((line) => line.alarm === 'gone_after_final' && sent.some((tx) => tx.hash === line.txHash))
      .map((line) => line.txHash);
  expect(reported()).toEqual([]);

  isSilent = false;
  await blocks(3);
  expect(reported().sort()).toEqual(sent.map((tx) => tx.hash).sort());
});

test('a payment that has moved on meanwhile is not written over', async () => {
  const one = await checkout();
  const before = await findPaymentOfSession(app.ctx.db, one.id);
  if (!before) throw new Error('payment not found');
  const at = { created: now, recorded: now };
  const refund = { amountMinor: 100n, address: null, reason: null, createdAt: now };
  const save = () =>
    app.ctx.db.transaction((db) =>
      saveSteps({ ctx: app.ctx, db, at }, before, advance(before, { type: 'refund_recorded', at: now, refund })),
    );
  await save();
  await expect(save()).rejects.toThrow(`payment ${before.id} is locked at sequence ${before.sequence}`);
});

test('an operator who reads again from a block on reads that block as well, and none past the last one asked for', async () => {
  const [one, other] = [await checkout(), await checkout()];
  for (const provider of fake.providers) provider.omits = 1;
  ledger.send(transfer(one.amountUnits));
  await blocks(1);
  const first = BigInt(ledger.blocks.length - 1);
  ledger.send(transfer(other.amountUnits));
  await blocks(8);
  for (const provider of fake.providers) provider.omits = 0;

  for (let round = 0; round < 2; round += 1) for await (const _ of rescan(ctx, 'base', first, first));
  expect([await status(one), await status(other)]).toEqual(['paid', 'pending']);
  for await (const _ of rescan(ctx, 'base', first));
  expect([await status(one), await status(other)]).toEqual(['paid', 'paid']);
});

/** A new chain for each test, read from the beginning. */
async function begin(providers: number): Promise<void> {
  await app.ctx.db.query('test_forget_blocks', 'delete from chain_blocks');
  await app.ctx.db.query('test_forget_cursors', 'delete from chain_cursors');
  await app.ctx.db.query('test_forget_transfers', `update transfers set status = 'dropped' where status = 'seen'`);
  lines.length = 0;
  now = await app.ctx.db.now();
  ledger = createLedger('base', random, { begin: later(now, -20 * BLOCK_MS), blockSeconds: BLOCK_MS / 1000 });
  ledger.mineUntil(now);
  fake = createFakeChain({
    ledger,
    providers: Array.from({ length: providers }, (_, at) => createFakeProvider(`provider ${at}`)),
    tags: { safe: 30, finalized: 66 },
    widestWindow: 50,
    blockSeconds: BLOCK_MS / 1000,
    random,
    now: () => now,
    pauseMs: NO_PAUSES,
  });
  watcher = createWatcher(`watcher ${random.next()}`);
  const urls = Array.from({ length: providers }, (_, at) => `http://provider-${at}.invalid`);
  ctx = {
    ...app.ctx,
    db: { ...app.ctx.db, now: async () => now },
    chains: new Map([['base', fake.chain]]),
    config: {
      ...app.config,
      networks: { ...app.config.networks, base: { ...app.config.networks.base, rpcUrls: urls } },
    },
  };
}

interface Checkout {
  id: string;
  amountUnits: bigint;
}

async function checkout(fields: Record<string, unknown> = {}): Promise<Checkout> {
  const session = await app.merchant.live.createSession({ expires_in: 7200, ...fields });
  const { body } = await app.inject('POST', `/v1/public/checkout/sessions/${session.id}/pay`, {
    body: { pay_asset: 'USDC', pay_network: 'base' },
  });
  return { id: session.id, amountUnits: BigInt(body.data.payment.amount.replace('.', '')) };
}

function transfer(amountUnits: bigint): Tx {
  const movement = {
    index: 0,
    asset: 'USDC' as const,
    from: random.hex(20),
    to: WALLET,
    amountUnits,
    carried: [],
    meantFor: null,
  };
  return { hash: random.hex(32), reverted: false, contract: true, movements: [movement] };
}

/**
 * Mines this number of blocks, pending transactions in the first of them, and runs the watcher after each. Before that
 * mines unseen blocks and a transaction.
 */
async function blocks(count: number, before?: { unseen: number; sent: Tx }): Promise<void> {
  for (let mined = 0; mined < (before?.unseen ?? 0); mined += 1) {
    now = later(now, BLOCK_MS);
    ledger.mineUntil(now);
  }
  if (before) ledger.send(before.sent);
  for (let mined = 0; mined < count; mined += 1) {
    now = later(now, BLOCK_MS);
    ledger.mineUntil(now);
    await watch();
  }
}

async function fork(depth: number, instead: Tx[], shorter = 0): Promise<void> {
  ledger.replace(depth, instead, shorter);
  await watch();
}

async function watch(): Promise<void> {
  fake.sync();
  for (let turn = 0; turn < 5; turn += 1) await tick(ctx, 'base', watcher).catch(() => {});
}

async function seen({ id }: Checkout): Promise<bigint> {
  const { body } = await app.inject('GET', `/v1/public/checkout/sessions/${id}`);
  return BigInt(body.data.payment.amount_seen.replace('.', ''));
}

async function status({ id }: Checkout): Promise<string> {
  return (await app.inject('GET', `/v1/public/checkout/sessions/${id}`)).body.data.status;
}

/** A payment's statuses, according to its events. */
async function walk({ id }: Checkout): Promise<string[]> {
  const rows = await app.ctx.db.query<{ type: string }>(
    'test_walk',
    'select e.type from events e join payments p on p.id = e.payment_id where p.session_id = $1 order by e.sequence',
    [id],
  );
  return rows.map((row) => row.type.replace('payment.', ''));
}

async function whose({ hash }: Tx) {
  const [row] = await app.ctx.db.query<{ by: string | null; reason: string | null; status: string }>(
    'test_whose',
    'select attributed_by as by, reason, status from transfers where tx_hash = $1',
    [hash],
  );
  if (!row) throw new Error('it was not seen');
  return row;
}

function cursors() {
  return app.ctx.db.query<{ pass: string; blockNumber: bigint; blockHash: string }>(
    'test_cursors',
    'select pass, block_number, block_hash from chain_cursors order by pass',
  );
}

function alarms() {
  return lines.filter((line) => line.alarm === 'providers_disagree');
}
