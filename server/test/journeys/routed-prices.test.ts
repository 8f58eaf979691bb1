import { randomBytes } from 'node:crypto';
import { type Address, getAddress, toHex } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { saveSample, minuteOf } from '../../src/settlement/records/rate-store.ts';
import { transferCalldata } from '../support/anvil.ts';
import { BITCOIN, chooseBitcoin, pollOrders, type ScriptedProvider, scripted } from '../support/routes/scripted.ts';
import { type Settlement, startSettlement } from '../support/settlement.ts';

const OTHER_BITCOIN = '1BoatSLRHtKNngkdXEeobR76b53LETtpyT';
const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

let shop: Settlement;
let provider: ScriptedProvider;
let etherWallet: { id: string; address: `0x${string}` };

beforeAll(async () => {
  provider = scripted('first');
  shop = await startSettlement({ overrides: { routers: [provider.router] } });
  const address = getAddress(toHex(randomBytes(20)));
  const { id } = await shop.merchant.createWallet({ asset: 'ETH', network: 'ethereum', address });
  etherWallet = { id, address };
});
afterAll(() => shop[Symbol.asyncDispose]());

describe("a transfer of a route's exact output", () => {
  test('counts as a payout only after the provider has reported the deposit', async () => {
    const { id, order } = await ordered();
    const txHash = await shop.send(order.outputUnits);
    await shop.settle();
    expect(await shop.walk(id)).toEqual(['created', 'pending']);

    provider.say(order.reference, { state: 'done', payoutTxHashes: [txHash], outputUnits: null });
    await pollOrders(shop);
    expect(await shop.walk(id)).toEqual(['created', 'pending', 'routing', 'settling', 'paid']);
    expect(await shop.payment(id)).toMatchObject({ route: 'routed', service_fee: '0.74', tx_hashes: [txHash] });
  });

  test('is direct money where the provider reports no deposit: 98.5 % of the price is underpaid', async () => {
    const { id, order } = await ordered();
    const txHash = await shop.send(order.outputUnits);
    await shop.settle();
    await shop.pass(2 * HOUR);
    await shop.watch();
    await pollOrders(shop);
    await shop.expire();
    expect(await shop.payment(id)).toMatchObject({
      status: 'refund_required',
      failure_reason: 'underpaid',
      route: 'direct',
      service_fee: '0.00',
      tx_hashes: [txHash],
      actual_output: `48.${String(order.outputUnits).slice(-6)}`,
    });
  });

  test('that came shortly before the end closes the payment not before its provider has had ten minutes to report', async () => {
    const { id, order } = await ordered();
    await shop.pass(HOUR - MINUTE);
    const txHash = await shop.send(order.outputUnits);
    await shop.settle();
    await shop.pass(3 * MINUTE);
    await shop.watch();
    await pollOrders(shop);
    await shop.expire();
    expect((await shop.payment(id)).status).toBe('pending');
    provider.say(order.reference, { state: 'done', payoutTxHashes: [txHash], outputUnits: null });
    await pollOrders(shop);
    expect(await shop.payment(id)).toMatchObject({ status: 'paid', route: 'routed' });
  });

  test('is direct money ten minutes after it came, so that the customer can pay the rest', async () => {
    const { id, order } = await ordered();
    await shop.send(order.outputUnits);
    await shop.settle();
    await pollOrders(shop);
    expect((await shop.publicSession(id)).payment).toMatchObject({ kind: 'routed' });
    await shop.pass(11 * MINUTE);
    await pollOrders(shop);
    const { status, payment } = await shop.publicSession(id);
    expect({ status, kind: payment.kind }).toEqual({ status: 'pending', kind: 'direct' });
    const due = units(payment.amount_due);
    expect(due).toBeGreaterThan(49_000_000n - order.outputUnits - 1n);
    await shop.send(due);
    await shop.settle();
    expect(await shop.payment(id)).toMatchObject({ status: 'paid', route: 'direct', service_fee: '0.00' });
  });

  test('is a payout after all where the provider reports the deposit late', async () => {
    const { id, order } = await ordered();
    const txHash = await shop.send(order.outputUnits);
    await shop.settle();
    await shop.pass(11 * MINUTE);
    await pollOrders(shop);
    expect((await shop.payment(id)).status).toBe('pending');
    provider.say(order.reference, { state: 'done', payoutTxHashes: [txHash], outputUnits: null });
    await pollOrders(shop);
    expect(await shop.payment(id)).toMatchObject({ status: 'paid', route: 'routed', service_fee: '0.74' });
  });

  test('that waits for its provider while the merchant accepts other money is listed as money of a paid payment', async () => {
    const { id, direct, order } = await orderedAndLate();
    const own = await shop.send(units(direct.amount));
    await shop.settle();
    const payout = await shop.send(order.outputUnits);
    await shop.settle();
    const late = await shop.payment(id);
    expect(late).toMatchObject({ status: 'refund_required', failure_reason: 'paid_late', tx_hashes: [own] });
    await shop.merchant.dashboard.post(`/payments/${late.id}/accept`);

    provider.say(order.reference, { state: 'done', payoutTxHashes: [payout], outputUnits: null });
    await pollOrders(shop);
    const listed = { tx_hash: payout, reason: 'already_paid' };
    expect(await shop.unattributed()).toContainEqual(expect.objectContaining(listed));
    expect(await shop.payment(id)).toMatchObject({ status: 'paid', tx_hashes: [own], actual_output: direct.amount });
  });

  test('in one transaction with other money of its payment is shown once the provider has answered', async () => {
    const { id, direct, order } = await orderedAndLate();
    const own = await sendTogether([{ amount: units(direct.amount) }, { amount: order.outputUnits }]);
    await shop.settle();
    provider.say(order.reference, { state: 'returned', refundedUnits: null, reason: null });
    await pollOrders(shop);
    const payment = await shop.payment(id);
    expect(payment).toMatchObject({ status: 'refund_required', tx_hashes: [own] });
    expect(units(payment.actual_output)).toBe(units(direct.amount) + order.outputUnits);
  });

  test('that waits for its provider hides no reorganization that took other money of its payment away', async () => {
    const { id, direct, order } = await orderedAndLate();
    for (const held of [order.outputUnits, order.outputUnits]) await shop.send(held);
    await shop.settle();
    const own = await shop.send(units(direct.amount));
    await shop.settle();
    expect(await shop.payment(id)).toMatchObject({ status: 'refund_required', tx_hashes: [own] });
    const { blockNumber } = await shop.chain.included(own as `0x${string}`);
    await shop.chain.reorg(Number((await shop.chain.head()).number - blockNumber) + 1);
    await shop.chain.mine();
    while ((await shop.watch()) === 'more');
    const alerted = { status: 'refund_required', actual_output: direct.amount, settlement_alert: { tx_hash: own } };
    expect(await shop.payment(id)).toMatchObject(alerted);
  });

  test('that pays alone leaves the other money of its transaction to be listed', async () => {
    const { id, tag } = await shop.checkout();
    const order = await orderFor(id);
    const both = await sendTogether([{ amount: 10_000_000n, tag }, { amount: order.outputUnits }]);
    await shop.settle();
    provider.say(order.reference, { state: 'done', payoutTxHashes: [both], outputUnits: null });
    await pollOrders(shop);
    expect(await shop.payment(id)).toMatchObject({ status: 'paid', route: 'routed', tx_hashes: [both] });
    const listed = { tx_hash: both, reason: 'already_paid', amount: '10.000000' };
    expect(await shop.unattributed()).toContainEqual(expect.objectContaining(listed));
  });

  test('after the provider has returned the deposit is direct money, unless the provider names it', async () => {
    const [own, named] = [await ordered(), await ordered()];
    for (const { order } of [own, named]) {
      provider.say(order.reference, { state: 'converting', depositedAt: new Date() });
      await pollOrders(shop);
      provider.say(order.reference, { state: 'returned', reason: 'REFUNDED', refundedUnits: 81_000n });
      await pollOrders(shop);
    }
    await shop.send(own.order.outputUnits);
    await shop.settle();
    expect(await shop.payment(own.id)).toMatchObject({ status: 'refund_required', route: 'direct' });
    expect((await shop.payment(named.id)).status).toBe('failed');
  });

  test('beside direct money makes no wallet of its provider one to refund', async () => {
    const { id, direct, order } = await orderedAndLate();
    await shop.send(units(direct.amount));
    const payout = await shop.send(order.outputUnits, { from: shop.chain.accounts[2]?.address as Address });
    await shop.settle();
    provider.say(order.reference, { state: 'done', payoutTxHashes: [payout], outputUnits: null });
    await pollOrders(shop);
    const { id: payment, ...shown } = await shop.payment(id);
    expect(shown).toMatchObject({ status: 'refund_required', route: 'direct' });
    expect(units(shown.actual_output)).toBe(units(direct.amount) + order.outputUnits);
    const headers = { cookie: `session=${shop.merchant.loginToken}`, 'service-mode': 'live' };
    const plan = await shop.app.inject('GET', `/dashboard/api/payments/${payment}/refund-plan`, { headers });
    expect(plan.body.data.suggestions.map(({ address }: { address: string }) => address)).toEqual([shop.customer]);
  });

  test('does not count as a payout for a deposit that is only announced', async () => {
    const { id, order } = await ordered();
    provider.say(order.reference, { state: 'seen', depositedUnits: 81_000n, depositedAt: new Date() });
    await pollOrders(shop);
    await shop.send(order.outputUnits);
    await shop.settle();
    expect((await shop.payment(id)).status).toBe('pending');
    provider.say(order.reference, { state: 'converting', depositedAt: new Date() });
    await pollOrders(shop);
    expect((await shop.payment(id)).status).toBe('paid');
  });
});

describe('the price of a conversion into a coin whose price moves', () => {
  test('holds 15 minutes, however long the session is open, and then the customer is asked for another amount', async () => {
    const session = await shop.session({ payout_wallet_id: etherWallet.id, expires_in: 20 * DAY });
    const { payment } = await chooseBitcoin(shop, session.id);
    const heldMs = new Date(payment.quote_expires_at).getTime() - Date.now();
    expect(heldMs / 60_000).toBeGreaterThan(14);
    expect(heldMs / 60_000).toBeLessThanOrEqual(15);
    const [order] = await ordersOf(session.id);
    expect(order?.deadline.getTime()).toBeLessThan(Date.now() + 4 * HOUR * 1_000);

    expect((await chooseBitcoin(shop, session.id)).payment.address).toBe(payment.address);
    await moveOrders(session.id, -16 * MINUTE);
    expect((await chooseBitcoin(shop, session.id)).payment.address).not.toBe(payment.address);
  });

  test('holds to the end of the session where the coin is worth the currency', async () => {
    const session = await shop.session({ expires_in: 10 * HOUR });
    expect((await chooseBitcoin(shop, session.id)).payment.quote_expires_at).toBeNull();
  });

  test('is the ordered one where the provider had the deposit in time, whatever the market does until it delivers', async () => {
    const { id, order } = await orderedEther();
    provider.say(order.reference, { state: 'converting', depositedAt: null });
    await pollOrders(shop);
    await shop.pass(5 * HOUR);
    await sample('ETH', '1000');
    await deliver(order);
    expect((await shop.payment(id)).status).toBe('paid');
  });

  test('is the ordered one where the delivery has a block in time, whenever the provider says so', async () => {
    const { id, order } = await orderedEther();
    await shop.pass(20 * MINUTE);
    await sample('ETH', '1000');
    const txHash = await shop.chain.sendEth({ to: etherWallet.address, amount: order.outputUnits });
    await shop.pass(3 * HOUR);
    provider.say(order.reference, { state: 'done', payoutTxHashes: [txHash], outputUnits: null });
    await pollOrders(shop);
    await shop.settle();
    expect((await shop.payment(id)).status).toBe('paid');
  });

  test('is that of the minute of the delivery where the deposit came later: less than the amount is underpaid', async () => {
    const { id, order } = await orderedEther();
    await shop.pass(2 * HOUR);
    await sample('ETH', '1875');
    const txHash = await deliver(order);
    const payment = await shop.payment(id);
    expect(payment).toMatchObject({ status: 'refund_required', failure_reason: 'underpaid', tx_hashes: [txHash] });
    expect(await shop.merchant.dashboard.post(`/payments/${payment.id}/accept`)).toMatchObject({ status: 'paid' });
  });

  test('of two transfers of the exact output that are not enough, both are shown', async () => {
    const { id, order } = await orderedEther();
    await shop.pass(2 * HOUR);
    await sample('ETH', '1875');
    const first = await deliver(order);
    const second = await shop.chain.sendEth({ to: etherWallet.address, amount: order.outputUnits });
    await shop.settle();
    const payment = await shop.payment(id);
    expect(payment).toMatchObject({ status: 'refund_required', failure_reason: 'underpaid' });
    expect(payment.tx_hashes.toSorted()).toEqual([first, second].toSorted());
  });

  test('is not saved by an announced deposit that is converted after the lock', async () => {
    const { id, order } = await orderedEther();
    provider.say(order.reference, { state: 'seen', depositedUnits: 81_000n, depositedAt: new Date() });
    await pollOrders(shop);
    await shop.pass(2 * HOUR);
    await sample('ETH', '1875');
    await deliver(order);
    expect(await shop.payment(id)).toMatchObject({ status: 'refund_required', failure_reason: 'underpaid' });
  });

  test.each(['2495', '3000'])('is that of the minute of the delivery: %s an ether is enough', async (usd) => {
    const { id, order } = await orderedEther();
    await shop.pass(2 * HOUR);
    await sample('ETH', usd);
    await deliver(order);
    expect(await shop.payment(id)).toMatchObject({ status: 'paid', route: 'routed' });
  });

  test('is unknown where no price of that minute was kept', async () => {
    const { id, order } = await orderedEther();
    await shop.pass(2 * HOUR);
    await deliver(order);
    expect(await shop.payment(id)).toMatchObject({ status: 'refund_required', failure_reason: 'rate_unknown' });
  });
});

test('choices that arrive together order no more conversions than choices one after the other', async () => {
  const session = await shop.session();
  const before = provider.ordered.length;
  const choices = Array.from({ length: 24 }, (_, at) =>
    chooseBitcoin(shop, session.id, at % 2 ? BITCOIN : OTHER_BITCOIN),
  );
  await Promise.allSettled(choices);
  expect(provider.ordered.length - before).toBeLessThanOrEqual(10);
  expect((await ordersOf(session.id)).length).toBeLessThanOrEqual(10);
});

interface Order {
  reference: string;
  outputUnits: bigint;
  deadline: Date;
}

async function ordered(fields: Record<string, unknown> = {}): Promise<{ id: string; order: Order }> {
  const { id } = await shop.session(fields);
  return { id, order: await orderFor(id) };
}

/** A session whose time is over, and whose customer chose to pay directly and then ordered a conversion. */
async function orderedAndLate() {
  const { id } = await shop.session();
  const { payment: direct } = await shop.choose(id);
  const order = await orderFor(id);
  provider.say(order.reference, { state: 'seen', depositedUnits: 81_000n, depositedAt: new Date() });
  await pollOrders(shop);
  await shop.pass(2 * HOUR);
  return { id, direct, order };
}

/** Several transfers to the wallet in one transaction. */
async function sendTogether(transfers: readonly { amount: bigint; tag?: Uint8Array }[]): Promise<string> {
  const batcher = await shop.chain.deploy('Batcher');
  await shop.send(200_000_000n, { to: batcher });
  return shop.chain.batch(
    batcher,
    transfers.map(({ amount, tag }) => ({ target: shop.usdc, data: transferCalldata(shop.wallet, amount, tag) })),
  );
}

async function orderFor(sessionId: string): Promise<Order> {
  await chooseBitcoin(shop, sessionId);
  await moveOrders(sessionId, await aheadSeconds());
  const order = (await ordersOf(sessionId)).at(-1);
  if (!order) throw new Error('there is no order');
  return order;
}

function orderedEther(): Promise<{ id: string; order: Order }> {
  return ordered({ payout_wallet_id: etherWallet.id, expires_in: 12 * HOUR });
}

/** The provider takes the deposit, converts it and sends its exact output. */
async function deliver(order: Order): Promise<string> {
  provider.say(order.reference, { state: 'converting', depositedAt: null });
  await pollOrders(shop);
  const txHash = await shop.chain.sendEth({ to: etherWallet.address, amount: order.outputUnits });
  provider.say(order.reference, { state: 'done', payoutTxHashes: [txHash], outputUnits: null });
  await pollOrders(shop);
  await shop.settle();
  return txHash;
}

async function ordersOf(sessionId: string): Promise<Order[]> {
  const rows = await shop.ctx.db.query<{ reference: string; outputUnits: bigint; deadline: Date }>(
    'test_orders_of',
    `select o.reference, o.output_units, o.deadline from route_orders o join payments p on p.id = o.payment_id
      where p.session_id = $1 order by o.created_at`,
    [sessionId],
  );
  return rows.map((row) => ({ reference: row.reference, outputUnits: row.outputUnits, deadline: row.deadline }));
}

/** The test's clock is ahead of the API's, so orders are created at the test's time. */
async function aheadSeconds(): Promise<number> {
  return ((await shop.ctx.db.now()).getTime() - (await shop.app.ctx.db.now()).getTime()) / 1_000;
}

async function moveOrders(sessionId: string, seconds: number): Promise<void> {
  const of = `payment_id = (select id from payments where session_id = $1)`;
  await shop.ctx.db.query(
    'test_move_orders',
    `update route_orders set created_at = created_at + $2 * interval '1 s', deadline = deadline + $2 * interval '1 s' where ${of}`,
    [sessionId, seconds],
  );
  await shop.ctx.db.query(
    'test_move_targets',
    `update payment_targets
      set created_at = created_at + $2 * interval '1 s', locked_until = locked_until + $2 * interval '1 s' where ${of}`,
    [sessionId, seconds],
  );
}

/** The price for the minutes around the chain's next blocks. */
async function sample(asset: 'ETH' | 'USDC', usd: string): Promise<void> {
  const { time } = await shop.chain.head();
  for (const minutes of [-1, 0, 1, 2]) {
    const minute = minuteOf(new Date(time.getTime() + minutes * 60_000));
    const decimals = usd.split('.')[1]?.length ?? 0;
    const [numerator, denominator] = [BigInt(usd.replace('.', '')), 10n ** BigInt(decimals)];
    const sources = [{ source: 'test', price: usd }];
    await saveSample(shop.ctx.db, { asset, currency: 'USD', numerator, denominator, at: time, sources }, minute);
  }
}

function units(amount: string): bigint {
  return BigInt(amount.replace('.', ''));
}
