import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { RouteProgress } from '../../src/outside/routers/router.ts';
import { DAY_MS, later } from '../../src/platform/time.ts';
import { routesJobs } from '../../src/resources/routed-payments/follow.ts';
import { runAll } from '../support/routes/lanes.ts';
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

describe('a payout that the chain has, and that was not read yet, is not called missing', () => {
  test.each<[string, (hash: string, outputUnits: bigint) => RouteProgress]>([
    ['has delivered', (hash, outputUnits) => ({ state: 'done', payoutTxHashes: [hash], outputUnits })],
    ['is delivering', (hash) => ({ state: 'delivering', payoutTxHashes: [hash] })],
    ['is still converting', () => CONVERTING],
  ])('though its provider says that it %s', async (_, progress) => {
    const { id, order } = await converting();
    const txHash = await shop.send(order.outputUnits);
    await shop.pass(30 * HOUR);
    provider.say(order.reference, progress(txHash, order.outputUnits));
    await pollOrders(shop);
    await shop.settle();
    expect(await shop.payment(id)).toMatchObject({ status: 'paid', tx_hashes: [txHash] });
  });

  test('though its provider is silent', async () => {
    const { id, order } = await converting();
    const txHash = await shop.send(order.outputUnits);
    await shop.pass(30 * HOUR);
    provider.silence(true);
    await pollOrders(shop);
    await shop.settle();
    expect(await shop.payment(id)).toMatchObject({ status: 'paid', tx_hashes: [txHash] });
  });

  test('while it waits for attribution', async () => {
    const { id, order } = await converting();
    const txHash = await shop.send(order.outputUnits);
    await shop.pass(30 * HOUR);
    await shop.watch();
    await queueAgain(txHash);
    await pollOrders(shop);
    expect((await shop.payment(id)).status).toBe('routing');
    await shop.settle();
    expect(await shop.payment(id)).toMatchObject({ status: 'paid', tx_hashes: [txHash] });
  });

  test('though another order is asked about first', async () => {
    const { id, order, other } = await convertingTwo();
    await shop.pass(28 * HOUR);
    await shop.watch();
    const txHash = await shop.send(order.outputUnits, { mine: false });
    await shop.pass(2 * HOUR);
    provider.say(order.reference, { state: 'done', payoutTxHashes: [txHash], outputUnits: order.outputUnits });
    await pollOnly(other);
    expect((await shop.payment(id)).status).toBe('routing');
    await pollOrders(shop);
    expect((await shop.payment(id)).status).toBe('settling');
    await shop.settle();
    expect(await shop.payment(id)).toMatchObject({ status: 'paid', tx_hashes: [txHash] });
  });
});

describe('what is first heard of after the time of an order is followed until the payment ends:', () => {
  test('a conversion', async () => {
    const made = await heardLate(CONVERTING);
    expect((await shop.payment(made.id)).status).toBe('routing');
    await expectGivenUp(made);
  });

  test('a conversion of a provider that then falls silent', async () => {
    const made = await heardLate(CONVERTING);
    provider.silence(true);
    await pollOrders(shop);
    expect((await shop.payment(made.id)).status).toBe('routing');
    await expectGivenUp(made);
  });

  test('a counted deposit', async () => {
    const made = await heardLate({ state: 'seen', depositedUnits: 81_000n, depositedAt: null });
    expect((await shop.payment(made.id)).status).toBe('pending');
    await expectGivenUp(made);
  });

  test('a delivery, which has its day', async () => {
    const made = await heardLate({ state: 'done', payoutTxHashes: [`0x${'cd'.repeat(32)}`], outputUnits: null });
    await shop.pass(23 * HOUR);
    await shop.watch();
    await pollOrders(shop);
    expect((await shop.payment(made.id)).status).toBe('settling');
    await expectGivenUp(made);
  });

  test('a short delivery that the chain has only later', async () => {
    const { id, order } = await ordered();
    await shop.pass(30 * HOUR);
    const txHash = await shop.send(47_000_000n, { mine: false });
    provider.say(order.reference, { state: 'done', payoutTxHashes: [txHash], outputUnits: 47_000_000n });
    await pollOrders(shop);
    await shop.settle();
    await pollOrders(shop);
    await shop.settle();
    expect(await shop.payment(id)).toMatchObject({
      status: 'refund_required',
      failure_reason: 'short_delivery',
      tx_hashes: [txHash],
    });
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

describe('a session that has expired is not left without a word by a provider that', () => {
  test.each<[string, RouteProgress]>([
    ['converts', CONVERTING],
    ['has a deposit', { state: 'seen', depositedUnits: 81_000n, depositedAt: null }],
    ['is delivering', { state: 'delivering', payoutTxHashes: [] }],
  ])('%s only then, and never delivers', async (_, progress) => {
    const made = await expired();
    provider.say(made.order.reference, progress);
    await pollOrders(shop);
    expect((await shop.payment(made.id)).status).toBe('expired');
    await expectGivenUp(made);
  });

  test('converts only then, and falls silent', async () => {
    const made = await expired();
    provider.say(made.order.reference, CONVERTING);
    await pollOrders(shop);
    provider.silence(true);
    await expectGivenUp(made);
  });

  test('converts first when its time is over, and never delivers', async () => {
    const made = await expired();
    await shop.pass(28 * HOUR);
    provider.say(made.order.reference, CONVERTING);
    await pollOrders(shop);
    expect((await shop.payment(made.id)).status).toBe('expired');
    await expectGivenUp(made);
  });

  async function expired(): Promise<{ id: string; order: Order }> {
    const made = await ordered();
    await shop.pass(2 * HOUR);
    await shop.watch();
    await pollOrders(shop);
    await shop.expire();
    return made;
  }
});

describe('an order whose time is over before its session is', () => {
  test.each<[string, RouteProgress]>([
    ['no deposit', { state: 'waiting' }],
    ['too small a deposit', { state: 'short', depositedUnits: 7n }],
    ['an announced deposit', { state: 'seen', depositedUnits: null, depositedAt: null }],
  ])('and that has %s does not keep the payment open', async (_, progress) => {
    const { id, order } = await ordered({ expires_in: 3 * DAY });
    provider.say(order.reference, progress);
    await pollOrders(shop);
    await untilSessionEnds();
    expect((await shop.payment(id)).status).not.toBe('pending');
  });

  test('and that has no deposit hides no direct part', async () => {
    const { id, amountUnits, tag } = await shop.checkout({ expires_in: 3 * DAY });
    await chooseBitcoin(shop, id);
    const txHash = await shop.send(amountUnits - 20_000_000n, { tag });
    await shop.settle();
    await untilSessionEnds();
    expect(await shop.payment(id)).toMatchObject({
      status: 'refund_required',
      failure_reason: 'underpaid',
      tx_hashes: [txHash],
    });
  });

  /** Past the day after an order's time, and then past the end of a session of three days. */
  async function untilSessionEnds(): Promise<void> {
    await shop.pass(2 * DAY + HOUR);
    await shop.watch();
    await pollOrders(shop);
    await shop.pass(DAY);
    await shop.settle();
    await pollOrders(shop);
    await shop.expire();
  }
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
  await shop.watch();
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

/** An order of which the provider is first heard when its time is over. */
async function heardLate(progress: RouteProgress): Promise<{ id: string; order: Order }> {
  const made = await ordered();
  await shop.pass(30 * HOUR);
  provider.say(made.order.reference, progress);
  await pollOrders(shop);
  return made;
}

async function expectGivenUp({ id, order }: { id: string; order: Order }): Promise<void> {
  await laterOn();
  expect(await shop.payment(id)).toMatchObject({ status: 'refund_required', failure_reason: 'route_failed' });
  expect(await dueOf(order)).toBeNull();
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

/** Asks the provider about one order. The others are due later. */
async function pollOnly({ reference }: Order): Promise<void> {
  await shop.ctx.db.query(
    'test_due_only',
    'update route_orders set due_at = case when reference = $1 then $2::timestamptz else $3 end where due_at is not null',
    [reference, new Date(0), later(await shop.ctx.db.now(), DAY_MS)],
  );
  await runAll(routesJobs(shop.ctx.routers), shop.ctx);
}

async function extend({ reference }: Order, seconds: number): Promise<void> {
  await shop.ctx.db.query(
    'test_extend_order',
    `update route_orders set deadline = deadline + $2 * interval '1 second' where reference = $1`,
    [reference, seconds],
  );
}

/** As the reader stores a transfer, before it is attributed. */
async function queueAgain(txHash: string): Promise<void> {
  await shop.ctx.db.query(
    'test_queue_again',
    `update transfers set status = 'seen', final_at = null, queued = true, payment_id = null, target_id = null, attributed_by = null
      where tx_hash = $1`,
    [txHash],
  );
}
