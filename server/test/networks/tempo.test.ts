import { randomBytes } from 'node:crypto';
import { type Address, getAddress, type Hex, toHex } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkNetwork } from '../../src/commands/doctor-network.ts';
import { memoBytes } from '../../src/outside/chains/pure/memo.ts';
import { tick } from '../../src/settlement/watching/turns.ts';
import { createWatcher } from '../../src/settlement/watching/watcher.ts';
import { ethereumTransfer } from '../../../web/wallets/transfer.ts';
import { calldata, startAnvil, type TestChain, transferCalldata } from '../support/anvil.ts';
import { type RpcProxy, startRpcProxy } from '../support/evm-rpc-proxy.ts';
import { startApp, type TestApp } from '../support/index.ts';
import { openCheckout } from '../support/open-checkout.ts';
import { inTempoDialect } from '../support/tempo-answers.ts';

type Data = any;

let node: TestChain;
let usdt: Address;
let rpc: RpcProxy;
let app: TestApp;
const watcher = createWatcher('tempo');

beforeAll(async () => {
  node = await startAnvil({ chainId: 4217 });
  usdt = await node.deployToken({ symbol: 'USDT0', contract: 'MemoToken' });
  rpc = await startRpcProxy(node.url);
  rpc.lie = inTempoDialect;
  app = await startApp({
    env: { RPC_TEMPO_URLS: rpc.url, CHAIN_ID_TEMPO: String(node.chainId), TOKEN_USDT_TEMPO: usdt },
  });
});
afterAll(async () => {
  await app.stop();
  await rpc[Symbol.asyncDispose]();
  await node.stop();
});

const newAddress = () => getAddress(toHex(randomBytes(20)));
const payer = (at = 1) => node.accounts[at]?.address as Address;

async function createWallet(address = newAddress()): Promise<Data> {
  return app.merchant.live.createWallet({ asset: 'USDT', network: 'tempo', address });
}

async function checkout(wallet?: Data) {
  const open = await openCheckout(app, wallet ?? { asset: 'USDT', network: 'tempo', address: newAddress() });
  const [to, memo]: [Address, string] = [open.wallet.address, open.payment.reference];
  return {
    ...open,
    to,
    memo,
    send: (amountUnits: bigint, by: Partial<{ memo: Hex; from: Address; token: Address }> = {}) =>
      node.send({
        to: by.token ?? usdt,
        from: by.from ?? payer(),
        data: calldata('MemoToken', 'transferWithMemo', [to, amountUnits, by.memo ?? memoBytes(memo)]),
      }),
  };
}

async function search(q: string): Promise<Data> {
  const headers = { cookie: `session=${app.merchant.loginToken}`, 'service-mode': 'live' };
  return (await app.inject('GET', '/dashboard/api/search', { query: { q }, headers })).body.data;
}

async function settle(): Promise<void> {
  await node.mine(4);
  while ((await tick(app.ctx, 'tempo', watcher)) === 'more');
}

test('a connected wallet pays the plain price, and the memo that it sends names the session', async () => {
  const one = await checkout();
  expect(one.payment).toMatchObject({
    amount: '40.000000',
    identified_by: 'reference',
    reference: expect.stringMatching(/^[0-9a-f]{32}$/),
    tag: null,
    uri: `ethereum:${usdt}@4217/transferWithMemo?address=${one.to}&uint256=40000000&bytes32=${memoBytes(one.memo)}`,
  });
  expect(one.session.deposit_addresses[0]).toMatchObject({ address: one.to, reference: one.memo });
  expect(one.session.machine_url).toBeNull();
  const transfer = ethereumTransfer(one.payment);
  const hash = await node.send({ to: transfer?.to as Address, data: transfer?.data as Hex });
  await settle();
  const shown = await one.shown();
  expect(shown).toMatchObject({ status: 'paid', payment: { tx_hashes: [hash] } });
  const { payment: id } = await app.merchant.live.get(`/checkout/sessions/${one.session.id}`);
  // As text, as explorers show it, and the whole reference.
  for (const q of [one.memo, memoBytes(one.memo), one.session.reference])
    expect(await search(q)).toMatchObject({ payments: [{ id }] });
  expect(await search('0'.repeat(32))).toMatchObject({ payments: [] });
  expect(await app.merchant.live.get(`/payments/${id}`)).toMatchObject({
    status: 'paid',
    network_caip2: 'eip155:4217',
    asset_caip19: `eip155:4217/erc20:${usdt}`,
  });
});

test('memos distinguish orders of one price at one wallet, and a second part is a plain amount too', async () => {
  const wallet = await createWallet();
  const [first, second, parts, over] = [
    await checkout(wallet),
    await checkout(wallet),
    await checkout(wallet),
    await checkout(wallet),
  ];
  expect(new Set([first, second, parts, over].map(({ payment }) => payment.amount))).toEqual(new Set(['40.000000']));
  await second.send(second.due);
  await parts.send(15_000_000n);
  await settle();
  expect([await first.state(), await second.state(), await parts.state()]).toEqual(['pending', 'paid', 'pending']);
  expect((await parts.shown()).payment).toMatchObject({
    amount_seen: '15.000000',
    amount_due: '25.000000',
    identified_by: 'reference',
    reference: parts.memo,
  });
  await first.send(first.due);
  await parts.send(25_000_000n, { from: payer(2) });
  await over.send(50_000_000n);
  await settle();
  expect(await Promise.all([first, parts, over].map((one) => one.state()))).toEqual(['paid', 'paid', 'paid']);
});

test('no memo, another memo, a token with its name, a failed call and an allowance pay nothing', async () => {
  const one = await checkout();
  const strange = await node.deployToken({ symbol: 'USDT0', contract: 'MemoToken' });
  await node.transferErc20({ token: usdt, to: one.to, amount: one.due });
  await one.send(one.due, { memo: memoBytes('INV-12345'.padEnd(32, '\0')) });
  await one.send(one.due, { memo: `0x${'00'.repeat(32)}` });
  await one.send(one.due, { token: strange });
  await node.send({ to: usdt, data: calldata('MemoToken', 'approve', [one.to, one.due]) });
  const broke = newAddress();
  await node.sendEth({ to: broke, amount: 10n ** 18n });
  const data = calldata('MemoToken', 'transferWithMemo', [one.to, one.due, memoBytes(one.memo)]);
  const failed = await node.send({ to: usdt, from: broke, gas: 200_000n, data });
  expect((await node.included(failed)).status).toBe('reverted');
  await settle();
  expect(await one.shown()).toMatchObject({ status: 'pending', payment: { amount_seen: '0.000000' } });
});

test('who is allowed to move the money of others cannot name an order with it: the merchant decides', async () => {
  const [victims, thiefs] = [await checkout(), await checkout()];
  const [victim, thief] = [payer(3), payer(4)];
  await node.send({ to: usdt, from: victim, data: calldata('MemoToken', 'approve', [thief, victims.due]) });
  const args = [victim, thiefs.to, victims.due, memoBytes(thiefs.memo)];
  await node.send({ to: usdt, from: thief, data: calldata('MemoToken', 'transferFromWithMemo', args) });
  await settle();
  expect(await thiefs.state()).toBe('pending');
  const { data } = await app.merchant.live.get('/transfers', { unattributed: 'true', limit: 100 });
  expect(data.filter((transfer: Data) => transfer.to === thiefs.to)).toMatchObject([{ reason: 'no_match' }]);
});

test("a contract's batch of withdrawals pays each order that its memos name, by a trace", async () => {
  const [first, second, third] = [await checkout(), await checkout(), await checkout()];
  const batcher = await node.deploy('Batcher');
  await node.transferErc20({ token: usdt, to: batcher, amount: 200_000_000n });
  const call = ({ to, due, memo }: typeof first) => ({
    target: usdt,
    data: calldata('MemoToken', 'transferWithMemo', [to, due, memoBytes(memo)]),
  });
  await node.batch(batcher, [
    call(second),
    { target: usdt, data: transferCalldata(newAddress(), 7n) },
    { target: usdt, data: transferCalldata(third.to, third.due) },
    call(first),
  ]);
  await settle();
  expect(await Promise.all([first, second, third].map((one) => one.state()))).toEqual(['paid', 'paid', 'pending']);
});

test('a payment that a reorg takes away is not seen any more, and is paid once where it comes back', async () => {
  const one = await checkout();
  await node.mine(2);
  const hash = await one.send(one.due, { from: payer(6) });
  const signed = await node.signed(hash);
  while ((await tick(app.ctx, 'tempo', watcher)) === 'more');
  expect((await one.shown()).payment.amount_seen).toBe('40.000000');
  await node.reorg(2, []);
  await settle();
  expect((await one.shown()).payment.amount_seen).toBe('0.000000');
  await node.rpc('eth_sendRawTransaction', [signed]);
  await settle();
  expect(await one.shown()).toMatchObject({ status: 'paid', payment: { tx_hashes: [hash] } });
});

test('the doctor knows the network and its token', async () => {
  const found = (await checkNetwork(app.ctx.config, 'tempo')).map(({ state, details }) => `${state}: ${details}`);
  expect(found).toContain(`ok: USDT has 6 decimals (USDT0 at ${usdt})`);
  expect(found).not.toContainEqual(expect.stringMatching(/^failed/));
});
