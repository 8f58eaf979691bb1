import type { Asset } from '@quittance/contract';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { formatUnits } from '../../src/platform/money.ts';
import type { OneClickStatus } from '../support/one-click-server.ts';
import type { Fate, Provider } from '../support/routes/desk.ts';
import { assetNamed, type RoutedOrder, type RoutedShop, startRoutedShop } from '../support/routes/shop.ts';

const BNB = assetNamed('BNB', 'bnb');
const SOL = assetNamed('SOL', 'solana');
const BTC = assetNamed('BTC', 'bitcoin');
const DAY = 86_400;
const TO_REFUND = ['created', 'pending', 'routing', 'settling', 'refund_required'];

type Data = any;
type Receive = 'ethereum' | 'solana';
// Each provider, and each network that is read. Which coin the customer pays in changes nothing of what is delivered.
const WAYS: [string, Asset, Receive, Provider][] = [
  ['BTC into USDC on ethereum by one-click', BTC, 'ethereum', 'one-click'],
  ['SOL into USDC on solana by relay', SOL, 'solana', 'relay'],
];

let shop: RoutedShop;
beforeAll(async () => {
  shop = await startRoutedShop();
});
afterAll(() => shop[Symbol.asyncDispose]());
beforeEach(() => {
  shop.world.oneClick.misbehave(undefined);
  shop.world.relay.misbehave(undefined);
});

describe.each(WAYS)('%s: a provider that says SUCCESS', (_, pay, receive, provider) => {
  beforeEach(() => shop.ask(provider));

  test.each<[string, Fate]>([
    ['and has sent nothing', 'deliver_nothing'],
    ['and has sent a coin that only calls itself USDC', 'deliver_fake'],
    ['and has paid another address', 'deliver_elsewhere'],
  ])(
    '%s: nothing is accepted, and a day later the payment shows why and the merchant is notified',
    async (_how, fate) => {
      const order = await deposited(pay, receive);
      await shop.world.desk.finish(order.depositAddress, fate);
      await shop.poll(order.id);
      await shop.settle();
      await shop.poll(order.id);
      expect(await shop.payment(order.id)).toMatchObject({ status: 'settling', tx_hashes: [], actual_output: null });

      await shop.pass(DAY - 60);
      await shop.settle();
      await shop.poll(order.id);
      expect((await shop.payment(order.id)).status).toBe('settling');
      await shop.pass(120);
      await shop.settle();
      await shop.poll(order.id);
      expect(await shop.payment(order.id)).toMatchObject({
        status: 'refund_required',
        failure_reason: 'route_failed',
        tx_hashes: [],
        actual_output: null,
      });
      expect([await shop.walk(order.id), await shop.deliveredEvents(order.id)]).toEqual([TO_REFUND, TO_REFUND]);
      // No money has arrived, so there is nothing to accept.
      expect(await shop.accept(order.id)).toMatchObject({ error: { code: 'invalid_payment_state' } });
    },
  );

  test('and has sent less: the payment says so, and the merchant may accept it', async () => {
    const order = await deposited(pay, receive);
    await shop.world.desk.finish(order.depositAddress, 'deliver_less');
    await shop.poll(order.id);
    await shop.settle();
    const less = order.job.outputUnits - order.job.outputUnits / 20n;
    expect(await shop.payment(order.id)).toMatchObject({
      status: 'refund_required',
      failure_reason: 'short_delivery',
      actual_output: formatUnits(less, 6),
    });
    expect(await shop.deliveredEvents(order.id)).toEqual(TO_REFUND);
    expect(await shop.accept(order.id)).toMatchObject({
      data: { status: 'paid', actual_output: formatUnits(less, 6) },
    });
  });

  test('by naming the payout of another order: it pays that one alone', async () => {
    const [honest, lying] = [await deposited(pay, receive), await deposited(pay, receive)];
    await shop.world.desk.finish(honest.depositAddress);
    await shop.poll(honest.id);
    const { payoutHash } = shop.world.desk.detailsOf(honest.depositAddress);
    shop.world.desk.job(lying.depositAddress).say('success', { payoutHash: payoutHash as string });
    await shop.poll(lying.id);
    await shop.settle();
    await shop.poll(lying.id);
    expect(await shop.payment(honest.id)).toMatchObject({ status: 'paid', tx_hashes: [payoutHash] });
    expect(await shop.payment(lying.id)).toMatchObject({ status: 'settling', tx_hashes: [], actual_output: null });
  });
});

test('a conversion that had failed and arrives after all is shown with what came, and the merchant decides', async () => {
  shop.ask('one-click');
  const order = await deposited(BNB, 'ethereum');
  await shop.world.desk.finish(order.depositAddress, 'deliver_nothing');
  await shop.poll(order.id);
  await shop.pass(DAY + 3_700);
  await shop.settle();
  await shop.poll(order.id);
  expect(await shop.payment(order.id)).toMatchObject({
    status: 'refund_required',
    failure_reason: 'route_failed',
    actual_output: null,
  });
  const hash = await shop.world.pay(assetNamed('USDC', 'ethereum'), shop.wallets.ethereum, order.job.outputUnits);
  await shop.settle();
  expect(await shop.payment(order.id)).toMatchObject({
    status: 'refund_required',
    actual_output: formatUnits(order.job.outputUnits, 6),
    tx_hashes: [hash],
  });
  expect(await shop.accept(order.id)).toMatchObject({ data: { status: 'paid', tx_hashes: [hash] } });
  expect(await shop.unattributed()).toEqual([]);
});

test('a payment whose other order is still under way does not fail with the one that brought nothing', async () => {
  shop.ask('one-click');
  const first = await deposited(BNB, 'ethereum');
  const { address } = (await shop.choose(first.id, BNB)).body.data.payment;
  await shop.world.pay(BNB, address, shop.world.desk.job(address).inputUnits);
  await shop.world.desk.finish(first.depositAddress, 'deliver_nothing');
  for (const stage of ['known', 'processing']) expect(await shop.world.desk.step(address)).toBe(stage);
  await shop.poll(first.id);
  await shop.pass(DAY + 3_700);
  await shop.settle();
  await shop.poll(first.id);
  expect((await shop.payment(first.id)).status).toBe('settling');
  await shop.world.desk.finish(address);
  await shop.settle();
  await shop.poll(first.id);
  expect(await shop.walk(first.id)).toEqual(['created', 'pending', 'routing', 'settling', 'paid']);
});

test.each(['one-click', 'relay'] as const)(
  'the status of another order of %s, a malformed one or none moves nothing, and the order is not taken for asked',
  async (provider) => {
    shop.ask(provider);
    const { id, depositAddress } = await shop.order(BNB, 'ethereum', { expires_in: 300 });
    const other = await shop.order(SOL, 'solana');
    const server = shop.world[provider === 'relay' ? 'relay' : 'oneClick'];
    const statusPath = provider === 'relay' ? '/intents/status/v3' : '/v0/status';
    const read = async () =>
      (
        await shop.ctx.db.query(
          'test_unmoved',
          'select state, deposited_at, polled_at from route_orders where deposit_address = $1',
          [depositAddress],
        )
      )[0];
    await shop.poll();
    const before = await read();
    let otherStatus: unknown;
    other.job.say('success', { depositedUnits: other.inputUnits, payoutHash: `0x${'ab'.repeat(32)}` });
    server.misbehave((path: string, answer: { status: number; body: unknown }) => {
      if (path === statusPath) otherStatus = answer.body;
      return answer;
    });
    await shop.poll(other.id);

    await shop.pass(400);
    await shop.settle();
    for (const text of [
      JSON.stringify(otherStatus),
      'null',
      '[]',
      '7',
      '{}',
      '{"status":"success"}',
      '{"status":"SUCCESS","quoteResponse":null}',
      `{"status":"pending","extra":${'['.repeat(20_000)}${']'.repeat(20_000)}}`,
      '{"status":"pending","extra":"\\u0000"}',
      '',
    ]) {
      server.misbehave((path: string, answer: { status: number; body: unknown }) =>
        path === statusPath ? { status: 200, body: text } : answer,
      );
      await shop.poll(id);
      await shop.expire();
      expect([text.slice(0, 60), await read(), (await shop.payment(id)).status]).toEqual([
        text.slice(0, 60),
        before,
        'pending',
      ]);
    }
  },
);

test('statuses in any order, repeated, contradicting each other: each event once, and paid only by what the chain shows', async () => {
  shop.ask('one-click');
  const statuses: OneClickStatus[] = [
    'PENDING_DEPOSIT',
    'KNOWN_DEPOSIT_TX',
    'INCOMPLETE_DEPOSIT',
    'PROCESSING',
    'SUCCESS',
    'REFUNDED',
    'FAILED',
  ];
  let delivered = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom(...statuses), { minLength: 1, maxLength: 8 }),
      fc.nat(8),
      async (said, deliverAt) => {
        const { id, depositAddress, job } = await shop.order(BNB, 'ethereum');
        const isPaidOut = deliverAt < said.length;
        for (const [index, status] of said.entries()) {
          if (index === deliverAt)
            await shop.world.pay(assetNamed('USDC', 'ethereum'), shop.wallets.ethereum, job.outputUnits);
          shop.world.oneClick.set(depositAddress, status, {
            depositedAmount: index % 2 === 0 ? String(job.inputUnits) : '0',
          });
          for (let times = 0; times < 2; times += 1) await shop.poll(id);
        }
        await shop.settle();
        await shop.poll(id);
        const walk = await shop.walk(id);
        expect(new Set(walk).size).toBe(walk.length);
        expect(await shop.deliveredEvents(id)).toEqual(walk);
        const { status } = await shop.payment(id);
        // Without a reported deposit the transfer is held, because it may be the customer's own.
        const isReported = said.some((one) => ['PROCESSING', 'SUCCESS', 'REFUNDED', 'FAILED'].includes(one));
        if (!isPaidOut) expect(status).not.toBe('paid');
        else if (isReported) expect(['paid', 'refund_required']).toContain(status);
        else expect(status).toBe('pending');
        delivered += Number(isPaidOut);
      },
    ),
    { numRuns: 50 },
  );
  expect(delivered).toBeGreaterThan(10);
}, 120_000);

test.each(['one-click', 'relay'] as const)(
  'a deposit that %s only announces holds the window open for ten minutes and makes nothing in time',
  async (provider) => {
    shop.ask(provider);
    const { id, depositAddress, job } = await shop.order(BNB, 'ethereum', { expires_in: 300 });
    // Anyone's hint makes a provider report this much.
    job.say('known', {});
    await shop.poll(id);
    const [row] = await shop.ctx.db.query(
      'test_announced',
      'select state, deposited_at, deposited_units from route_orders where deposit_address = $1',
      [depositAddress],
    );
    expect(row).toEqual({ state: 'seen', depositedAt: null, depositedUnits: null });
    // The customer still sees it, so that they do not pay twice.
    expect((await shop.publicSession(id)).payment).toMatchObject({ amount_due: '0.000000000000000000' });

    await shop.pass(300 + 590);
    await shop.settle();
    await shop.poll(id);
    await shop.expire();
    expect((await shop.payment(id)).status).toBe('pending');
    await shop.pass(20);
    await shop.settle();
    await shop.expire();
    expect((await shop.payment(id)).status).toBe('expired');
    expect(await shop.deliveredEvents(id)).toEqual(['created', 'pending', 'expired']);
    // Nothing came, so no page says that the provider has money.
    expect((await shop.publicSession(id)).payment).toMatchObject({
      amount_seen: '0.000000000000000000',
      amount_received: '0.000000000000000000',
    });
  },
);

test('money that arrives past the deadline of an order whose deposit was only announced is late, though it has the exact output', async () => {
  shop.ask('relay');
  const { id, job } = await shop.order(BNB, 'ethereum', { expires_in: 300 });
  job.say('known', {});
  await shop.poll(id);
  // The provider's offer ends half an hour after it was made.
  await shop.pass(45 * 60);
  await shop.settle();
  await shop.poll(id);
  await shop.expire();
  expect((await shop.payment(id)).status).toBe('expired');
  await shop.world.pay(assetNamed('USDC', 'ethereum'), shop.wallets.ethereum, job.outputUnits);
  await shop.settle();
  // The provider may still report a deposit, but within ten minutes it would have; blocks of this chain may be ahead of
  // the service's clock.
  expect((await shop.payment(id)).status).toBe('expired');
  await shop.pass(6 * 3_600);
  await shop.poll(id);
  expect(await shop.payment(id)).toMatchObject({
    status: 'refund_required',
    failure_reason: 'paid_late',
    route: 'direct',
  });
});

test('an announced deposit that turns out to be real is converted and paid, also after the window has closed', async () => {
  shop.ask('one-click');
  const { id, depositAddress, inputUnits } = await shop.order(BTC, 'ethereum', { expires_in: 300 });
  shop.world.bitcoin.pay(depositAddress, inputUnits);
  expect(await shop.world.desk.step(depositAddress)).toBe('known');
  await shop.poll(id);
  await shop.pass(300 + 610);
  await shop.settle();
  await shop.poll(id);
  await shop.expire();
  expect((await shop.payment(id)).status).toBe('expired');
  shop.world.bitcoin.mine();
  await shop.world.desk.finish(depositAddress);
  await shop.poll(id);
  await shop.settle();
  expect(await shop.walk(id)).toEqual(['created', 'pending', 'expired', 'paid']);
});

test("a day after the provider's deadline a deposit that the provider has counted, and of which nothing ever came, needs a refund", async () => {
  shop.ask('one-click');
  const { id, depositAddress, job } = await shop.order(BNB, 'ethereum');
  shop.world.oneClick.set(depositAddress, 'KNOWN_DEPOSIT_TX', { depositedAmount: '1' });
  await shop.poll(id);
  // The address is valid for three days longer than requested, and a day passes before the provider counts as failed.
  await shop.pass(4 * DAY - 600 + Math.floor((job.deadline.getTime() - Date.now() - shop.app.aheadMs()) / 1000));
  await shop.settle();
  await shop.poll(id);
  await shop.expire();
  expect((await shop.payment(id)).status).toBe('pending');
  await shop.pass(1_200);
  await shop.settle();
  await shop.poll(id);
  const ended = { status: 'refund_required', failure_reason: 'route_failed', tx_hashes: [] };
  expect(await shop.payment(id)).toMatchObject(ended);
});

test('a customer who points at the deposit makes the provider look, and the service ask at once', async () => {
  for (const provider of ['one-click', 'relay'] as const) {
    shop.ask(provider);
    const { id, depositAddress, inputUnits } = await shop.order(BNB, 'ethereum');
    await shop.poll();
    const txHash = await shop.world.pay(BNB, depositAddress, inputUnits);
    const hint = () =>
      shop.app.inject('POST', `/v1/public/checkout/sessions/${id}/transactions`, { body: { tx_hash: txHash } });
    const server = provider === 'relay' ? shop.world.relay : shop.world.oneClick;
    const asked = server.requests.length;
    expect((await hint()).status).toBe(202);
    expect(
      server.requests
        .slice(asked)
        .filter(({ path }) => path === '/v0/deposit/submit' || path === '/transactions/deposit-address/reindex'),
    ).toEqual([
      expect.objectContaining({
        method: 'POST',
        body: provider === 'relay' ? { chainId: 56, depositAddress } : { txHash, depositAddress },
      }),
    ]);
    // More hints cause no more look-ups at once.
    for (let times = 0; times < 3; times += 1) await hint();
    expect(server.requests.slice(asked)).toHaveLength(1);
    const [row] = await shop.ctx.db.query<{ isDue: boolean }>(
      'test_is_due',
      'select o.due_at <= clock_timestamp() as is_due from route_orders o join payments p on p.id = o.payment_id where p.session_id = $1',
      [id],
    );
    expect(row?.isDue).toBe(true);
  }
});

test('none reachable: the page keeps the direct asset, and a customer who chooses another sees why', async () => {
  shop.ask('one-click', 'relay');
  shop.world.oneClick.misbehave(() => 'reset');
  shop.world.relay.misbehave(() => 'reset');
  const { id } = await shop.session('ethereum');
  const { status, body, headers } = (await shop.choose(id, BNB)) as Data;
  expect([status, body.error.code]).toEqual([503, 'service_unavailable']);
  expect(body.error.message).toContain('cannot be converted right now. Choose a different asset');
  expect(Number(headers['retry-after'])).toBeGreaterThan(0);
  const { options } = await shop.publicSession(id);
  expect(options.find((option: Data) => option.kind === 'direct')).toMatchObject({
    asset: 'USDC',
    network: 'ethereum',
    available: true,
  });
  const direct = await shop.app.inject('POST', `/v1/public/checkout/sessions/${id}/pay`, {
    body: { pay_asset: 'USDC', pay_network: 'ethereum' },
  });
  expect(direct.body.data.payment).toMatchObject({ kind: 'direct', address: shop.wallets.ethereum });
});

async function deposited(pay: Asset, receive: Receive): Promise<RoutedOrder> {
  const order = await shop.order(pay, receive);
  await shop.world.pay(pay, order.depositAddress, order.inputUnits);
  shop.world.bitcoin.mine();
  return order;
}
