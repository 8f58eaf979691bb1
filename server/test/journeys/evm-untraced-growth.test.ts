import { afterEach, beforeEach, expect, test } from 'vitest';
import { calldata, startAnvil, type TestChain } from '../support/anvil.ts';
import { type RpcProxy, startRpcProxy } from '../support/evm-rpc-proxy.ts';
import { type Checkout, CONFIRMATIONS, type Settlement, startSettlement } from '../support/settlement.ts';

// Three providers, of which only the first traces. The others see internal transfers as the growth of a balance.
let stack: AsyncDisposableStack;
let chain: TestChain;
let tracing: RpcProxy;
let shop: Settlement;
let walletId: string;
let forwarder: string;

beforeEach(async () => {
  stack = new AsyncDisposableStack();
  chain = stack.use(await startAnvil());
  tracing = stack.use(await startRpcProxy(chain.url));
  const others = [stack.use(await startRpcProxy(chain.url)), stack.use(await startRpcProxy(chain.url))];
  for (const other of others) other.refused = ['debug_', 'trace_'];
  shop = stack.use(
    await startSettlement({
      chain,
      env: { RPC_ETHEREUM_URLS: [tracing, ...others].map(({ url }) => url).join(',') },
    }),
  );
  ({ id: walletId } = await shop.merchant.createWallet({ asset: 'ETH', network: 'ethereum', address: shop.wallet }));
  forwarder = await chain.deploy('Forwarder');
  await shop.settle();
});
afterEach(() => stack.disposeAsync());

test('a payment is paid though its block was first read without traces, and the growth became final with the block', async () => {
  const meant = await order('40.00');
  tracing.suffer('http_500');
  const [hash] = await forward(meant.amountUnits, 10n ** 15n);
  await shop.settle();
  expect(await growth()).toEqual({ status: 'final', byBlock: true, paymentId: null });

  await trace(meant, hash);
  expect(await shop.walk(meant.id)).toEqual(['created', 'pending', 'paid']);
});

test('an unattributed transfer that the only tracing provider invents does not hold a real payment beside it', async () => {
  const [meant, other] = [await order('40.00'), await order('30.00')];
  tracing.forge = { token: shop.usdc, to: shop.wallet, amountUnits: 10n ** 15n };
  tracing.suffer('forged_frames');
  await forward(meant.amountUnits);
  await chain.mine(CONFIRMATIONS);
  // One turn is enough: the payment does not wait until the other transfer is final with its block.
  await shop.watch();
  expect(await shop.walk(meant.id)).toEqual(['created', 'pending', 'paid']);

  // The others do not report it by the trace of this one, so no payment can be made to need it.
  const [invented] = await shop.unattributed();
  await expect(assign(invented.id, other)).rejects.toThrow('Only one RPC provider has reported');
  await shop.settle();
  await shop.settle();
  expect(await shop.walk(other.id)).not.toContain('paid');
  expect((await shop.publicSession(other.id)).payment.amount_received).toBe('0.000000000000000000');
});

test.each([
  ['that no checkout expects', false],
  ["of another checkout's exact amount", true],
])('an invented transfer %s does not make a real growth disappear', async (_, isExact) => {
  const [meant, small] = [await order('40.00'), await order('60.00')];
  tracing.suffer('http_500');
  const [hash] = await forward(meant.amountUnits - 10n ** 13n);
  await shop.settle();
  tracing.forge = { token: shop.usdc, to: shop.wallet, amountUnits: isExact ? small.amountUnits : 10n ** 18n };
  tracing.suffer('forged_frames');
  await submit(meant, hash);
  tracing.suffer('http_500');
  await assign(await growthId(), meant);
  await shop.settle();
  await shop.settle();
  expect(await growth()).toMatchObject({ status: 'final', byBlock: false });
  expect(await shop.walk(small.id)).not.toContain('paid');
});

test('a growth that was assigned first, and the transfer that is traced later, do not pay twice', async () => {
  const [first, second] = [await order('40.00'), await order('30.00')];
  tracing.suffer('http_500');
  const [hash] = await forward(first.amountUnits + 10n ** 15n);
  await shop.settle();
  await assign(await growthId(), first);
  await shop.settle();
  expect(await growth()).toMatchObject({ status: 'final', byBlock: false });

  await trace(second, hash);
  // The quorum does not confirm it, because its money is that of the growth.
  await expect(assign(await transferId(hash), second)).rejects.toThrow('Only one RPC provider has reported');
  await shop.settle();
  await shop.settle();
  expect(await shop.walk(second.id)).not.toContain('paid');
});

test('a traced transfer that paid, and the growth that is assigned later, do not pay twice', async () => {
  const [first, second] = [await order('40.00'), await order('30.00')];
  tracing.suffer('http_500');
  const [hash] = await forward(first.amountUnits + 10n ** 15n);
  await shop.settle();
  const grown = await growthId();
  await trace(first, hash);
  await assign(await transferId(hash), first);
  await shop.settle();
  expect(await shop.walk(first.id)).toEqual(['created', 'pending', 'paid']);

  await assign(grown, second);
  await shop.settle();
  expect(await growth()).toMatchObject({ status: 'dropped' });
  expect((await shop.publicSession(second.id)).payment.amount_seen).toBe('0.000000000000000000');
});

test('a growth and the traced transfer of the same money, assigned together, end as one payment', async () => {
  const [first, second] = [await order('40.00'), await order('30.00')];
  tracing.suffer('http_500');
  const [hash] = await forward(first.amountUnits + 10n ** 15n);
  await shop.settle();
  await trace(first, hash);
  await assign(await growthId(), second);
  await assign(await transferId(hash), first);
  for (let round = 0; round < 3; round += 1) await shop.settle();
  expect(await shop.walk(first.id)).toEqual(['created', 'pending', 'paid']);
  expect(await growth()).toMatchObject({ status: 'dropped' });
});

test('a growth that is assigned after its traced transfer was released does not pay another time', async () => {
  const [first, second] = [await order('40.00'), await order('30.00')];
  tracing.suffer('http_500');
  const [hash] = await forward(first.amountUnits + 10n ** 15n);
  await shop.settle();
  const grown = await growthId();
  await trace(first, hash);
  await assign(await transferId(hash), first);
  await shop.settle();
  await shop.ctx.db.query(
    'test_release',
    'update transfers set payment_id = null, attributed_by = null where tx_hash = $1',
    [hash],
  );

  tracing.suffer('http_500');
  await assign(grown, second);
  await shop.settle();
  expect(await growth()).toMatchObject({ status: 'dropped' });
});

const order = (amount: string): Promise<Checkout> =>
  shop.checkout({ amount, payout_wallet_id: walletId }, { pay_asset: 'ETH' });

/** Payments from inside a contract, all in one block. */
async function forward(...amounts: bigint[]): Promise<`0x${string}`[]> {
  const sent: `0x${string}`[] = [];
  for (const amount of amounts)
    sent.push(
      await chain.sendEth({
        to: forwarder as `0x${string}`,
        amount,
        data: calldata('Forwarder', 'forward', [shop.wallet]),
        mine: false,
      }),
    );
  await chain.mine();
  return sent;
}

/** The tracing provider is back, and a customer names the transaction. */
async function trace(checkout: Checkout, hash: string | undefined): Promise<void> {
  tracing.suffer(null);
  await shop.pass(1);
  await submit(checkout, hash);
  await shop.settle();
  await shop.settle();
}

async function submit({ id }: Checkout, hash: string | undefined): Promise<void> {
  const { status, raw } = await shop.app.inject('POST', `/v1/public/checkout/sessions/${id}/transactions`, {
    body: { tx_hash: hash },
  });
  if (status >= 300) throw new Error(`${status} ${raw}`);
}

async function assign(transfer: string, { id }: Checkout): Promise<void> {
  const { payment } = await shop.merchant.get(`/checkout/sessions/${id}`);
  await shop.merchant.dashboard.post(`/transfers/${transfer}/assign`, { payment });
}

async function growth() {
  const [row] = await shop.ctx.db.query<{ status: string; byBlock: boolean; paymentId: string | null }>(
    'test_growth',
    `select status, evidence ? 'byBlock' as by_block, payment_id from transfers where tx_hash like 'block:%'`,
  );
  return row;
}

async function growthId(): Promise<string> {
  return transferId('block:%');
}

async function transferId(hash: string | undefined): Promise<string> {
  const [row] = await shop.ctx.db.query<{ id: string }>(
    'test_transfer_id',
    'select id from transfers where tx_hash like $1 order by index limit 1',
    [hash],
  );
  if (!row) throw new Error(`${hash} is not stored`);
  return row.id;
}
