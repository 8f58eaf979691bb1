import { toHex } from 'viem';
import { expect, test } from 'vitest';
import { startAnvil, type TestChain } from '../support/anvil.ts';
import { type ForwardingRpc, startForwardingRpc } from '../support/forwarding-rpc.ts';
import { startSettlement } from '../support/settlement.ts';
import { startSolana } from '../support/solana/index.ts';
import { startSolanaShop } from '../support/solana/shop.ts';

interface Case {
  coin: 'USDC' | 'ETH';
  /** The head of the other chain, from the one that was read. */
  ahead: number;
  /** How many providers there are, and which of them moves. */
  providers: number;
  moved: number;
}

const CASES: [string, Case][] = [
  ['whose head is a little ahead', { coin: 'USDC', ahead: 5, providers: 1, moved: 0 }],
  ['whose head is far behind', { coin: 'USDC', ahead: -30, providers: 1, moved: 0 }],
  ['in its own coin', { coin: 'ETH', ahead: 5, providers: 1, moved: 0 }],
  ['that the second of two providers shows', { coin: 'ETH', ahead: -30, providers: 2, moved: 1 }],
  ['that the first of two providers shows', { coin: 'USDC', ahead: 5, providers: 2, moved: 0 }],
];

test.each(CASES)(
  'nothing that happens on another chain, %s, pays or takes back a payment',
  async (_, { coin, ahead, providers, moved }) => {
    await using stack = new AsyncDisposableStack();
    const node = stack.use(await startAnvil());
    const elsewhere = stack.use(await startAnvil({ chainId: 4242 }));
    const endpoints = await Promise.all(Array.from({ length: providers }, () => startForwardingRpc(node.url)));
    for (const one of endpoints) stack.use(one);
    const endpoint = endpoints[moved] as ForwardingRpc;
    const urls = endpoints.map(({ url }) => url).join(',');
    const shop = stack.use(await startSettlement({ chain: node, env: { RPC_ETHEREUM_URLS: urls } }));
    expect([await elsewhere.deployToken(), await elsewhere.deployToken({ symbol: 'USDT' })]).toEqual([
      shop.usdc,
      shop.usdt,
    ]);
    const { wallet } = shop;
    const own = { asset: coin, network: 'ethereum', address: wallet };
    const fields = coin === 'ETH' ? { payout_wallet_id: (await shop.merchant.createWallet(own)).id } : {};
    const checkout = () => shop.checkout(fields, { pay_asset: coin });
    const send = (chain: TestChain, amount: bigint) =>
      coin === 'ETH'
        ? chain.sendEth({ to: wallet, amount })
        : chain.transferErc20({ token: shop.usdc, to: wallet, amount });
    await node.mine(40);
    const paid = await checkout();
    await shop.watch();
    await send(node, paid.amountUnits);
    await shop.settle();
    expect(await shop.payment(paid.id)).toMatchObject({ status: 'paid' });
    const open = await checkout();
    await shop.settle();
    const cursors = () =>
      shop.ctx.db.query<{ pass: string; blockNumber: bigint; blockHash: string }>(
        'test_cursors',
        `select pass, block_number, block_hash from chain_cursors order by pass`,
      );
    const before = await cursors();

    // The endpoint is pointed at another chain, with the same contracts, where the exact amount arrives.
    endpoint.upstream = elsewhere.url;
    const until = (await node.head()).number + BigInt(ahead);
    await elsewhere.mine(Number(until - (await elsewhere.head()).number) - 4);
    const hash = await send(elsewhere, open.amountUnits);
    await elsewhere.mine(3);
    await shop.app.inject('POST', `/v1/public/checkout/sessions/${open.id}/transactions`, { body: { tx_hash: hash } });
    for (let turn = 0; turn < 4; turn += 1) {
      await shop.watch().catch(() => {});
      await elsewhere.mine();
      await shop.pass(20);
    }
    expect(await shop.payment(open.id)).toMatchObject({ status: 'pending' });
    expect(await shop.payment(paid.id)).toMatchObject({ status: 'paid', settlement_alert: null });
    const [first, second] = await cursors();
    for (const one of [first, second]) {
      const block = await node.rpc<{ hash: string }>('eth_getBlockByNumber', [toHex(one?.blockNumber ?? 0n), false]);
      expect(one?.blockHash).toBe(block.hash);
    }
    // The first pass goes on by the other provider, and the second one waits for another than that.
    expect([first, second].map((one, at) => one?.blockNumber !== before[at]?.blockNumber)).toEqual([
      providers > 1,
      false,
    ]);
    expect(shop.ctx.chains.get('ethereum')?.health().providers[moved]?.lastError).toContain('is on chain 4242');

    endpoint.upstream = node.url;
    await send(node, open.amountUnits);
    await shop.settle();
    expect(await shop.payment(open.id)).toMatchObject({ status: 'paid' });
  },
  120_000,
);

test('nothing that happens on another Solana cluster pays or takes back a payment', async () => {
  await using cluster = await startSolana();
  cluster.slots(40);
  await using elsewhere = await startSolana({ name: 'two' });
  await using endpoint = await startForwardingRpc(cluster.url);
  await using shop = await startSolanaShop({ cluster, rpcUrls: [endpoint.url] });
  expect(elsewhere.genesisHash).not.toBe(cluster.genesisHash);
  const open = await shop.checkout('SOL');
  await shop.settle();
  const cursors = () =>
    shop.ctx.db.query('test_cursors', `select pass, block_number, block_hash from chain_cursors order by pass`);
  const before = await cursors();

  endpoint.upstream = elsewhere.url;
  const payer = await elsewhere.newWallet(1_000_000_000_000n);
  elsewhere.slots(60);
  await elsewhere.transferSol({ from: payer, to: shop.wallet.address, amount: open.amountUnits });
  elsewhere.slots(60);
  for (let turn = 0; turn < 4; turn += 1) {
    await shop.watch().catch(() => {});
    await shop.pass(20);
  }
  expect(await shop.payment(open.id)).toMatchObject({ status: 'pending' });
  expect(await cursors()).toEqual(before);

  endpoint.upstream = cluster.url;
  await shop.sendSol(open.amountUnits);
  await shop.settle();
  expect(await shop.payment(open.id)).toMatchObject({ status: 'paid' });
}, 120_000);
