import { Writable } from 'node:stream';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Context } from '../../src/context.ts';
import { later } from '../../src/platform/time.ts';
import { advance } from '../../src/resources/payments/lifecycle.ts';
import { findPaymentOfSession, saveSteps } from '../../src/resources/payments/store.ts';
import { rescan } from '../../src/resources/payments/rescan.ts';
import { createWatcher, tick, type Watcher } from '../../src/watch.ts';
import { createFakeChain, createProvider, type FakeChain } from '../simulation/fake-chain.ts';
import { createLedger, type Ledger, type Tx } from '../simulation/ledger.ts';
import { createRandom, type Random } from '../simulation/random.ts';
import { startApp, type TestApp } from '../support/index.ts';

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
  const log = pino({ level: 'error' }, new Writable({ write(chunk, _encoding, done) {
    lines.push(JSON.parse(String(chunk)));
    done();
  } }));
  app = await startApp({ env: { CONFIRMATIONS_BASE: '5' }, overrides: { log } });
  random = createRandom(7);
});
afterAll(() => app.stop());

beforeEach(() => begin(2));

test.each([1, 2])('the same transaction that comes back with another amount is attributed anew (told by %i)', async (providers) => {
  await begin(providers);
  const [one, other] = [await checkout(), await checkout()];
  const tx = transfer(one.amountUnits);
  ledger.send(tx);
  await blocks(2);
  expect(await seen(one)).toBe(one.amountUnits);

  await fork(2, [{ ...tx, movements: tx.movements.map((movement) => ({ ...movement, amountUnits: other.amountUnits })) }]);
  await blocks(8);
  expect([await status(one), await status(other)]).toEqual(['pending', 'paid']);
});

test('the same transaction that comes back with another amount after it was dropped is attributed anew', async () => {
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

test('a head that has gone back below the cursor on another branch is noticed before it has grown past it', async () => {
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

test('a single provider that left something out is asked for it a second time', async () => {
  await begin(1);
  const one = await checkout({ expires_in: 86_400 });
  const [provider] = fake.providers;
  if (!provider) throw new Error('there is none');
  provider.omits = 1;
  ledger.send(transfer(one.amountUnits));
  await blocks(3);
  expect(await status(one)).toBe('pending');

  provider.omits = 0;
  await blocks(70);
  expect(await status(one)).toBe('paid');
});

test('providers that contradict each other for a moment are no alarm, for long they are', async () => {
  const one = await checkout();
  const [, other] = fake.providers;
  if (!other) throw new Error('there is none');
  other.invents.push(transfer(one.amountUnits));
  await blocks(7);
  expect(alarms()).toHaveLength(0);
  await blocks(12);
  expect(alarms().length).toBeGreaterThan(0);
  expect(await status(one)).toBe('pending');
});

test('what one provider has contradicted is not paid while that one is silent, however little it is worth', async () => {
  const one = await checkout();
  const [honest, liar] = fake.providers;
  if (!honest || !liar) throw new Error('there are none');
  await blocks(1);
  liar.invents.push(transfer(one.amountUnits));
  await blocks(16);
  expect(await seen(one)).toBe(one.amountUnits);
  // It goes on vouching for what it invented, in the block where it was last told.
  liar.omits = 1;
  await blocks(6);
  honest.isDown = true;
  await blocks(20);
  expect(await status(one)).toBe('pending');
});

test('a payment that has moved on meanwhile is not written over', async () => {
  const one = await checkout();
  const before = await findPaymentOfSession(app.ctx.db, one.id);
  if (!before) throw new Error('there is none');
  const at = { created: now, recorded: now };
  const refund = { amountMinor: 100n, address: null, reason: null, createdAt: now };
  const save = () => app.ctx.db.transaction((db) => saveSteps(app.ctx, db, before, advance(before, { type: 'refund_recorded', at: now, refund }), at));
  await save();
  await expect(save()).rejects.toThrow(`payment ${before.id} is held at sequence ${before.sequence}`);
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

/** A chain of its own for each test, read from the beginning. */
async function begin(providers: number): Promise<void> {
  await app.ctx.db.query('test_forget_blocks', 'delete from chain_blocks');
  await app.ctx.db.query('test_forget_cursors', 'delete from chain_cursors');
  await app.ctx.db.query('test_forget_transfers', `update transfers set status = 'dropped' where status = 'seen'`);
  lines.length = 0;
  now = await app.ctx.db.now();
  ledger = createLedger('base', later(now, -20 * BLOCK_MS), BLOCK_MS / 1000, random);
  ledger.mineUntil(now);
  fake = createFakeChain(ledger, Array.from({ length: providers }, (_, at) => createProvider(`provider ${at}`)), { safe: 30, finalized: 66 }, 50, random);
  watcher = createWatcher(`watcher ${random.next()}`);
  const urls = Array.from({ length: providers }, (_, at) => `http://provider-${at}.invalid`);
  ctx = {
    ...app.ctx,
    db: { ...app.ctx.db, now: async () => now },
    chains: new Map([['base', fake.chain]]),
    config: { ...app.config, networks: { ...app.config.networks, base: { ...app.config.networks.base, rpcUrls: urls } } },
  };
}

interface Checkout {
  id: string;
  amountUnits: bigint;
}

async function checkout(fields: Record<string, unknown> = {}): Promise<Checkout> {
  const session = await app.merchant.live.createSession({ expires_in: 7200, ...fields });
  const { body } = await app.inject('POST', `/v1/public/checkout/sessions/${session.id}/pay`, { body: { pay_asset: 'USDC', pay_network: 'base' } });
  return { id: session.id, amountUnits: BigInt(body.data.payment.amount.replace('.', '')) };
}

function transfer(amountUnits: bigint): Tx {
  const movement = { index: 0, asset: 'USDC' as const, from: random.hex(20), to: WALLET, amountUnits, carried: [], meantFor: null };
  return { hash: random.hex(32), reverted: false, contract: true, movements: [movement] };
}

/** Mines so many blocks, what waits in the first of them, and looks after each. */
async function blocks(count: number): Promise<void> {
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

function cursors() {
  return app.ctx.db.query('test_cursors', 'select pass, block_number, block_hash from chain_cursors order by pass');
}

function alarms() {
  return lines.filter((line) => line.alarm === 'providers_disagree');
}
