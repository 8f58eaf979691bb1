import type { Asset } from '@quittance/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { formatUnits } from '../../src/platform/money.ts';
import type { Provider } from '../support/routes/desk.ts';
import { assetNamed, newAddress, type RoutedShop, startRoutedShop } from '../support/routes/shop.ts';

const BNB = assetNamed('BNB', 'bnb');
const SOL = assetNamed('SOL', 'solana');
const BTC = assetNamed('BTC', 'bitcoin');
const HOUR = 3_600;
const DAY = 24 * HOUR;

type Receive = 'ethereum' | 'solana';
const WAYS: [string, Asset, Receive, Provider][] = [
  ['BNB into USDC on Solana by 1Click', BNB, 'solana', 'one-click'],
  ['BNB into USDC on Ethereum by Relay', BNB, 'ethereum', 'relay'],
  ['SOL into USDC on Ethereum by 1Click', SOL, 'ethereum', 'one-click'],
  ['SOL into USDC on Ethereum by Relay', SOL, 'ethereum', 'relay'],
  ['BTC into USDC on Ethereum by 1Click', BTC, 'ethereum', 'one-click'],
  ['BTC into USDC on Solana by Relay', BTC, 'solana', 'relay'],
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

describe.each(WAYS)('%s', (_, pay, receive, provider) => {
  const usdc = assetNamed('USDC', receive);
  const isRelay = provider === 'relay';
  beforeEach(() => shop.ask(provider));
  const order = (fields?: Record<string, unknown>) => shop.order(pay, receive, fields);
  const { step, finish } = {
    step: (depositAddress: string) => shop.world.desk.step(depositAddress),
    finish: (depositAddress: string, fate?: Parameters<RoutedShop['world']['desk']['finish']>[1]) =>
      shop.world.desk.finish(depositAddress, fate),
  };
  /** Sends a deposit and mines its block, if the chain has blocks. */
  async function send(depositAddress: string, units: bigint): Promise<void> {
    await shop.world.pay(pay, depositAddress, units);
    shop.world.bitcoin.mine();
  }

  test('paid: each state is walked through, and nothing is paid before the payout is final on its chain', async () => {
    const { id, depositAddress, inputUnits, job } = await order();
    expect(job).toMatchObject({ provider, recipient: shop.wallets[receive] });
    await poll(id, 'pending');

    await shop.world.pay(pay, depositAddress, inputUnits);
    await step(depositAddress);
    await poll(id, 'pending');
    expect(await shop.publicSession(id)).toMatchObject({
      payment: { kind: 'routed', amount_due: zero(pay), failure_reason: null },
    });
    shop.world.bitcoin.mine();
    await step(depositAddress);
    await poll(id, 'routing');

    const before = await shop.world.balance(usdc, shop.wallets[receive]);
    await step(depositAddress);
    await poll(id, 'settling');
    await step(depositAddress);
    await poll(id, 'settling');
    await shop.settle();

    expect(await shop.walk(id)).toEqual(['created', 'pending', 'routing', 'settling', 'paid']);
    expect((await shop.world.balance(usdc, shop.wallets[receive])) - before).toBe(job.outputUnits);
    const payment = await shop.payment(id);
    expect(payment).toMatchObject({
      status: 'paid',
      route: 'routed',
      pay_asset: pay.asset,
      pay_network: pay.network,
      receive_network: receive,
      receive_address: shop.wallets[receive],
      amount: '49.00',
      service_fee: '0.74',
      net_settlement: '48.26',
      expected_output: '48.260000',
      actual_output: formatUnits(job.outputUnits, 6),
      failure_reason: null,
    });
    expect(payment.tx_hashes).toHaveLength(1);
    await poll(id, 'paid');
    expect(await dueOf(id)).toBeNull();
  });

  test(
    isRelay
      ? 'short: a strict address gives back what is too little, and the payment says so'
      : 'short: the shortfall is shown, and what is added later counts',
    async () => {
      const { id, depositAddress, inputUnits, refundTo, job } = await order();
      const less = job.minimumUnits / 2n;
      await send(depositAddress, less);
      const held = await shop.world.balance(pay, refundTo);
      await step(depositAddress);
      if (isRelay) {
        await poll(id, 'failed');
        expect(await shop.payment(id)).toMatchObject({
          failure_reason: 'route_refunded',
          tx_hashes: [],
          actual_output: null,
        });
        shop.world.bitcoin.mine();
        expect((await shop.world.balance(pay, refundTo)) - held).toBe(less);
        return;
      }
      await poll(id, 'pending');
      const { payment } = await shop.publicSession(id);
      expect([units(payment.amount_seen), units(payment.amount_due)]).toEqual([less, inputUnits - less]);
      await send(depositAddress, units(payment.amount_due));
      await finish(depositAddress);
      await poll(id, 'settling');
      await shop.settle();
      expect(await shop.walk(id)).toEqual(['created', 'pending', 'routing', 'settling', 'paid']);
    },
  );

  test('over: the order is paid with its exact output, and the surplus goes back to the customer', async () => {
    const { id, depositAddress, inputUnits, refundTo, job } = await order();
    const held = await shop.world.balance(pay, refundTo);
    await send(depositAddress, inputUnits + inputUnits / 10n);
    await finish(depositAddress);
    await poll(id, 'settling');
    await shop.settle();
    expect(await shop.payment(id)).toMatchObject({
      status: 'paid',
      actual_output: formatUnits(job.outputUnits, 6),
      service_fee: '0.74',
    });
    expect((await shop.world.balance(pay, refundTo)) - held).toBe(inputUnits / 10n);
  });

  test("late, but while the provider's offer still binds it: the payment has expired, and is paid", async () => {
    const { id, depositAddress, inputUnits } = await order({ expires_in: 300 });
    await shop.pass(400);
    await closeWindow(id);
    await send(depositAddress, inputUnits);
    await finish(depositAddress);
    await poll(id, 'expired');
    await shop.settle();
    expect(await shop.walk(id)).toEqual(['created', 'pending', 'expired', 'paid']);
    expect(await shop.payment(id)).toMatchObject({ route: 'routed', service_fee: '0.74', failure_reason: null });
  });

  test('late, when the provider accepts no more: it returns the money, and the payment stays expired', async () => {
    const { id, depositAddress, inputUnits, refundTo } = await order({ expires_in: 300 });
    await shop.pass(4 * HOUR);
    await closeWindow(id);
    const held = await shop.world.balance(pay, refundTo);
    await send(depositAddress, inputUnits);
    await finish(depositAddress);
    shop.world.bitcoin.mine();
    expect((await shop.world.balance(pay, refundTo)) - held).toBe(inputUnits);
    await poll(id, 'expired');
    await shop.settle();
    expect(await shop.walk(id)).toEqual(['created', 'pending', 'expired']);
    expect(await dueOf(id)).toBeNull();
  });

  test('delivered only after the offer had ended: the merchant sees that money came late, and may accept it', async () => {
    const { id, depositAddress, inputUnits, job } = await order({ expires_in: 300 });
    await shop.pass(400);
    await closeWindow(id);
    await send(depositAddress, inputUnits);
    await step(depositAddress);
    await shop.pass(isRelay ? 4 * HOUR : 3 * DAY + 4 * HOUR);
    await finish(depositAddress);
    await poll(id, 'expired');
    await shop.settle();
    expect(await shop.payment(id)).toMatchObject({
      status: 'refund_required',
      failure_reason: 'paid_late',
      actual_output: formatUnits(job.outputUnits, 6),
    });
    expect(await shop.walk(id)).toEqual(['created', 'pending', 'expired', 'refund_required']);
    expect(await shop.accept(id)).toMatchObject({ data: { status: 'paid' } });
  });

  test('refunded by the provider: the payment has failed and says so, and the customer holds the money again', async () => {
    const { id, depositAddress, inputUnits, refundTo } = await order();
    const held = await shop.world.balance(pay, refundTo);
    await send(depositAddress, inputUnits);
    await finish(depositAddress, 'refund');
    shop.world.bitcoin.mine();
    expect((await shop.world.balance(pay, refundTo)) - held).toBe(inputUnits);
    await poll(id, 'failed');
    expect(await shop.payment(id)).toMatchObject({
      failure_reason: 'route_refunded',
      tx_hashes: [],
      actual_output: null,
    });
    expect(await shop.walk(id)).toEqual(['created', 'pending', 'failed']);
    const { entries } = await shop.merchant.get(`/payments/${(await shop.payment(id)).id}/timeline`);
    expect(entries.find((entry: { data: { status?: string } }) => entry.data.status === 'failed').data).toMatchObject({
      provider,
      state: 'returned',
      reason: 'SWAP_FAILED',
      returnedUnits: isRelay ? null : String(inputUnits),
    });
    await shop.settle();
    await poll(id, 'failed');
  });

  test('stuck inside the provider: a refund is required, and the payment says why', async () => {
    const { id, depositAddress, inputUnits } = await order();
    await send(depositAddress, inputUnits);
    await step(depositAddress);
    await step(depositAddress);
    await poll(id, 'routing');
    await finish(depositAddress, 'get_stuck');
    await poll(id, 'refund_required');
    expect(await shop.payment(id)).toMatchObject({
      failure_reason: 'route_failed',
      tx_hashes: [],
      actual_output: null,
    });
    expect(await shop.walk(id)).toEqual(['created', 'pending', 'routing', 'refund_required']);
  });

  test('the provider is down in the middle: nothing is concluded, nothing expires, and it goes on where it was', async () => {
    const { id, depositAddress, inputUnits } = await order({ expires_in: 300 });
    await send(depositAddress, inputUnits);
    goDown();
    await poll(id, 'pending');
    await shop.pass(400);
    await shop.settle();
    await shop.expire();
    expect((await shop.payment(id)).status).toBe('pending');

    comeBack();
    await step(depositAddress);
    await step(depositAddress);
    await poll(id, 'routing');
    goDown();
    await step(depositAddress);
    await poll(id, 'routing');
    // Its payout is seen on the chain while the provider is unreachable.
    await shop.settle();
    expect(await shop.walk(id)).toEqual(['created', 'pending', 'routing', 'settling', 'paid']);
    comeBack();
    await finish(depositAddress);
    await poll(id, 'paid');
    expect(await shop.walk(id)).toHaveLength(5);
  });

  test('the provider is gone for good: a day after its deadline a conversion needs a refund, and what was never paid has expired', async () => {
    const [begun, untouched] = [await order(), await order()];
    await send(begun.depositAddress, begun.inputUnits);
    await step(begun.depositAddress);
    await step(begun.depositAddress);
    await poll(begun.id, 'routing');
    goDown();
    await shop.pass(2 * DAY);
    await shop.settle();
    await poll(begun.id, isRelay ? 'refund_required' : 'routing');
    await shop.pass(3 * DAY);
    await shop.settle();
    await poll(begun.id, 'refund_required');
    expect(await shop.payment(begun.id)).toMatchObject({ failure_reason: 'route_failed' });
    await shop.poll(untouched.id);
    await shop.settle();
    await shop.expire();
    expect((await shop.payment(untouched.id)).status).toBe('expired');
    expect([await dueOf(begun.id), await dueOf(untouched.id)]).toEqual([null, null]);
  });

  function goDown(): void {
    shop.world.oneClick.misbehave(() => 'reset');
    shop.world.relay.misbehave(() => 'reset');
  }

  function comeBack(): void {
    shop.world.oneClick.misbehave(undefined);
    shop.world.relay.misbehave(undefined);
  }
});

test('a deposit that its sender takes back before it has a block: nothing was paid and the payment expires; what is sent again is another deposit', async () => {
  shop.ask('one-click');
  const { id, depositAddress, inputUnits } = await shop.order(BTC, 'ethereum', { expires_in: 300 });
  const { desk, bitcoin } = shop.world;
  const txid = bitcoin.pay(depositAddress, inputUnits);
  expect(await desk.step(depositAddress)).toBe('known');
  await poll(id, 'pending');
  expect((await shop.publicSession(id)).payment).toMatchObject({ amount_due: zero(BTC) });

  bitcoin.replace(txid, newAddress(BTC), inputUnits);
  expect(await desk.step(depositAddress)).toBe('waiting');
  await poll(id, 'pending');
  const { payment } = await shop.publicSession(id);
  expect([units(payment.amount_seen), units(payment.amount_due)]).toEqual([0n, inputUnits]);
  await shop.pass(400);
  await closeWindow(id);

  bitcoin.pay(depositAddress, inputUnits);
  bitcoin.mine();
  await desk.finish(depositAddress);
  await poll(id, 'expired');
  await shop.settle();
  expect(await shop.walk(id)).toEqual(['created', 'pending', 'expired', 'paid']);
});

/** Polls the providers, and checks the payment's status. */
async function poll(id: string, status: string): Promise<void> {
  await shop.poll(id);
  expect((await shop.payment(id)).status).toBe(status);
}

async function closeWindow(id: string): Promise<void> {
  await shop.settle();
  await shop.poll(id);
  await shop.expire();
  expect((await shop.payment(id)).status).toBe('expired');
}

async function dueOf(id: string): Promise<Date | null> {
  const [row] = await shop.ctx.db.query<{ dueAt: Date | null }>(
    'test_order_due',
    'select o.due_at from route_orders o join payments p on p.id = o.payment_id where p.session_id = $1',
    [id],
  );
  return row?.dueAt ?? null;
}

function units(amount: string): bigint {
  return BigInt(amount.replace('.', ''));
}

function zero({ decimals }: Asset): string {
  return `0.${'0'.repeat(decimals)}`;
}
