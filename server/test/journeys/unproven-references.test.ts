import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { MAX_TRACES_PER_MINUTE } from '../../src/outside/chains/evm/tagged-calls.ts';
import { rescan } from '../../src/settlement/rescan.ts';
import { calldata, startAnvil, transferCalldata } from '../support/anvil.ts';
import { type RpcProxy, startRpcProxy } from '../support/evm-rpc-proxy.ts';
import { recording } from '../support/recording.ts';
import { type Settlement, startSettlement } from '../support/settlement.ts';

let shop: Settlement;

beforeAll(async () => {
  shop = await startSettlement();
});
afterAll(() => shop[Symbol.asyncDispose]());

const INCOME = 60_000_000n;

describe('income of the merchant that a stranger triggers', () => {
  test("never pays the stranger's order, though its tag is in the calldata; the merchant can assign it with one click", async () => {
    const { id, tag } = await shop.checkout();
    const payment = await shop.payment(id);
    const vault = await shop.chain.deploy('Release');
    await shop.chain.transferErc20({ token: shop.usdc, to: vault, amount: INCOME });
    const contract = await shop.chain.deploy('Batcher');
    const txHash = await shop.chain.batch(
      contract,
      [{ target: vault, data: calldata('Release', 'release', [shop.usdc, shop.wallet, INCOME]) }],
      {
        tag: Buffer.from(transferCalldata(shop.wallet, INCOME, tag).slice(2), 'hex'),
      },
    );
    await shop.settle();

    expect(await shop.payment(id)).toMatchObject({ status: 'pending', tx_hashes: [] });
    expect((await shop.publicSession(id)).payment).toMatchObject({ amount_seen: '0.000000', other_transfers: [] });
    const [transfer] = await shop.unattributed();
    expect(transfer).toMatchObject({ tx_hash: txHash, from: vault, reason: 'no_match', payment: payment.id });

    await shop.merchant.dashboard.post(`/transfers/${transfer.id}/assign`, { payment: transfer.payment });
    await shop.settle();
    expect(await shop.payment(id)).toMatchObject({ status: 'paid', tx_hashes: [txHash] });
    expect(await shop.unattributed()).toEqual([]);
  });

  test('still names that payment after a reorganization has moved it', async () => {
    const { id, tag } = await shop.checkout();
    const payment = await shop.payment(id);
    const contract = await shop.chain.deploy('Batcher');
    await shop.watch();
    const hash = await shop.chain.batch(
      contract,
      [{ target: shop.usdc, data: calldata('TestToken', 'mint', [shop.wallet, INCOME]) }],
      {
        tag: Buffer.from(transferCalldata(shop.wallet, INCOME, tag).slice(2), 'hex'),
      },
    );
    await shop.watch();
    const signed = await shop.chain.signed(hash);
    await shop.chain.reorg(1, [{ block: 0, transaction: signed }]);
    await shop.settle();

    expect(await shop.unattributed()).toMatchObject([{ tx_hash: hash, reason: 'no_match', payment: payment.id }]);
    expect((await shop.payment(id)).status).toBe('pending');
    await shop.ctx.db.query('test_handle_all', `update transfers set handled_at = block_time where payment_id is null`);
  });
});

test("a smart wallet's own tagged call pays by its reference, whichever account sent the transaction", async () => {
  const { id, tag } = await shop.checkout();
  const batcher = await shop.chain.deploy('Batcher');
  const wallet = await shop.chain.deploy('ProxyWallet', [batcher]);
  await shop.chain.transferErc20({ token: shop.usdc, to: wallet, amount: INCOME });
  await shop.chain.batch(wallet, [{ target: shop.usdc, data: transferCalldata(shop.wallet, 49_000_000n, tag) }]);
  await shop.settle();

  expect(await shop.payment(id)).toMatchObject({ status: 'paid', actual_output: '49.000000' });
  expect(await shop.unattributed()).toEqual([]);
});

test('money whose exact amount belongs to a payment that is over goes to the payment that its payer names', async () => {
  const [over, open] = [await shop.checkout(), await shop.checkout()];
  await shop.send(over.amountUnits);
  await shop.settle();
  await shop.send(over.amountUnits, { tag: open.tag });
  await shop.settle();

  expect((await shop.payment(open.id)).status).toBe('paid');
  expect(await shop.unattributed()).toEqual([]);
});

describe('a reference that only traces prove, in a minute whose traces strangers have spent', () => {
  let proxies: RpcProxy[];
  let quiet: Settlement;
  const lines: Record<string, unknown>[] = [];
  let minutes = 0;
  let stack: AsyncDisposableStack;
  beforeAll(async () => {
    stack = new AsyncDisposableStack();
    const chain = stack.use(await startAnvil());
    proxies = [stack.use(await startRpcProxy(chain.url)), stack.use(await startRpcProxy(chain.url))];
    const env = { RPC_ETHEREUM_URLS: proxies.map(({ url }) => url).join(',') };
    quiet = stack.use(await startSettlement({ chain, env, overrides: { log: recording(lines, 'warn') } }));
    await quiet.settle();
  });
  afterAll(() => stack.disposeAsync());
  afterEach(() => vi.restoreAllMocks());

  test('is proven by the second pass, if that reads in another minute, and pays', async () => {
    const { pay, passMinute } = await prepare();
    await quiet.settle();
    proxies[1]?.suffer('http_500');
    const { id, txHash } = await pay();
    await quiet.settle();
    expect(await carriedOf(txHash)).toEqual([]);

    proxies[1]?.suffer(null);
    await passMinute();
    expect(await quiet.walk(id)).toEqual(['created', 'pending', 'paid']);
  });

  test('is proven by neither pass, and a hint or a rescan heals that, though the session has expired', async () => {
    lines.length = 0;
    const { number: since } = await quiet.chain.head();
    const { pay, passMinute } = await prepare();
    const [hinted, rescanned] = [await pay(), await pay()];
    await quiet.settle();
    for (const { txHash } of [hinted, rescanned]) expect(await carriedOf(txHash)).toEqual([]);
    expect(lines).toContainEqual(expect.objectContaining({ alarm: 'references_not_traced', network: 'ethereum' }));
    await quiet.pass(3_700);
    await passMinute();
    await quiet.expire();
    for (const { id, txHash } of [hinted, rescanned]) {
      expect((await quiet.walk(id)).at(-1)).toBe('expired');
      // The merchant sees whose it probably is.
      const { payment } = await quiet.merchant.get(`/checkout/sessions/${id}`);
      expect(await quiet.unattributed()).toContainEqual(expect.objectContaining({ tx_hash: txHash, payment }));
    }

    const { status } = await quiet.app.inject('POST', `/v1/public/checkout/sessions/${hinted.id}/transactions`, {
      body: { tx_hash: hinted.txHash },
    });
    expect(status).toBe(202);
    await passMinute();
    expect((await quiet.walk(hinted.id)).at(-1)).toBe('paid');
    expect((await quiet.walk(rescanned.id)).at(-1)).toBe('expired');
    for await (const _ of rescan(quiet.ctx, 'ethereum', since));
    await passMinute();
    expect((await quiet.walk(rescanned.id)).at(-1)).toBe('paid');
  });

  /** A block of a stranger's transactions, each of which deserves a trace, and a customer's wallet behind them. */
  async function prepare() {
    const { chain, usdc, wallet } = quiet;
    const { tag } = await quiet.checkout();
    const batcher = await chain.deploy('Batcher');
    await chain.transferErc20({ token: usdc, to: batcher, amount: INCOME });
    const own = await chain.deploy('ProxyWallet', [batcher]);
    await chain.transferErc20({ token: usdc, to: own, amount: 2n * INCOME });
    const stranger = chain.accounts[3]?.address;
    for (let sent = 0; sent < MAX_TRACES_PER_MINUTE + 2; sent += 1)
      await chain.batch(batcher, [{ target: usdc, data: transferCalldata(wallet, 8n, tag) }], {
        from: stranger,
        mine: false,
      });
    await chain.mine();

    const now = performance.now.bind(performance);
    minutes += 1;
    vi.spyOn(performance, 'now').mockImplementation(() => now() + minutes * 60_000);
    return {
      async pay() {
        const checkout = await quiet.checkout();
        const data = transferCalldata(wallet, 49_000_000n, checkout.tag);
        return { id: checkout.id, txHash: await chain.batch(own, [{ target: usdc, data }]) };
      },
      async passMinute() {
        minutes += 1;
        await quiet.pass(61);
        // The second pass goes on beside the next turns where a turn does not wait for it.
        for (let turns = 0; turns < 4; turns += 1) await quiet.settle();
      },
    };
  }

  async function carriedOf(txHash: string): Promise<string[]> {
    const rows = await quiet.ctx.db.query<{ carried: string[] }>(
      'test_carried',
      `select array(select encode(mark, 'hex') from unnest(carried) as mark) as carried from transfers where tx_hash = $1`,
      [txHash],
    );
    expect(rows).toHaveLength(1);
    return rows.flatMap(({ carried }) => carried);
  }
});
