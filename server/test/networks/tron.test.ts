import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { Trx } from 'tronweb';
import { type Address, getAddress, toHex } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createTronChain } from '../../src/outside/chains/tron/chain.ts';
import { fromHexAddress, toHexAddress } from '../../src/outside/chains/pure/tron-address.ts';
import { createEvmChain } from '../../src/outside/chains/evm/chain.ts';
import { TemporaryError } from '../../src/platform/errors.ts';
import { tick } from '../../src/settlement/watching/turns.ts';
import { createWatcher } from '../../src/settlement/watching/watcher.ts';
import { calldata, startAnvil, type TestChain, transferCalldata } from '../support/anvil.ts';
import { startApp, type TestApp } from '../support/index.ts';
import { openCheckout } from '../support/open-checkout.ts';
import { startTronRpc, TRON_REFUSALS, type TronRpc } from '../support/tron-rpc.ts';

type Data = any;
// A few by default; for many: TRON_PAYMENTS=1000 npx vitest run --project networks server/test/networks/tron.test.ts
const PAYMENTS = Number(process.env.TRON_PAYMENTS ?? 16);

let node: TestChain;
let usdt: Address;
let providers: TronRpc[];
let app: TestApp;
const watcher = createWatcher('tron');

beforeAll(async () => {
  node = await startAnvil({ chainId: 4_728 });
  usdt = await node.deployToken({ symbol: 'USDT' });
  providers = [];
  for (const seed of [1, 2, 3]) providers.push(await startTronRpc(node.url, { seed }));
  app = await startApp({
    env: {
      RPC_TRON_URLS: providers.map(({ url }) => url).join(),
      CHAIN_ID_TRON: String(node.chainId),
      TOKEN_USDT_TRON: fromHexAddress(usdt),
    },
  });
});
afterAll(async () => {
  await app.stop();
  for (const provider of providers) await provider[Symbol.asyncDispose]();
  await node.stop();
});
afterEach(() => {
  for (const provider of providers) {
    provider.refuse([]);
    provider.mixesHeights = false;
  }
});

const WALLET = () => fromHexAddress(toHex(randomBytes(20)));

const checkout = (address = WALLET()) => openAt({ asset: 'USDT', network: 'tron', address });

async function openAt(wallet: Parameters<typeof openCheckout>[1]) {
  const open = await openCheckout(app, wallet);
  return { ...open, id: open.session.id as string, to: getAddress(toHexAddress(open.wallet.address)) };
}

async function search(q: string): Promise<Data> {
  const headers = { cookie: `session=${app.merchant.loginToken}`, 'service-mode': 'live' };
  return (await app.inject('GET', '/dashboard/api/search', { query: { q }, headers })).body.data;
}

/** Reads on until nothing is left to do; a provider that refuses is asked again. */
async function watch(turns = 1): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) while ((await tick(app.ctx, 'tron', watcher)) === 'more');
}

async function settle(): Promise<void> {
  await node.mine(4);
  await watch();
}

test('a payment in whole cents from an exchange is paid once its block is solid, by an address and a hash as people write them', async () => {
  const one = await checkout();
  expect(one.body.data.payment.amount).toMatch(/^40\.\d\d0000$/);
  expect(one.body.data.payment.amount).not.toBe('40.000000');
  const hash = await node.transferErc20({ token: usdt, to: one.to, amount: one.due });
  await watch();
  expect(await one.state()).toBe('pending');
  expect((await one.shown()).payment.amount_seen).toBe((await one.shown()).payment.amount);
  await settle();
  const shown = await one.shown();
  expect(shown.status).toBe('paid');
  expect(shown.payment.tx_hashes).toEqual([hash.slice(2)]);
  const { payment: id } = await app.merchant.live.get(`/checkout/sessions/${one.id}`);
  for (const q of [hash.slice(2), hash.slice(2).toUpperCase()])
    expect(await search(q)).toMatchObject({ payments: [{ id }] });
  expect(await app.merchant.live.get(`/payments/${id}`)).toMatchObject({
    status: 'paid',
    receive_address: one.wallet.address,
    network_caip2: 'tron:0x1278',
    asset_caip19: `tron:0x1278/trc20:${fromHexAddress(usdt)}`,
    receive_address_caip10: `tron:0x1278:${one.wallet.address}`,
  });
});

test('TRX, a token with its name, an allowance alone and a failed call pay nothing', async () => {
  const one = await checkout();
  const payer = node.accounts[2]?.address as Address;
  const strange = await node.deployToken({ symbol: 'USDT' });
  await node.sendEth({ to: one.to, amount: 1n });
  await node.sendEth({ to: one.to, amount: one.due });
  await node.transferErc20({ token: strange, to: one.to, amount: one.due });
  await node.send({ to: usdt, from: payer, data: calldata('TestToken', 'approve', [one.to, one.due]) });
  const broke = getAddress(toHex(randomBytes(20)));
  await node.sendEth({ to: broke, amount: 10n ** 18n });
  // It has no USDT: all of its energy is used up, and nothing moves.
  const failed = await node.send({ to: usdt, from: broke, gas: 100_000n, data: transferCalldata(one.to, one.due) });
  expect((await node.included(failed)).status).toBe('reverted');
  await settle();
  expect(await one.state()).toBe('pending');
  expect((await one.shown()).payment.amount_seen).toBe('0.000000');
});

test("transferFrom pays, and an exchange's batch of withdrawals pays each of its recipients", async () => {
  const [spent, first, second] = [await checkout(), await checkout(), await checkout()];
  const [owner, spender] = [node.accounts[3]?.address, node.accounts[4]?.address] as [Address, Address];
  await node.send({ to: usdt, from: owner, data: calldata('TestToken', 'approve', [spender, spent.due]) });
  await node.send({
    to: usdt,
    from: spender,
    data: calldata('TestToken', 'transferFrom', [owner, spent.to, spent.due]),
  });
  const batcher = await node.deploy('Batcher');
  await node.transferErc20({ token: usdt, to: batcher, amount: 200_000_000n });
  await node.batch(batcher, [
    { target: usdt, data: transferCalldata(first.to, first.due) },
    { target: usdt, data: transferCalldata(getAddress(toHex(randomBytes(20))), 7_000_000n) },
    { target: usdt, data: transferCalldata(second.to, second.due) },
  ]);
  await settle();
  expect([await spent.state(), await first.state(), await second.state()]).toEqual(['paid', 'paid', 'paid']);
});

test('an address of another network is refused for Tron, and one of Tron for the others', async () => {
  const { live } = app.merchant;
  const tron = WALLET();
  const evm = getAddress(toHexAddress(tron));
  await expect(live.createWallet({ asset: 'USDT', network: 'tron', address: evm })).rejects.toMatchObject({
    status: 400,
    param: 'address',
  });
  await expect(live.createWallet({ asset: 'USDT', network: 'ethereum', address: tron })).rejects.toMatchObject({
    status: 400,
    param: 'address',
  });
});

/** An account of its own with USDT and TRX, and its key. */
async function newPayer(): Promise<{ key: string; payer: Address }> {
  const key = generatePrivateKey();
  const payer = privateKeyToAddress(key);
  await node.transferErc20({ token: usdt, to: payer, amount: 77_000_000n });
  await node.sendEth({ to: payer, amount: 10n ** 18n });
  return { key, payer };
}

/** Claims a transaction for a session as TronLink signs; returns the status of the answer. */
async function claim(id: string, txHash: string, key: string, sender?: string): Promise<number> {
  const text = ['Quittance payment claim', `Session: ${id}`, 'Network: tron', `Transaction: ${txHash}`].join('\n');
  const { status } = await app.inject('POST', `/v1/public/checkout/sessions/${id}/transactions`, {
    body: { tx_hash: txHash, signature: Trx.signMessageV2(text, key.slice(2)), ...(sender && { sender }) },
  });
  return status;
}

test('a transaction is claimed by the signature of the account that it debits, as TronLink makes it, and by no other', async () => {
  const one = await checkout();
  const { key, payer } = await newPayer();
  const strangerKey = generatePrivateKey();
  // Not the exact amount, so that nothing names the order.
  const hash = await node.transferErc20({ token: usdt, to: one.to, amount: 41_234_567n, from: payer });
  await settle();
  expect(await one.state()).toBe('pending');
  const txHash = hash.slice(2);
  expect(await claim(one.id, txHash, strangerKey)).toBe(202);
  expect(await claim(one.id, txHash, strangerKey, fromHexAddress(payer))).toBe(400);
  await settle();
  expect(await one.state()).toBe('pending');
  expect(await claim(one.id, txHash, key, fromHexAddress(payer))).toBe(202);
  await settle();
  expect(await one.shown()).toMatchObject({ status: 'paid', payment: { tx_hashes: [txHash] } });
});

test('what is missing after a part in other amounts is in whole cents again', async () => {
  const one = await checkout();
  const { key, payer } = await newPayer();
  const part = await node.transferErc20({ token: usdt, to: one.to, amount: 10_123_456n, from: payer });
  await settle();
  expect(await claim(one.id, part.slice(2), key)).toBe(202);
  await settle();
  const { amount_due } = (await one.shown()).payment;
  expect(amount_due).toMatch(/^29\.\d\d0000$/);
  await node.transferErc20({ token: usdt, to: one.to, amount: BigInt(amount_due.replace('.', '')) });
  await settle();
  expect(await one.state()).toBe('paid');
});

test('customers who miss the same rest are each given an amount of their own, while the price has one', async () => {
  const first = await checkout();
  const all = [first];
  while (all.length < 7) all.push(await openAt(first.wallet));
  for (const one of all) {
    const { key, payer } = await newPayer();
    const part = await node.transferErc20({ token: usdt, to: one.to, amount: 10_123_456n, from: payer });
    await settle();
    expect(await claim(one.id, part.slice(2), key)).toBe(202);
    await settle();
  }
  const dues = await Promise.all(all.map(async (one) => (await one.shown()).payment.amount_due as string));
  expect(new Set(dues).size).toBe(all.length);
  for (const due of dues) {
    expect(due).toMatch(/^(29\.8[89]|29\.9\d|30\.0[1-9]|30\.1[0-8])0000$/);
    await node.transferErc20({ token: usdt, to: first.to, amount: BigInt(due.replace('.', '')) });
  }
  await settle();
  expect(await Promise.all(all.map((one) => one.state()))).toEqual(all.map(() => 'paid'));
});

test('a payment in blocks that a reorg replaces is not seen any more, and where it comes back it is paid once', async () => {
  const [gone, moved] = [await checkout(), await checkout()];
  await node.mine(2);
  await watch();
  await node.transferErc20({ token: usdt, to: gone.to, amount: gone.due, from: node.accounts[6]?.address as Address });
  const hash = await node.transferErc20({
    token: usdt,
    to: moved.to,
    amount: moved.due,
    from: node.accounts[7]?.address as Address,
  });
  const signed = await node.signed(hash);
  await watch();
  expect([(await gone.shown()).payment.amount_seen, (await moved.shown()).payment.amount_seen]).toEqual([
    (await gone.shown()).payment.amount,
    (await moved.shown()).payment.amount,
  ]);
  await node.reorg(2, [{ block: 1, transaction: signed }]);
  await settle();
  await watch();
  expect([await gone.state(), await moved.state()]).toEqual(['pending', 'paid']);
  expect((await gone.shown()).payment.amount_seen).toBe('0.000000');
  expect((await moved.shown()).payment.tx_hashes).toEqual([hash.slice(2)]);
});

test('a payout wallet is proved by a transfer to itself, and by no signature', async () => {
  const owner = node.accounts[5]?.address as Address;
  const { live } = app.merchant;
  const { id } = await live.createWallet({ asset: 'USDT', network: 'tron', address: fromHexAddress(owner) });
  const asked = await live.dashboard.post(`/payout-wallets/${id}/prove`);
  expect(asked).toMatchObject({ proved: false, message: null, transfer: { asset: 'USDT', network: 'tron' } });
  await expect(
    live.dashboard.post(`/payout-wallets/${id}/prove`, { signature: `0x${'11'.repeat(65)}` }),
  ).rejects.toMatchObject({ code: 'invalid_signature' });
  const amount = BigInt(asked.transfer.amount.replace('.', ''));
  const hash = await node.transferErc20({ token: usdt, to: owner, amount, from: owner });
  await node.mine(4);
  expect(await live.dashboard.post(`/payout-wallets/${id}/prove`, { tx_hash: hash.slice(2) })).toMatchObject({
    proved: true,
    proof: 'proved',
  });
});

test('one price has few exact amounts, and the checkout after the last one is refused, not given a shared one', async () => {
  const first = await checkout();
  const dues = [first.due];
  let last = first;
  while (last.status === 200 && dues.length < 60) {
    last = await openAt(first.wallet);
    if (last.status === 200) dues.push(last.due);
  }
  expect(last.status).toBe(429);
  expect(last.body.error.message).toMatch(/^All exact amounts of this price are in use at this wallet\. Choose a coin/);
  expect(new Set(dues).size).toBe(dues.length);
  expect(dues.every((due) => due % 10_000n === 0n && due > 40_000_000n && due <= 40_300_000n)).toBe(true);
  expect(dues.length).toBeGreaterThanOrEqual(25);
});

/** What a stranger can send instead of a payment. */
async function decoys(): Promise<((to: Address, due: bigint) => Promise<unknown>)[]> {
  const strange = await node.deployToken({ symbol: 'USDT' });
  const broke = getAddress(toHex(randomBytes(20)));
  await node.sendEth({ to: broke, amount: 10n ** 18n });
  return [
    (to, due) => node.sendEth({ to, amount: due }),
    (to, due) => node.transferErc20({ token: strange, to, amount: due }),
    (to, due) => node.send({ to: usdt, data: calldata('TestToken', 'approve', [to, due]) }),
    (to, due) => node.send({ to: usdt, from: broke, gas: 100_000n, data: transferCalldata(to, due) }),
  ];
}

test(`of ${PAYMENTS} payments through providers that hit every documented limit at random, none is lost and none is invented`, async () => {
  const orders: (Awaited<ReturnType<typeof checkout>> & { isPaid: boolean })[] = [];
  for (let at = 0; at < PAYMENTS; at += 1) orders.push({ ...(await checkout()), isPaid: at % 8 !== 7 });
  expect(orders.map(({ status }) => status)).toEqual(orders.map(() => 200));
  // Without the pauses of a real provider, so that the test does not wait for them.
  const chain = createTronChain(
    {
      rpcUrls: providers.map(({ url }) => url),
      chainId: node.chainId,
      tokens: { USDT: fromHexAddress(usdt) },
      tuning: { pauseMs: { first: 1, longest: 2 } },
    },
    pino({ level: 'silent' }),
  );
  const ctx = { ...app.ctx, chains: new Map([...app.ctx.chains, ['tron' as const, chain]]) };
  const look = () =>
    tick(ctx, 'tron', watcher).catch((error: unknown) => {
      if (!(error instanceof TemporaryError)) throw error;
    });
  const others = await decoys();
  for (const provider of providers) {
    provider.refused.clear();
    provider.refuse(TRON_REFUSALS, 0.15);
  }
  for (const [at, { to, due, isPaid }] of orders.entries()) {
    const from = node.accounts[1 + (at % 8)]?.address as Address;
    if (isPaid) await node.transferErc20({ token: usdt, to, amount: due, from, mine: at % 3 === 0 });
    else {
      await others[(at >> 3) % others.length]?.(to, due);
      await look();
    }
  }
  await node.mine(6);
  const isOpen = async () =>
    (
      await ctx.db.query(
        'test_open',
        `select 1 from payments where status <> 'paid' and session_id = any($1) limit 1`,
        [orders.filter(({ isPaid }) => isPaid).map(({ id }) => id)],
      )
    ).length > 0;
  for (let turn = 0; turn < 20 * PAYMENTS && (await isOpen()); turn += 1) {
    await look();
    if (turn % 10 === 9) await node.mine();
  }
  await chain.close();

  const shown = await Promise.all(orders.map((order) => order.shown()));
  expect(shown.map(({ status, payment }) => [status, payment.tx_hashes.length])).toEqual(
    orders.map(({ isPaid }) => (isPaid ? ['paid', 1] : ['pending', 0])),
  );
  const paid = shown.flatMap(({ payment }) => payment.tx_hashes);
  expect(new Set(paid).size).toBe(paid.length);
  const refused = Object.fromEntries(
    TRON_REFUSALS.map((reason) => [
      reason,
      providers.reduce((sum, provider) => sum + (provider.refused.get(reason) ?? 0), 0),
    ]),
  );
  if (PAYMENTS < 1_000) return expect(Object.values(refused)).not.toEqual(TRON_REFUSALS.map(() => 0));
  console.log(`${paid.length} of ${PAYMENTS} paid, each by one transfer; refused:`, refused);
  expect(Object.values(refused)).not.toContain(0);
}, 1_800_000);

test('a provider that names a block by the hash of another height is not believed', async () => {
  const [liar] = providers as [TronRpc];
  liar.mixesHeights = true;
  const chain = createTronChain(
    { rpcUrls: [liar.url], chainId: node.chainId, tokens: {}, tuning: { pauseMs: { first: 1, longest: 2 } } },
    pino({ level: 'silent' }),
  );
  await expect(chain.head('first')).rejects.toThrow(/the hash 0x\w+ is not that of a block \d+/);
  await chain.close();
});

test('a rate limit without an envelope pauses that provider, and neither the others nor another network', async () => {
  const [limited, other] = providers as [TronRpc, TronRpc];
  limited.refuse(['no_resources']);
  const log = pino({ level: 'silent' });
  const settings = { chainId: node.chainId, tuning: { pauseMs: { first: 60_000, longest: 60_000 } } };
  const tron = createTronChain({ ...settings, rpcUrls: [limited.url, other.url], tokens: {} }, log);
  const evm = createEvmChain({ ...settings, network: 'bnb', rpcUrls: [node.url], tokens: { USDT: usdt } }, log);
  const before = limited.requests;
  for (let at = 0; at < 10; at += 1) {
    await tron.head('first');
    await evm.head('first');
  }
  expect(limited.requests - before).toBe(1);
  const [one, two] = tron.health().providers;
  expect(one).toMatchObject({
    healthy: false,
    lastError: expect.stringMatching(/took no request: .*lack of computing/),
  });
  expect([two?.healthy, evm.health().providers[0]?.healthy]).toEqual([true, true]);
  await Promise.all([tron.close(), evm.close()]);
});
