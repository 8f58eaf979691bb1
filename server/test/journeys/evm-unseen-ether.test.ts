import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { HOUR_MS } from '../../src/platform/time.ts';
import { lookAgainJob } from '../../src/settlement/reading/look-again.ts';
import { calldata, startAnvil, type TestChain } from '../support/anvil.ts';
import { type RpcProxy, startRpcProxy } from '../support/evm-rpc-proxy.ts';
import { recording } from '../support/recording.ts';
import { type Checkout, type Settlement, startSettlement } from '../support/settlement.ts';

const BALANCES = ['eth_getBalance', 'eth_call'];
const TRACES = ['debug_', 'trace_'];

let stack: AsyncDisposableStack;
let chain: TestChain;
let providers: RpcProxy[];
let shop: Settlement;
let walletId: string;
let forwarder: `0x${string}`;
const lines: Record<string, unknown>[] = [];

beforeEach(async () => {
  lines.length = 0;
  stack = new AsyncDisposableStack();
  chain = stack.use(await startAnvil());
  providers = [stack.use(await startRpcProxy(chain.url)), stack.use(await startRpcProxy(chain.url))];
  shop = stack.use(
    await startSettlement({
      chain,
      env: { RPC_ETHEREUM_URLS: providers.map(({ url }) => url).join(',') },
      overrides: { log: recording(lines) },
    }),
  );
  ({ id: walletId } = await shop.merchant.createWallet({ asset: 'ETH', network: 'ethereum', address: shop.wallet }));
  forwarder = (await chain.deploy('Forwarder')) as `0x${string}`;
  await shop.settle();
});
afterEach(() => stack.disposeAsync());

describe('ether that a contract sends while no provider serves balances', () => {
  test('is seen by a trace', async () => {
    const meant = await order('40.00');
    refuse(BALANCES);
    await forward(meant.amountUnits);
    await shop.settle();
    expect(await gaps()).toEqual([]);

    refuse([]);
    await shop.settle();
    expect(await shop.walk(meant.id)).toEqual(['created', 'pending', 'paid']);
  });

  test('holds its payment open, and pays it when a provider serves them again', async () => {
    const meant = await order('40.00');
    refuse([...BALANCES, ...TRACES]);
    await forward(meant.amountUnits);
    await shop.settle();
    await end();
    expect((await shop.payment(meant.id)).status).toBe('pending');
    await lookAgain();
    expect(await gaps()).toMatchObject([{ network: 'ethereum', asset: 'ETH' }]);

    refuse([]);
    await lookAgain();
    await shop.settle();
    await shop.expire();
    expect(await shop.walk(meant.id)).toEqual(['created', 'pending', 'paid']);
    expect(await gaps()).toEqual([]);
  });

  test('holds only payments in ether whose time it touches', async () => {
    const token = await shop.checkout();
    const [before, meant] = [await order('40.00', { expires_in: 300 }), await order('30.00')];
    await shop.pass(400);
    await shop.settle();
    refuse([...BALANCES, ...TRACES]);
    await forward(10n ** 18n);
    await shop.settle();
    await end();
    await shop.expire();
    const statuses = () => Promise.all([token, before, meant].map(async ({ id }) => (await shop.payment(id)).status));
    expect(await statuses()).toEqual(['expired', 'expired', 'pending']);

    // What comes later is looked at again.
    refuse([]);
    await shop.pass(120);
    const later = await order('20.00');
    // The clock of the API stands still, and that of the chain has moved.
    const created = [await shop.ctx.db.now(), later.id];
    await shop.ctx.db.query('test_created', 'update payments set created_at = $1 where session_id = $2', created);
    await end();
    expect((await shop.payment(later.id)).status).toBe('expired');
    await lookAgain();
    await shop.settle();
    await shop.expire();
    expect(await statuses()).toEqual(['expired', 'expired', 'expired']);
  });

  test('is waited for before money that came late is judged', async () => {
    const meant = await order('40.00');
    refuse([...BALANCES, ...TRACES]);
    await forward(meant.amountUnits);
    await shop.settle();
    await end();
    refuse([]);
    await chain.sendEth({ to: shop.wallet, amount: meant.amountUnits });
    await shop.settle();
    await shop.settle();
    expect(await shop.walk(meant.id)).toEqual(['created', 'pending']);

    await lookAgain();
    await shop.settle();
    const payment = await shop.payment(meant.id);
    expect(payment.status).toBe('paid');
    const [late, ...more] = await shop.unattributed();
    expect(late).toMatchObject({ reason: 'already_paid' });
    expect(more).toEqual([]);
  });

  test('is waited for an hour where the first pass looked and the second cannot', async () => {
    const meant = await order('40.00', { expires_in: 1_800 });
    providers[1]?.suffer('http_500');
    await chain.mine(5);
    while ((await shop.watch()) === 'more');
    providers[1]?.suffer(null);
    refuse([...BALANCES, ...TRACES]);
    while ((await shop.watch()) === 'more');
    expect(await gaps()).toMatchObject([{ lookedBy: new URL(providers[0]?.url as string).host }]);
    refuse([]);
    for (const status of ['pending', 'expired']) {
      await shop.pass(1_900);
      await shop.settle();
      await shop.expire();
      expect((await shop.payment(meant.id)).status).toBe(status);
    }
  });

  test('is one gap however many blocks it has, alarms once after an hour, and is tried less often with time', async () => {
    await order('40.00');
    refuse([...BALANCES, ...TRACES]);
    for (let round = 0; round < 3; round += 1) {
      await chain.mine(30);
      while ((await shop.watch()) === 'more');
      await lookAgain();
    }
    const [gap, ...more] = await gaps();
    expect(more).toEqual([]);
    expect(Number(gap.toBlock - gap.fromBlock)).toBeGreaterThan(80);
    expect(alarms()).toEqual([]);

    await shop.pass(HOUR_MS / 1000);
    await lookAgain();
    await lookAgain();
    expect(alarms()).toHaveLength(1);
    expect(alarms()[0]).toMatchObject({ network: 'ethereum', asset: 'ETH', blocks: expect.any(Number) });
    const asked = () => providers.reduce((sum, { heard }) => sum + (heard.get('eth_getBalance') ?? 0), 0);
    const before = asked();
    await shop.pass(300);
    await lookAgainJob.run(shop.ctx, new AbortController().signal, () => {});
    expect(asked()).toBe(before);

    refuse([]);
    for (let round = 0; round < 3; round += 1) {
      await shop.pass(HOUR_MS / 1000);
      await lookAgain();
    }
    expect(await gaps()).toEqual([]);
  });
});

/** The open window of every checkout ends, and the network is read past it. */
async function end(): Promise<void> {
  await shop.pass(3_700);
  await shop.settle();
  await shop.expire();
}

async function lookAgain(): Promise<void> {
  await shop.pass(601);
  await lookAgainJob.run(shop.ctx, new AbortController().signal, () => {});
}

function refuse(methods: readonly string[]): void {
  for (const provider of providers)
    Object.assign(provider, { refused: [...methods], refusal: { code: -32_000, message: 'missing trie node' } });
}

const order = (amount: string, fields: Record<string, unknown> = {}): Promise<Checkout> =>
  shop.checkout({ amount, payout_wallet_id: walletId, ...fields }, { pay_asset: 'ETH' });

async function forward(amount: bigint): Promise<void> {
  await chain.sendEth({ to: forwarder, amount, data: calldata('Forwarder', 'forward', [shop.wallet]) });
}

const gaps = () =>
  shop.ctx.db.query<any>(
    'test_gaps',
    'select network, asset, from_block, to_block, why, looked_by from unseen_blocks order by 3',
  );

const alarms = () => lines.filter(({ alarm }) => alarm === 'blocks_unseen');
