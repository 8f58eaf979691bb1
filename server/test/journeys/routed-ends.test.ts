import type { PrivateKeyAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RouteProgress } from '../../src/outside/routers/router.ts';
import { chooseBitcoin, pollOrders, type ScriptedProvider, scripted } from '../support/routes/scripted.ts';
import { type Settlement, startSettlement } from '../support/settlement.ts';

const OTHER_BITCOIN = '1BoatSLRHtKNngkdXEeobR76b53LETtpyT';
const CONVERTING: RouteProgress = { state: 'converting', depositedAt: null };
const ENDS: [string, RouteProgress][] = [
  ['returned', { state: 'returned', reason: 'REFUNDED', refundedUnits: 81_000n }],
  ['stuck', { state: 'stuck', reason: 'compliance_hold' }],
  ['dead', { state: 'dead', reason: 'route_expired' }],
];

let shop: Settlement;
let provider: ScriptedProvider;

beforeAll(async () => {
  provider = scripted('first');
  shop = await startSettlement({ overrides: { routers: [provider.router] } });
});
afterAll(() => shop[Symbol.asyncDispose]());

describe('the end of an order', () => {
  test.each(ENDS)(
    'that is %s changes nothing while direct money in full is in sight, which is then paid',
    async (_, progress) => {
      const { id, order, amountUnits, tag } = await orderedAfterDirect();
      await shop.send(amountUnits, { tag });
      await shop.watch();
      provider.say(order.reference, progress);
      await pollOrders(shop);
      expect((await shop.payment(id)).status).toBe('pending');
      await shop.settle();
      expect(await shop.walk(id)).toEqual(['created', 'pending', 'paid']);
    },
  );

  test.each(ENDS)(
    'that is %s changes nothing while a direct part is there, which can be completed',
    async (_, progress) => {
      const { id, order, amountUnits, tag } = await orderedAfterDirect();
      await shop.send(20_000_000n, { tag });
      await shop.settle();
      provider.say(order.reference, progress);
      await pollOrders(shop);
      expect((await shop.payment(id)).status).toBe('pending');
      await shop.send(amountUnits - 20_000_000n, { tag });
      await shop.settle();
      expect((await shop.payment(id)).status).toBe('paid');
    },
  );

  test.each(ENDS)(
    'that is %s under way shows the direct part that had come before, and the merchant may accept it',
    async (_, progress) => {
      const { id, order, tag } = await orderedAfterDirect();
      const txHash = await shop.send(20_000_000n, { tag });
      await shop.watch();
      provider.say(order.reference, { state: 'converting', depositedAt: new Date() });
      await pollOrders(shop);
      await shop.settle();
      provider.say(order.reference, progress);
      await pollOrders(shop);
      expect(await shop.walk(id)).toEqual(['created', 'pending', 'routing', 'refund_required']);
      const payment = await shop.payment(id);
      expect(payment).toMatchObject({ failure_reason: 'underpaid', actual_output: '20.000000', tx_hashes: [txHash] });
      expect(await shop.merchant.dashboard.post(`/payments/${payment.id}/accept`)).toMatchObject({ status: 'paid' });
    },
  );

  test('that delivered short shows the direct part as well, and what comes directly afterwards', async () => {
    const { id, order, tag } = await orderedAfterDirect();
    const txHashes = [await shop.send(10_000_000n, { tag })];
    await shop.watch();
    provider.say(order.reference, { state: 'converting', depositedAt: new Date() });
    await pollOrders(shop);
    txHashes.push(await shop.send(30_000_000n));
    provider.say(order.reference, { state: 'done', payoutTxHashes: txHashes.slice(1), outputUnits: 30_000_000n });
    await pollOrders(shop);
    await shop.settle();
    expect(await shop.payment(id)).toMatchObject({
      status: 'refund_required',
      failure_reason: 'short_delivery',
      actual_output: '40.000000',
      tx_hashes: txHashes,
    });
    txHashes.push(await shop.send(5_000_000n, { tag }));
    await shop.settle();
    const { actual_output, tx_hashes } = await shop.payment(id);
    expect([actual_output, tx_hashes.toSorted()]).toEqual(['45.000000', txHashes.toSorted()]);
  });

  test('that was no end, because it delivers after all, hides no direct part', async () => {
    const { id, order, tag } = await orderedAfterDirect();
    const txHashes = [await shop.send(10_000_000n, { tag })];
    await shop.watch();
    provider.say(order.reference, { state: 'converting', depositedAt: new Date() });
    await pollOrders(shop);
    await shop.settle();
    provider.say(order.reference, { state: 'stuck', reason: 'compliance_hold' });
    await pollOrders(shop);
    txHashes.push(await shop.send(order.outputUnits));
    await shop.settle();
    expect(await shop.payment(id)).toMatchObject({
      status: 'refund_required',
      actual_output: `58.${String(order.outputUnits).slice(-6)}`,
      tx_hashes: txHashes,
    });
  });

  test('of a provider that falls silent is a day after its time, though a direct part has come, which then shows', async () => {
    const { id, order, tag } = await orderedAfterDirect();
    await shop.send(20_000_000n, { tag });
    await shop.watch();
    provider.say(order.reference, { state: 'converting', depositedAt: new Date() });
    await pollOrders(shop);
    await shop.settle();
    provider.silence(true);
    await shop.pass(30 * 3600);
    await shop.watch();
    await pollOrders(shop);
    provider.silence(false);
    expect(await shop.payment(id)).toMatchObject({
      status: 'refund_required',
      failure_reason: 'underpaid',
      actual_output: '20.000000',
    });
  });

  test('that the customer has left, and in which their money is stuck, ends nothing before the window is over; then it needs a refund', async () => {
    const { id, order } = await ordered({ expires_in: 600 });
    await shop.choose(id);
    provider.say(order.reference, { state: 'stuck', reason: 'compliance_hold' });
    await pollOrders(shop);
    expect((await shop.payment(id)).status).toBe('pending');
    await shop.pass(700);
    await shop.watch();
    await shop.expire();
    expect(await shop.payment(id)).toMatchObject({ status: 'refund_required', failure_reason: 'compliance_hold' });
  });

  test.each(ENDS)('that is %s fails no payment of which another order is under way', async (_, progress) => {
    const { id, order } = await ordered();
    await chooseBitcoin(shop, id, OTHER_BITCOIN);
    const other = await newestOrder(id);
    provider.say(order.reference, { state: 'converting', depositedAt: new Date() });
    await pollOrders(shop);
    provider.say(other.reference, progress);
    await pollOrders(shop);
    expect((await shop.payment(id)).status).toBe('routing');
    await shop.send(order.outputUnits);
    await shop.settle();
    expect((await shop.payment(id)).status).toBe('paid');
  });
});

describe('direct money beside a conversion', () => {
  const BY_DIRECT_MONEY = ['created', 'pending', 'routing', 'settling', 'paid'];

  test.each(ENDS)('in full pays, also if the conversion is %s', async (_, progress) => {
    const { id, order, amountUnits, tag } = await orderedAfterDirect();
    const txHash = await shop.send(amountUnits, { tag });
    await shop.watch();
    await say(order, CONVERTING);
    await shop.settle();
    await say(order, progress);
    expect(await shop.walk(id)).toEqual(BY_DIRECT_MONEY);
    expect(await shop.payment(id)).toMatchObject({ route: 'direct', service_fee: '0.00', tx_hashes: [txHash] });
  });

  test.each(ENDS)('in full that is not final yet outlasts a conversion that is %s', async (_, progress) => {
    const { id, order, amountUnits, tag } = await orderedAfterDirect();
    await shop.send(amountUnits, { tag });
    await shop.watch();
    await say(order, CONVERTING);
    await say(order, progress);
    expect((await shop.payment(id)).status).toBe('routing');
    await shop.settle();
    expect(await shop.walk(id)).toEqual(BY_DIRECT_MONEY);
  });

  test('that disappears leaves the payment to the end of the conversion', async () => {
    const { id, order, amountUnits, tag } = await orderedAfterDirect();
    await shop.send(amountUnits, { tag });
    await shop.watch();
    await say(order, CONVERTING);
    await say(order, { state: 'returned', reason: 'REFUNDED', refundedUnits: 81_000n });
    await shop.chain.reorg(1);
    await shop.settle();
    await pollOrders(shop);
    expect(await shop.payment(id)).toMatchObject({ status: 'failed', failure_reason: 'route_refunded' });
  });

  test('in full pays, also if it is sent when the conversion has begun, whose payout is then listed', async () => {
    const { id, order, amountUnits, tag } = await orderedAfterDirect();
    await say(order, CONVERTING);
    const txHash = await shop.send(amountUnits, { tag });
    await shop.settle();
    expect(await shop.payment(id)).toMatchObject({ status: 'paid', tx_hashes: [txHash] });
    const payout = await shop.send(order.outputUnits);
    await shop.settle();
    expect(await shop.unattributed()).toContainEqual(
      expect.objectContaining({ tx_hash: payout, reason: 'already_paid' }),
    );
  });

  test('in full pays, also if only its proved sender names the payment', async () => {
    const { id } = await shop.session();
    const payer = shop.chain.accounts[3] as PrivateKeyAccount;
    const message = `Quittance payment sender\nSession: ${id}\nNetwork: ethereum\nAddress: ${payer.address}`;
    await shop.choose(id, { sender: payer.address, sender_signature: await payer.signMessage({ message }) });
    await chooseBitcoin(shop, id);
    await say(await newestOrder(id), CONVERTING);
    await shop.send(51_000_000n, { from: payer.address });
    await shop.settle();
    expect(await shop.payment(id)).toMatchObject({ status: 'paid', route: 'direct' });
  });

  test('in full pays, also if only the merchant knows whose it is', async () => {
    const { id, order } = await orderedAfterDirect();
    await say(order, CONVERTING);
    const txHash = await shop.send(51_000_000n);
    await shop.settle();
    const transfer = (await shop.unattributed()).find((one) => one.tx_hash === txHash);
    const { id: payment } = await shop.payment(id);
    await shop.merchant.dashboard.post(`/transfers/${transfer.id}/assign`, { payment });
    await shop.settle();
    expect(await shop.payment(id)).toMatchObject({ status: 'paid', route: 'direct', tx_hashes: [txHash] });
  });

  test('in full and too late shows once the conversion has ended', async () => {
    const { id, order, amountUnits, tag } = await orderedAfterDirect({ expires_in: 600 });
    await say(order, CONVERTING);
    await shop.pass(700);
    const txHash = await shop.send(amountUnits, { tag });
    await shop.settle();
    expect((await shop.payment(id)).status).toBe('routing');
    await say(order, { state: 'returned', reason: 'REFUNDED', refundedUnits: 81_000n });
    expect(await shop.payment(id)).toMatchObject({
      status: 'refund_required',
      failure_reason: 'paid_late',
      route: 'direct',
      tx_hashes: [txHash],
    });
  });

  test('in part that no conversion completes is shown as direct money without a fee', async () => {
    const { id, order, tag } = await orderedAfterDirect({ expires_in: 600 });
    await shop.send(20_000_000n, { tag });
    await shop.settle();
    expect(await shop.payment(id)).toMatchObject({ route: 'routed', service_fee: '0.74' });
    await shop.pass(700);
    await shop.settle();
    await say(order, { state: 'waiting' });
    await shop.expire();
    expect(await shop.payment(id)).toMatchObject({
      status: 'refund_required',
      failure_reason: 'underpaid',
      route: 'direct',
      pay_asset: 'USDC',
      service_fee: '0.00',
    });
  });

  test('has a receipt without a payout that still waits for its provider', async () => {
    const { id, order, amountUnits, tag } = await orderedAfterDirect({ expires_in: 600 });
    await shop.pass(700);
    const txHash = await shop.send(amountUnits, { tag });
    await shop.settle();
    await shop.send(order.outputUnits);
    await shop.settle();
    const payment = await shop.payment(id);
    const { claims } = await shop.merchant.get(`/payments/${payment.id}/receipt`);
    expect(claims).toMatchObject({ status: 'refund_required', received: payment.actual_output });
    expect(claims.transfers.map((transfer: { tx_hash: string }) => transfer.tx_hash)).toEqual([txHash]);
  });
});

describe('the end of the newest of several orders', () => {
  const DEPOSITED: RouteProgress = { state: 'seen', depositedUnits: 81_000n, depositedAt: null };

  test.each(ENDS)('that is %s fails no payment whose earlier order has the deposit', async (_, progress) => {
    const { id, order, other } = await orderedTwice();
    await say(order, DEPOSITED);
    await say(other, progress);
    expect((await shop.payment(id)).status).toBe('pending');
    await say(order, CONVERTING);
    await shop.send(order.outputUnits);
    await shop.settle();
    expect((await shop.payment(id)).status).toBe('paid');
  });

  test('that got nothing fails no payment whose earlier order may have been paid', async () => {
    const { id, order, other } = await orderedTwice();
    await say(other, { state: 'dead', reason: 'route_expired' });
    expect((await shop.payment(id)).status).toBe('pending');
    await say(order, CONVERTING);
    await shop.send(order.outputUnits);
    await shop.settle();
    expect((await shop.payment(id)).status).toBe('paid');
  });

  test.each(ENDS)('whose earlier order is %s while this one has the deposit waits for it', async (_, progress) => {
    const { id, order, other } = await orderedTwice();
    await say(order, CONVERTING);
    await say(other, DEPOSITED);
    await say(order, progress);
    expect((await shop.payment(id)).status).toBe('routing');
    await say(other, CONVERTING);
    await shop.send(other.outputUnits);
    await shop.settle();
    expect((await shop.payment(id)).status).toBe('paid');
  });

  test.each(ENDS)(
    'whose deposit disappears again after an earlier order is %s ends the payment',
    async (_, progress) => {
      const { id, order, other } = await orderedTwice();
      await say(order, CONVERTING);
      await say(other, DEPOSITED);
      await say(order, progress);
      await say(other, { state: 'waiting' });
      await pollOrders(shop);
      expect(['failed', 'refund_required']).toContain((await shop.payment(id)).status);
    },
  );

  test('that is returned hides no money that is stuck in an earlier one', async () => {
    const { id, order, other } = await orderedTwice();
    await say(order, CONVERTING);
    await say(other, CONVERTING);
    await say(order, { state: 'stuck', reason: 'compliance_hold' });
    await say(other, { state: 'returned', reason: 'REFUNDED', refundedUnits: 81_000n });
    expect(await shop.payment(id)).toMatchObject({ status: 'refund_required', failure_reason: 'compliance_hold' });
  });

  async function orderedTwice() {
    const { id, order } = await ordered();
    await chooseBitcoin(shop, id, OTHER_BITCOIN);
    return { id, order, other: await newestOrder(id) };
  }
});

// Last, because the time that these move is that of the shop.
test.each([
  ['whose provider answers', false],
  ['whose provider is silent by then', true],
])(
  'direct money that disappears days after the deposit was returned leaves a payment failed, %s',
  async (_, isSilent) => {
    const { id, order, amountUnits, tag } = await orderedAfterDirect();
    await shop.send(amountUnits, { tag });
    await shop.watch();
    await say(order, CONVERTING);
    await say(order, { state: 'returned', reason: 'REFUNDED', refundedUnits: 81_000n });
    await shop.chain.reorg(1);
    await shop.settle();
    await shop.pass(30 * 3600);
    await shop.settle();
    provider.silence(isSilent);
    await pollOrders(shop);
    provider.silence(false);
    expect(await shop.payment(id)).toMatchObject({ status: 'failed', failure_reason: 'route_refunded' });
  },
);

async function say(order: { reference: string }, progress: RouteProgress): Promise<void> {
  provider.say(order.reference, progress);
  await pollOrders(shop);
}

async function ordered(fields: Record<string, unknown> = {}) {
  const { id } = await shop.session(fields);
  await chooseBitcoin(shop, id);
  return { id: id as string, order: await newestOrder(id) };
}

/** Its customer had first chosen to pay directly, and kept the wallet that sends the tag. */
async function orderedAfterDirect(fields: Record<string, unknown> = {}) {
  const { id, amountUnits, tag } = await shop.checkout(fields);
  await chooseBitcoin(shop, id);
  return { id, amountUnits, tag, order: await newestOrder(id) };
}

async function newestOrder(sessionId: string): Promise<{ reference: string; outputUnits: bigint }> {
  const [row] = await shop.ctx.db.query<{ reference: string; outputUnits: bigint }>(
    'test_newest_order',
    `
    select o.reference, o.output_units from route_orders o join payments p on p.id = o.payment_id
      where p.session_id = $1 order by o.created_at desc limit 1`,
    [sessionId],
  );
  if (!row) throw new Error('row not found');
  return { reference: row.reference, outputUnits: row.outputUnits };
}
