import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { Context } from '../../src/context.ts';
import type { Job } from '../../src/job.ts';
import { routesJobs } from '../../src/resources/routed-payments/follow.ts';
import { runAll } from '../support/routes/lanes.ts';
import { chooseBitcoin, type ScriptedProvider, scripted } from '../support/routes/scripted.ts';
import { type Settlement, startSettlement } from '../support/settlement.ts';

/** More than one turn takes. */
const MANY = 18;

let shop: Settlement;
let slow: ScriptedProvider;
let quick: ScriptedProvider;
const routers: ScriptedProvider['router'][] = [];

beforeAll(async () => {
  [slow, quick] = [scripted('slow'), scripted('quick')];
  shop = await startSettlement({ overrides: { routers } });
});
afterAll(() => shop[Symbol.asyncDispose]());

test('a provider that does not answer delays no order of another one', async () => {
  await orderedFrom(slow, MANY);
  const [order] = await orderedFrom(quick, 1);
  routers.splice(0, 2, slow.router, quick.router);
  const [slowLane, quickLane] = routesJobs(routers) as [Job, Job];
  const release = slow.hold();
  await allDue();
  const held = runAll([slowLane], shop.ctx);
  // Orders that are made due meanwhile are locked, and a lane takes none that are.
  await expect.poll(() => slow.askedSince()).toBe(4);

  for (const state of ['converting', 'delivering'] as const) {
    quick.say(
      order?.reference ?? '',
      state === 'converting' ? { state, depositedAt: new Date() } : { state, payoutTxHashes: [] },
    );
    await allDue();
    await runAll([quickLane], shop.ctx);
    expect(await stateOf(order?.reference)).toBe(state);
  }
  expect(slow.askedSince()).toBe(4);
  release();
  await held;
  expect(slow.askedSince()).toBeGreaterThanOrEqual(MANY);
});

test('many due orders of one account delay none of another', async () => {
  await orderedFrom(slow, MANY);
  const [order] = await orderedFrom(slow, 1);
  await allDue();
  await shop.ctx.db.query(
    'test_other_account',
    `
    with other as (insert into accounts (id, email, created_at) values ('acc_other', 'other@example.com', now()) returning id)
    update route_orders set account_id = (select id from other), due_at = $2 where reference = $1`,
    [order?.reference, new Date(1)],
  );
  slow.say(order?.reference ?? '', { state: 'converting', depositedAt: new Date() });
  routers.splice(0, 2, slow.router);
  await routesJobs(routers)[0]?.run(shop.ctx, new AbortController().signal, () => {});
  expect(await stateOf(order?.reference)).toBe('converting');
});

test('an order of a provider that is no longer configured ends when its time is over', async () => {
  const [order] = await orderedFrom(scripted('former'), 1);
  routers.splice(0, 2, quick.router);
  await shop.ctx.db.query(
    'test_long_over',
    `update route_orders set deadline = deadline - interval '3 days', state = 'seen' where reference = $1`,
    [order?.reference],
  );
  await allDue();
  await runAll(routesJobs(routers), shop.ctx);
  expect(await stateOf(order?.reference)).toBe('dead');
});

test.each([true, false])(
  'an order whose end cannot be stored delays no other one (answered: %s)',
  async (isAnswered) => {
    const orders = await orderedFrom(quick, 7);
    const [stuck, ...others] = orders.map(({ reference }) => reference);
    routers.splice(0, 2, quick.router);
    await shop.ctx.db.query(
      'test_time_over',
      `update route_orders set deadline = deadline - interval '3 days', state = 'seen' where reference = any($1)`,
      [isAnswered ? [stuck] : [stuck, ...others]],
    );
    await refuseEndOf(stuck as string);
    for (const reference of others) quick.say(reference, { state: 'converting', depositedAt: new Date() });
    quick.silence(!isAnswered);
    await allDue();
    await runAll(routesJobs(routers), shop.ctx);
    quick.silence(false);
    const states = await Promise.all(others.map(stateOf));
    expect(new Set(states)).toEqual(new Set([isAnswered ? 'converting' : 'dead']));
    expect(await stateOf(stuck)).toBe('seen');
  },
);

test('transactions that a provider invents are looked up once per block, and a payout that is mined in between is found', async () => {
  const [order] = await orderedFrom(quick, 1);
  routers.splice(0, 2, quick.router);
  const lanes = routesJobs(routers);
  const { ctx, lookedUp } = counting();
  const invented = Array.from({ length: 30 }, (_, at) => `0x${(at + 1).toString(16).padStart(64, '0')}`);
  const payout = await shop.send(order?.outputUnits ?? 0n, { mine: false });
  const named = [payout, ...invented];
  quick.say(order?.reference ?? '', { state: 'delivering', payoutTxHashes: named });

  for (let polls = 0; polls < 4; polls += 1) {
    await allDue();
    await runAll(lanes, ctx);
  }
  // An order keeps twenty hashes.
  expect(lookedUp).toEqual(named.slice(0, 20));

  await shop.chain.mine(1);
  await allDue();
  await runAll(lanes, ctx);
  expect(lookedUp).toHaveLength(40);
  expect(await transfersOf(payout)).toBe(1);
});

/** Orders whose customers wait for the provider. */
async function orderedFrom(provider: ScriptedProvider, count: number): Promise<StoredOrder[]> {
  routers.splice(0, 2, provider.router);
  const orders: StoredOrder[] = [];
  for (let at = 0; at < count; at += 1) {
    const { id } = await shop.session();
    await chooseBitcoin(shop, id);
    const [row] = await shop.ctx.db.query<StoredOrder>(
      'test_order_of',
      `select o.reference, o.output_units from route_orders o join payments p on p.id = o.payment_id where p.session_id = $1`,
      [id],
    );
    orders.push(row as StoredOrder);
  }
  return orders;
}

/** The database refuses what is known of this order, until the end of the test. */
async function refuseEndOf(reference: string): Promise<void> {
  const { db } = shop.ctx;
  await db.query(
    `test_refuse_function_${reference}`,
    `
    create function test_refuse() returns trigger language plpgsql as $$
    begin
      if new.reference = '${reference}' and new.polled_at is distinct from old.polled_at then raise exception 'refused'; end if;
      return new;
    end $$`,
  );
  await db.query(
    'test_refuse',
    'create trigger test_refuse before update on route_orders for each row execute function test_refuse()',
  );
  onTestFinished(async () => {
    await db.query('test_allow', 'drop function test_refuse cascade');
  });
}

interface StoredOrder {
  reference: string;
  outputUnits: bigint;
}

async function allDue(): Promise<void> {
  await shop.ctx.db.query('test_due', 'update route_orders set due_at = $1 where due_at is not null', [new Date(0)]);
}

async function stateOf(reference: string | undefined): Promise<string | undefined> {
  const [row] = await shop.ctx.db.query<{ state: string }>(
    'test_state',
    'select state from route_orders where reference = $1',
    [reference],
  );
  return row?.state;
}

async function transfersOf(txHash: string): Promise<number> {
  const rows = await shop.ctx.db.query('test_transfers', 'select 1 from transfers where tx_hash = $1', [txHash]);
  return rows.length;
}

/** A context whose chain writes down which transactions are looked up. */
function counting(): { ctx: Context; lookedUp: string[] } {
  const lookedUp: string[] = [];
  const chain = shop.ctx.chains.get('ethereum');
  if (!chain) throw new Error('no chain');
  const counted: typeof chain = {
    ...chain,
    transaction: (...args) => {
      lookedUp.push(args[0]);
      return chain.transaction(...args);
    },
  };
  return { ctx: { ...shop.ctx, chains: new Map([['ethereum', counted]]) }, lookedUp };
}
