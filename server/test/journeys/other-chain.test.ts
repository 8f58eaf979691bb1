import { expect, test } from 'vitest';
import { startAnvil } from '../support/anvil.ts';
import { startForwardingRpc } from '../support/forwarding-rpc.ts';
import { startSettlement } from '../support/settlement.ts';
import { startSolana } from '../support/solana/index.ts';
import { startSolanaShop } from '../support/solana/shop.ts';

test.each([
  ['is a little ahead', 5],
  ['is far behind', -30],
])(
  'nothing that happens on another chain, whose head %s, pays or takes back a payment',
  async (_, ahead) => {
    await using node = await startAnvil();
    await using elsewhere = await startAnvil({ chainId: 4242 });
    await using endpoint = await startForwardingRpc(node.url);
    await using shop = await startSettlement({ chain: node, env: { RPC_ETHEREUM_URLS: endpoint.url } });
    expect([await elsewhere.deployToken(), await elsewhere.deployToken({ symbol: 'USDT' })]).toEqual([
      shop.usdc,
      shop.usdt,
    ]);
    await node.mine(40);
    const paid = await shop.checkout();
    await shop.watch();
    await shop.send(paid.amountUnits);
    await shop.settle();
    expect(await shop.payment(paid.id)).toMatchObject({ status: 'paid' });
    const open = await shop.checkout();
    await shop.settle();
    const cursors = () =>
      shop.ctx.db.query('test_cursors', `select pass, block_number, block_hash from chain_cursors order by pass`);
    const before = await cursors();

    // The endpoint is pointed at another chain, with the same contracts, where the exact amount arrives.
    endpoint.upstream = elsewhere.url;
    const until = (await node.head()).number + BigInt(ahead);
    await elsewhere.mine(Number(until - (await elsewhere.head()).number) - 4);
    const hash = await elsewhere.transferErc20({ token: shop.usdc, to: shop.wallet, amount: open.amountUnits });
    await elsewhere.mine(3);
    await shop.app.inject('POST', `/v1/public/checkout/sessions/${open.id}/transactions`, { body: { tx_hash: hash } });
    for (let turn = 0; turn < 4; turn += 1) {
      await shop.watch().catch(() => {});
      await elsewhere.mine();
      await shop.pass(20);
    }
    expect(await shop.payment(open.id)).toMatchObject({ status: 'pending' });
    expect(await shop.payment(paid.id)).toMatchObject({ status: 'paid', settlement_alert: null });
    expect(await cursors()).toEqual(before);
    expect(shop.ctx.chains.get('ethereum')?.health().providers[0]?.lastError).toContain('is on chain 4242');

    endpoint.upstream = node.url;
    await shop.send(open.amountUnits);
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
