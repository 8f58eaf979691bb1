import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { RouteProgress } from '../../src/outside/routers/router.ts';
import { chooseBitcoin, pollOrders, type ScriptedProvider, scripted } from '../support/routes/scripted.ts';
import { type Settlement, startSettlement } from '../support/settlement.ts';

const HOUR = 3_600;
const DAY = 24 * HOUR;
const OTHER_BITCOIN = '1BoatSLRHtKNngkdXEeobR76b53LETtpyT';
const CONVERTING: RouteProgress = { state: 'converting', depositedAt: null };
const ENDS: [string, RouteProgress][] = [
  ['returned', { state: 'returned', reason: 'REFUNDED', refundedUnits: 81_000n }],
  ['stuck', { state: 'stuck', reason: 'compliance_hold' }],
  ['dead', { state: 'dead', reason: 'route_expired' }],
];

// The service is away, or restored from a backup, until a day after the deadline of an order, or the session outlives it.
let shop: Settlement;
let provider: ScriptedProvider;

// The API's clock stands still, so a shop whose time has moved makes only orders that are over.
beforeEach(async () => {
  provider = scripted('first');
  shop = await startSettlement({ overrides: { routers: [provider.router] } });
});
afterEach(() => shop[Symbol.asyncDispose]());

describe('what is first heard of after the time of an order is followed until the payment ends:', () => {
  test('a conversion', async () => {
    const { id, order } = await ordered();
    await shop.pass(30 * HOUR);
    provider.say(order.reference, CONVERTING);
    await pollOrders(shop);
    expect((await shop.payment(id)).status).toBe('routing');
    await laterOn();
    expect(await shop.payment(id)).toMatchObject({ status: 'refund_required', failure_reason: 'route_failed' });
    expect(await dueOf(order)).toBeNull();
  });

  test.each(ENDS)('a conversion that was spared for another order, which then is %s', async (_, progress) => {
    const { id, other } = await convertingTwo();
    await extend(other, 3 * DAY);
    await shop.pass(30 * HOUR);
    await shop.watch();
    await pollOrders(shop);
    expect((await shop.payment(id)).status).toBe('routing');
    provider.say(other.reference, progress);
    await pollOrders(shop);
    await laterOn();
    expect((await shop.payment(id)).status).toBe('refund_required');
  });

  test('a conversion that was spared for a payout, which then disappears', async () => {
    const { id, order } = await converting();
    await shop.pass(30 * HOUR);
    await shop.send(order.outputUnits);
    await shop.watch();
    await pollOrders(shop);
    expect((await shop.payment(id)).status).toBe('routing');
    await shop.chain.reorg(1);
    await shop.settle();
    await laterOn();
    expect(await shop.payment(id)).toMatchObject({ status: 'refund_required', failure_reason: 'route_failed' });
  });
});

interface Order {
  reference: string;
  outputUnits: bigint;
}

async function ordered(fields: Record<string, unknown> = {}): Promise<{ id: string; order: Order }> {
  const { id } = await shop.session(fields);
  await chooseBitcoin(shop, id);
  return { id, order: await newestOrder(id) };
}

async function converting(): Promise<{ id: string; order: Order }> {
  const made = await ordered();
  provider.say(made.order.reference, CONVERTING);
  await pollOrders(shop);
  expect((await shop.payment(made.id)).status).toBe('routing');
  return made;
}

/** Two orders of one payment, and deposits to both. */
async function convertingTwo(): Promise<{ id: string; order: Order; other: Order }> {
  const { id, order } = await ordered();
  await chooseBitcoin(shop, id, OTHER_BITCOIN);
  const other = await newestOrder(id);
  for (const { reference } of [order, other]) provider.say(reference, CONVERTING);
  await pollOrders(shop);
  return { id, order, other };
}

/** More than a day later, when the chain has been read. */
async function laterOn(): Promise<void> {
  await shop.pass(26 * HOUR);
  await shop.watch();
  await pollOrders(shop);
}

async function newestOrder(sessionId: string): Promise<Order> {
  const [row] = await shop.ctx.db.query<Order>(
    'test_newest_order',
    `
    select o.reference, o.output_units from route_orders o join payments p on p.id = o.payment_id
      where p.session_id = $1 order by o.created_at desc limit 1`,
    [sessionId],
  );
  if (!row) throw new Error('row not found');
  return row;
}

async function dueOf({ reference }: Order): Promise<Date | null> {
  const [row] = await shop.ctx.db.query<{ dueAt: Date | null }>(
    'test_order_due',
    'select due_at from route_orders where reference = $1',
    [reference],
  );
  if (!row) throw new Error('row not found');
  return row.dueAt;
}

async function extend({ reference }: Order, seconds: number): Promise<void> {
  await shop.ctx.db.query(
    'test_extend_order',
    `update route_orders set deadline = deadline + $2 * interval '1 second' where reference = $1`,
    [reference, seconds],
  );
}
