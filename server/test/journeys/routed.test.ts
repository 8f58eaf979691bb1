import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RouteProgress, RouteRefusedError } from '../../src/outside/routers/router.ts';
import { TemporaryError } from '../../src/platform/errors.ts';
import { formatUnits } from '../../src/platform/money.ts';
import { BITCOIN, chooseBitcoin, pollOrders, type ScriptedProvider, scripted } from '../support/routes/scripted.ts';
import { type Settlement, startSettlement } from '../support/settlement.ts';

let shop: Settlement;
let provider: ScriptedProvider;
let spare: ScriptedProvider;

beforeAll(async () => {
  [provider, spare] = [scripted('first'), scripted('spare')];
  shop = await startSettlement({ overrides: { routers: [provider.router, spare.router] } });
});
afterAll(() => shop[Symbol.asyncDispose]());

describe('a payment through a live provider', () => {
  test('walks through each state, and is paid only when our own watcher has seen the payout become final', async () => {
    const { id, order } = await ordered();
    provider.say(order.reference, { state: 'seen', depositedUnits: 81_000n, depositedAt: new Date() });
    await pollOrders(shop);
    expect(await shop.publicSession(id)).toMatchObject({ status: 'pending', payment: { amount_seen: '0.00081000' } });
    provider.say(order.reference, { state: 'converting', depositedAt: new Date() });
    await pollOrders(shop);
    expect((await shop.payment(id)).status).toBe('routing');

    const txHash = await shop.send(order.outputUnits);
    provider.say(order.reference, { state: 'done', payoutTxHashes: [txHash], outputUnits: order.outputUnits });
    await pollOrders(shop);
    expect((await shop.payment(id)).status).toBe('settling');

    await shop.settle();
    expect(await shop.walk(id)).toEqual(['created', 'pending', 'routing', 'settling', 'paid']);
    expect(await shop.payment(id)).toMatchObject({
      route: 'routed',
      tx_hashes: [txHash],
      expected_output: '48.260000',
      actual_output: formatUnits(order.outputUnits, 6),
      service_fee: '0.74',
      net_settlement: '48.26',
    });
  });

  test('whose provider says done and pays nothing is never paid', async () => {
    const { id, order } = await ordered();
    provider.say(order.reference, {
      state: 'done',
      payoutTxHashes: [`0x${'ab'.repeat(32)}`],
      outputUnits: order.outputUnits,
    });
    for (let round = 0; round < 3; round += 1) await pollOrders(shop);
    await shop.settle();
    expect(await shop.walk(id)).toEqual(['created', 'pending', 'routing', 'settling']);
  });

  test("whose provider names a stranger's transfer settles no order with it", async () => {
    const { id, order } = await ordered();
    const stranger = await shop.checkout({ amount: '48.00' });
    const txHash = await shop.send(stranger.amountUnits);
    provider.say(order.reference, { state: 'done', payoutTxHashes: [txHash], outputUnits: stranger.amountUnits });
    await pollOrders(shop);
    await shop.settle();
    await pollOrders(shop);
    expect((await shop.payment(id)).status).toBe('settling');
    expect(await shop.payment(stranger.id)).toMatchObject({ status: 'paid', tx_hashes: [txHash] });
  });

  test('whose provider names a transfer from before the order does not get it', async () => {
    const { id, order } = await ordered();
    const txHash = await shop.send(46_100_000n);
    await shop.settle();
    await shop.ctx.db.query(
      'test_order_later',
      `update route_orders set created_at = created_at + interval '10 minutes' where reference = $1`,
      [order.reference],
    );
    provider.say(order.reference, { state: 'done', payoutTxHashes: [txHash], outputUnits: 46_100_000n });
    await pollOrders(shop);
    expect((await shop.payment(id)).status).toBe('settling');
    expect(await shop.unattributed()).toContainEqual(expect.objectContaining({ tx_hash: txHash, reason: 'no_match' }));
  });

  test('that is delivered short needs a refund, and may be accepted', async () => {
    const { id, order } = await ordered();
    const txHash = await shop.send(47_000_000n);
    provider.say(order.reference, { state: 'done', payoutTxHashes: [txHash], outputUnits: 47_000_000n });
    await pollOrders(shop);
    await shop.settle();
    const payment = await shop.payment(id);
    expect(payment).toMatchObject({
      status: 'refund_required',
      failure_reason: 'short_delivery',
      actual_output: '47.000000',
      tx_hashes: [txHash],
    });
    expect(await shop.merchant.dashboard.post(`/payments/${payment.id}/accept`)).toMatchObject({ status: 'paid' });
  });

  test('that is delivered in parts shows all that came', async () => {
    const { id, order } = await ordered();
    const txHashes = [await shop.send(20_000_000n), await shop.send(21_000_000n)];
    provider.say(order.reference, { state: 'done', payoutTxHashes: txHashes, outputUnits: order.outputUnits });
    await pollOrders(shop);
    await shop.settle();
    const payment = await shop.payment(id);
    expect(payment).toMatchObject({
      status: 'refund_required',
      failure_reason: 'short_delivery',
      actual_output: '41.000000',
    });
    expect(payment.tx_hashes.toSorted()).toEqual(txHashes.toSorted());
  });

  test('that was short when the watcher had seen the payout first is still found', async () => {
    const { id, order } = await ordered();
    const txHash = await shop.send(46_500_000n);
    await shop.settle();
    provider.say(order.reference, { state: 'done', payoutTxHashes: [txHash], outputUnits: 46_500_000n });
    await pollOrders(shop);
    await shop.settle();
    expect(await shop.payment(id)).toMatchObject({
      status: 'refund_required',
      failure_reason: 'short_delivery',
      actual_output: '46.500000',
    });
  });

  test.each<[string, RouteProgress, string, string]>([
    ['returned', { state: 'returned', reason: 'REFUNDED', refundedUnits: 81_000n }, 'failed', 'route_refunded'],
    ['stuck', { state: 'stuck', reason: 'compliance_hold' }, 'refund_required', 'compliance_hold'],
    ['dead', { state: 'dead', reason: 'route_expired' }, 'failed', 'route_expired'],
  ])('that is %s', async (_, progress, status, reason) => {
    const { id, order } = await ordered();
    provider.say(order.reference, progress);
    await pollOrders(shop);
    expect(await shop.payment(id)).toMatchObject({ status, failure_reason: reason, tx_hashes: [] });
  });

  test('that the customer has left for a direct one does not fail with the order', async () => {
    const { id, order } = await ordered();
    const { payment } = await shop.choose(id);
    provider.say(order.reference, { state: 'dead', reason: 'route_expired' });
    await pollOrders(shop);
    expect((await shop.payment(id)).status).toBe('pending');
    await shop.send(BigInt(payment.amount.replace('.', '')));
    await shop.settle();
    expect(await shop.payment(id)).toMatchObject({
      status: 'paid',
      route: 'direct',
      service_fee: '0.00',
      net_settlement: '49.00',
      pay_asset: 'USDC',
    });
  });

  test('whose payout comes before any report of the provider is paid by its exact output once the provider reports the deposit', async () => {
    const { id, order } = await ordered();
    await shop.send(order.outputUnits);
    await shop.settle();
    expect(await shop.walk(id)).toEqual(['created', 'pending']);
    provider.say(order.reference, { state: 'converting', depositedAt: new Date() });
    await pollOrders(shop);
    expect(await shop.walk(id)).toEqual(['created', 'pending', 'routing', 'settling', 'paid']);
    expect(await shop.payment(id)).toMatchObject({ route: 'routed', service_fee: '0.74' });
  });

  test('does not expire while a deposit is in sight, nor before the provider was asked after the end', async () => {
    const { id, order } = await ordered({ expires_in: 600 });
    provider.say(order.reference, { state: 'seen', depositedUnits: 81_000n, depositedAt: new Date() });
    await pollOrders(shop);
    await shop.pass(700);
    await shop.watch();
    await shop.expire();
    expect((await shop.payment(id)).status).toBe('pending');

    provider.say(order.reference, { state: 'waiting' });
    await pollOrders(shop);
    await shop.expire();
    expect((await shop.payment(id)).status).toBe('expired');
  });

  test('that expired and was delivered after all, while the offer still bound the provider, is paid', async () => {
    const { id, order } = await ordered({ expires_in: 600 });
    await shop.pass(700);
    await shop.watch();
    await pollOrders(shop);
    await shop.expire();
    expect((await shop.payment(id)).status).toBe('expired');
    const txHash = await shop.send(order.outputUnits);
    provider.say(order.reference, { state: 'done', payoutTxHashes: [txHash], outputUnits: null });
    await pollOrders(shop);
    await shop.settle();
    expect(await shop.walk(id)).toEqual(['created', 'pending', 'expired', 'paid']);
  });
});

describe('ordering', () => {
  test('the next provider is asked where one does not answer or refuses', async () => {
    for (const failure of [new TemporaryError('down'), new RouteRefusedError('too small')]) {
      provider.fail(failure);
      const { order } = await ordered();
      expect(order.provider).toBe('spare');
    }
    provider.fail(null);
  });

  test('if no provider answers: 503, and the reserved output is free again', async () => {
    provider.fail(new TemporaryError('down'));
    spare.fail(new TemporaryError('down'));
    const session = await shop.session();
    await expect(chooseBitcoin(shop, session.id)).rejects.toThrow('service_unavailable');
    const held = await shop.ctx.db.query(
      'test_held',
      `select 1 from reserved_amounts r join payments p on p.id = r.payment_id where p.session_id = $1`,
      [session.id],
    );
    expect(held).toEqual([]);
    provider.fail(null);
    spare.fail(null);
  });

  test('if every provider rejects the pair: 400 invalid_route', async () => {
    provider.fail(new RouteRefusedError('no'));
    spare.fail(new RouteRefusedError('no'));
    const session = await shop.session();
    await expect(chooseBitcoin(shop, session.id)).rejects.toThrow('invalid_route');
    provider.fail(null);
    spare.fail(null);
  });

  test('the same choice again is the same order; another refund address is another one, at most ten in all', async () => {
    const session = await shop.session();
    const first = await chooseBitcoin(shop, session.id);
    expect((await chooseBitcoin(shop, session.id)).payment.address).toBe(first.payment.address);
    expect(provider.ordered.filter((order) => order.recipient === shop.wallet).length).toBeGreaterThan(0);
    for (let at = 0; at < 9; at += 1)
      await chooseBitcoin(shop, session.id, at % 2 === 0 ? '1BoatSLRHtKNngkdXEeobR76b53LETtpyT' : BITCOIN);
    await expect(chooseBitcoin(shop, session.id, BITCOIN)).rejects.toThrow('invalid_payment_state');
  });

  test("the provider gets the merchant's own wallet as recipient, and the customer's address for a return", async () => {
    await ordered();
    expect(provider.ordered.at(-1)).toMatchObject({ recipient: shop.wallet, refundAddress: BITCOIN });
  });
});

test('a payment whose provider never delivers what it took needs a refund a day after the end, and is no longer said to be settling', async () => {
  const { id, order } = await ordered();
  provider.say(order.reference, {
    state: 'done',
    payoutTxHashes: [`0x${'cd'.repeat(32)}`],
    outputUnits: order.outputUnits,
  });
  await pollOrders(shop);
  expect((await shop.payment(id)).status).toBe('settling');
  await shop.pass(30 * 3600);
  await shop.watch();
  await pollOrders(shop);
  expect(await shop.payment(id)).toMatchObject({
    status: 'refund_required',
    failure_reason: 'route_failed',
    tx_hashes: [],
  });
});

test('a silent provider is asked about a few of its orders and then left alone for a while; the other one is asked about all of its own', async () => {
  for (let made = 0; made < 12; made += 1) await ordered();
  provider.fail(new TemporaryError('down'));
  const { id, order } = await ordered();
  provider.fail(null);
  expect(order.provider).toBe('spare');
  spare.say(order.reference, { state: 'converting', depositedAt: null });
  provider.silence(true);
  const before = provider.askedSince();
  await pollOrders(shop);
  expect(provider.askedSince(before)).toBe(4);
  expect((await shop.payment(id)).status).toBe('routing');
  const due = await shop.ctx.db.query(
    'test_left_due',
    `select 1 from route_orders where provider = 'first' and due_at <= $1`,
    [await shop.ctx.db.now()],
  );
  expect(due).toEqual([]);

  provider.silence(false);
  await pollOrders(shop);
  expect(provider.askedSince(before)).toBeGreaterThanOrEqual(4 + 12);
});

interface Ordered {
  id: string;
  order: { reference: string; outputUnits: bigint; provider: string };
}

async function ordered(fields: Record<string, unknown> = {}): Promise<Ordered> {
  const session = await shop.session(fields);
  await chooseBitcoin(shop, session.id);
  const [row = missing()] = await shop.ctx.db.query<{ reference: string; outputUnits: bigint; provider: string }>(
    'test_order',
    `
    select o.reference, o.output_units, o.provider from route_orders o join payments p on p.id = o.payment_id
      where p.session_id = $1 order by o.created_at desc limit 1`,
    [session.id],
  );
  return { id: session.id, order: { reference: row.reference, outputUnits: row.outputUnits, provider: row.provider } };
}

function missing(): never {
  throw new Error('value not found');
}
