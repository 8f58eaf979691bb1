import { randomBytes } from 'node:crypto';
import { type Address, getAddress, type Hex, toHex } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Transaction } from '../../src/platform/db/db.ts';
import { assignToPayment } from '../../src/settlement/attribution/assign-transfer.ts';
import { attributeTransfer } from '../../src/settlement/attribution/attribute-transfer.ts';
import { dropTransfer } from '../../src/settlement/outcome/settle.ts';
import { findTransfersByHash, type StoredTransfer } from '../../src/settlement/records/transfer-store.ts';
import { tick } from '../../src/settlement/watching/turns.ts';
import { createWatcher } from '../../src/settlement/watching/watcher.ts';
import { startAnvil, type TestChain } from '../support/anvil.ts';
import { type RpcProxy, startRpcProxy } from '../support/evm-rpc-proxy.ts';
import { startApp, type TestApp } from '../support/index.ts';
import { holding } from '../support/holding.ts';
import { openCheckout } from '../support/open-checkout.ts';
import { paymentOfSession } from '../support/payments.ts';
import { proveWallet } from '../support/prove.ts';
import { arrive, take, transferTo } from '../support/transfers.ts';

type Data = any;
/** Whose USDT has 18 decimals, and 6. */
const CONTRACTS = { bnb: 'PeggedToken', polygon: 'TestToken' } as const;
type Net = keyof typeof CONTRACTS;
const NETWORKS = Object.keys(CONTRACTS) as Net[];
const CODE = '0x60006000';

const nodes = {} as Record<Net, TestChain>;
const tokens = {} as Record<Net, Address>;
let second: RpcProxy;
let app: TestApp;

beforeAll(async () => {
  for (const [at, network] of NETWORKS.entries()) {
    nodes[network] = await startAnvil({ chainId: 5_701 + at });
    tokens[network] = await nodes[network].deployToken({ symbol: 'USDT', contract: CONTRACTS[network] });
  }
  second = await startRpcProxy(nodes.polygon.url);
  const settings = NETWORKS.flatMap((network) => {
    const name = network.toUpperCase();
    return [
      [`RPC_${name}_URLS`, network === 'polygon' ? `${nodes.polygon.url},${second.url}` : nodes[network].url],
      [`CHAIN_ID_${name}`, String(nodes[network].chainId)],
      [`TOKEN_USDT_${name}`, tokens[network]],
      [`CONFIRMATIONS_${name}`, '3'],
    ];
  });
  app = await startApp({ env: Object.fromEntries(settings) });
  // Only networks on which someone is paid are read.
  for (const network of NETWORKS) await openCheckout(app, { asset: 'USDT', network, address: randomAddress() });
});
afterAll(async () => {
  await app.stop();
  await second.stop();
  await Promise.all(NETWORKS.map((network) => nodes[network].stop()));
});

test.each<[Net, Net]>([
  ['polygon', 'bnb'],
  ['bnb', 'polygon'],
])('money due on %s that a person assigns from %s pays, and every record names its network', async (due, there) => {
  const { open, id, transfer, assign } = await misplaced(due, there, { above: 10 });
  expect(await assign()).toMatchObject({ reason: null, payment: id, payment_status: 'paid', network: there });

  const payment = await app.merchant.live.get(`/payments/${id}`);
  expect(payment).toMatchObject({
    status: 'paid',
    pay_network: there,
    receive_network: there,
    receive_address: open.wallet.address,
    actual_output: transfer.amount,
    tx_hashes: [transfer.tx_hash],
    received_amount: '50.00',
    surplus: '10.00',
    asset_caip19: transfer.asset_caip19,
  });
  expect(BigInt(payment.expected_output.replace('.', ''))).toBe(40n * 10n ** (there === 'bnb' ? 18n : 6n));
  const { data } = await app.merchant.live.get('/events', { limit: 1 });
  expect(data[0]).toMatchObject({ type: 'payment.paid', data: { receive_network: there, tx_hash: transfer.tx_hash } });
  expect(await open.shown()).toMatchObject({
    status: 'paid',
    payment: { network: there, amount_received: transfer.amount, other_transfers: [] },
  });
  const asked = { amount: open.payment.amount, network: due };
  expect((await look(`/payments/${id}/money`)).data).toMatchObject({ asked, detected: transfer.amount });
  const to = randomAddress();
  expect(await app.merchant.live.post(`/payments/${id}/refunds`, { to })).toMatchObject({
    network: there,
    coin_amount: transfer.amount,
  });
  const [journal] = await app.ctx.db.query<Data>(
    'test_journal',
    `select p.actual_output_units = t.amount_units as adds_up, (t.evidence ? 'byBlock') as is_by_block
       from payments p join transfers t on t.payment_id = p.id where p.id = $1`,
    [id],
  );
  expect(journal).toEqual({ addsUp: true, isByBlock: false });

  // The same amount where it was due adds to nothing, and names the payment.
  await send(due, open.wallet.address, open.due);
  await settle(due);
  expect(await found(open.wallet.address)).toMatchObject([{ network: due, reason: 'already_paid', payment: id }]);
});

test.each<[Net, Net]>([
  ['polygon', 'bnb'],
  ['bnb', 'polygon'],
])(
  'a payment due on %s whose money a reorg of %s takes away stays paid and says so until it is back',
  async (due, there) => {
    const { open, id, transfer, assign } = await misplaced(due, there);
    await assign();
    const paid = await app.merchant.live.get(`/payments/${id}`);
    const node = nodes[there];
    const signed = await node.signed(transfer.tx_hash);
    const { blockNumber } = await node.included(transfer.tx_hash);
    await node.reorg(Number((await node.head()).number - blockNumber) + 1);
    await settle(there, 1);

    const alert = { type: 'transfer_disappeared', tx_hash: transfer.tx_hash, detected_at: expect.any(String) };
    const alerted = { ...paid, settlement_alert: alert };
    expect(await app.merchant.live.get(`/payments/${id}`)).toEqual(alerted);
    expect((await look('/attention')).data.disappeared).toContainEqual(expect.objectContaining({ id }));
    // What arrives where it was due meanwhile does not pay it again.
    await send(due, open.wallet.address, open.due);
    await settle(due);
    expect(await found(open.wallet.address)).toMatchObject([{ network: due, reason: 'already_paid', payment: id }]);
    expect(await app.merchant.live.get(`/payments/${id}`)).toEqual(alerted);

    await node.reorg(1, [{ block: 0, transaction: signed }]);
    await settle(there);
    expect(await app.merchant.live.get(`/payments/${id}`)).toEqual(paid);
    expect((await look('/attention')).data.disappeared).not.toContainEqual(expect.objectContaining({ id }));
  },
);

test('in test mode money of another network pays as well, and no network is asked', async () => {
  const { merchant, ctx } = app;
  const wallet = await merchant.createWallet({ asset: 'USDT', network: 'polygon', address: randomAddress() });
  const session = await merchant.createSession({ payout_wallet_id: wallet.id, amount: '40.00' });
  const id = await paymentOfSession(ctx.db, session.id);
  const block = { number: 1n, hash: '0x1', time: await ctx.db.now() };
  const amountUnits = 40n * 10n ** 18n;
  const there = transferTo(wallet.address, { network: 'bnb', asset: 'USDT', amountUnits, block });
  const stored = await take(ctx, there, false);
  await merchant.dashboard.post(`/transfers/${stored?.id}/assign`, { payment: id });
  expect(await merchant.get(`/payments/${id}`)).toMatchObject({ status: 'paid', receive_network: 'bnb' });
});

test('who asks the providers about the same transfer without end waits for the next minute', async () => {
  const { assign, open } = await misplaced('polygon', 'bnb');
  await setCode('bnb', open.wallet.address, CODE);
  const { lookBudget } = app.ctx;
  // A minute begins.
  for (const ms of [0, Date.now()]) lookBudget.usedUp(new Date(ms));
  const asked = { accountId: app.merchant.accountId, network: 'bnb', otherHashes: [] };
  lookBudget.spend(Array.from({ length: 299 }, (_, at) => ({ ...asked, txHash: String(at) })));
  await expect(assign()).rejects.toMatchObject({ status: 403 });
  await expect(assign()).rejects.toMatchObject({ status: 429, code: 'rate_limited' });
  // Other tests follow within the minute.
  lookBudget.usedUp(new Date(0));
});

describe('code at the address', () => {
  test.each<['due' | 'there', Net, Net]>([
    ['due', 'polygon', 'bnb'],
    ['there', 'polygon', 'bnb'],
  ])('a contract where the money is %s keeps it from counting until it is proved', async (where, due, there) => {
    const { open, transfer, assign, id } = await misplaced(due, there);
    await setCode(where === 'due' ? due : there, open.wallet.address, CODE);
    await expect(assign()).rejects.toMatchObject({ status: 403, code: 'forbidden', param: 'id' });
    expect(await suggested(transfer.id)).toMatchObject([{ accepts: false, reach: 'contract', payment: { id } }]);
    expect(await open.state()).toBe('pending');

    const { address } = open.wallet;
    const wallet = await app.merchant.live.createWallet({ asset: 'USDT', network: there, address });
    await proveWallet(app.ctx.db, wallet.id);
    expect(await suggested(transfer.id)).toMatchObject([{ accepts: true, reach: 'proved' }]);
    await assign();
    expect(await open.state()).toBe('paid');
  });

  test('the wallet of a key that delegates to a contract does not count as one', async () => {
    const { open, transfer, assign } = await misplaced('polygon', 'bnb');
    for (const network of NETWORKS) await setCode(network, open.wallet.address, `0xef0100${'12'.repeat(20)}`);
    expect(await suggested(transfer.id)).toMatchObject([{ accepts: true, reach: 'key' }]);
    await assign();
    expect(await open.state()).toBe('paid');
  });

  test('one of two providers that says nothing about it lets nothing count', async () => {
    const { open, transfer, assign } = await misplaced('polygon', 'bnb');
    second.refused = ['eth_getCode'];
    await expect(assign()).rejects.toMatchObject({ status: 503, code: 'service_unavailable', param: 'id' });
    expect(await suggested(transfer.id)).toMatchObject([{ accepts: false, reach: 'unknown' }]);
    second.refused = [];
    await expect.poll(async () => (await suggested(transfer.id))[0].reach).toBe('key');
    expect(await open.state()).toBe('pending');
  });
});

test('a transfer that was due to a payment is decided again if the payment moves to another network meanwhile', async () => {
  const { open, id } = await misplaced('polygon', 'bnb');
  const block = { number: 1n, hash: '0x1', time: await app.ctx.db.now() };
  const due = transferTo(open.wallet.address, { network: 'polygon', asset: 'USDT', amountUnits: open.due, block });
  await whileLocked(
    id,
    () => arrive(app.ctx, due),
    async (db) => {
      await db.query('test_move', `update payments set arrived_network = 'bnb' where id = $1`, [id]);
    },
  );
  const [stored] = await findTransfersByHash(app.ctx.db, true, 'polygon', due.txHash);
  expect(stored).toMatchObject({ queued: true, paymentId: null });
  if (!stored) return;
  const at = { created: block.time, recorded: block.time };
  const claimed = { paymentId: id, by: 'claim' } as const;
  await app.ctx.db.transaction((db) => assignToPayment({ ctx: app.ctx, db, at }, stored, claimed));
  await app.ctx.db.transaction((db) => attributeTransfer(app.ctx, db, stored.id, block.time));
  expect(await found(open.wallet.address)).toContainEqual(
    expect.objectContaining({ network: 'polygon', reason: 'wrong_network', payment: id }),
  );
});

test('what a reorganization brings back after its payment moved to another network is not added to money there', async () => {
  const { merchant, ctx } = app;
  const wallet = await merchant.createWallet({ asset: 'USDT', network: 'polygon', address: randomAddress() });
  const session = await merchant.createSession({ payout_wallet_id: wallet.id, amount: '40.00' });
  const id = await paymentOfSession(ctx.db, session.id);
  const now = await ctx.db.now();
  const usdt = { asset: 'USDT', block: { number: 1n, hash: '0x1', time: now } } as const;
  const part = transferTo(wallet.address, { ...usdt, network: 'polygon', amountUnits: 7_000_000n });
  const assign = (transfer: string) => merchant.dashboard.post(`/transfers/${transfer}/assign`, { payment: id });
  await assign(await arrive(ctx, part, false));
  const partNow = async () => (await findTransfersByHash(ctx.db, false, 'polygon', part.txHash))[0] as StoredTransfer;
  const at = { created: now, recorded: now };
  const seen = await partNow();
  await ctx.db.transaction((db) => dropTransfer({ ctx, db, at }, seen, {}));

  await app.inject('POST', `/v1/public/checkout/sessions/${session.id}/test`, { body: { action: 'expire' } });
  const there = transferTo(wallet.address, { ...usdt, network: 'bnb', amountUnits: 30n * 10n ** 18n });
  await assign((await take(ctx, there, false))?.id ?? '');
  await take(ctx, { ...part, block: { ...part.block, hash: '0x2' } }, false);
  expect(await partNow()).toMatchObject({
    status: 'final',
    paymentId: null,
    reason: 'wrong_network',
    nearPaymentId: id,
  });
  const { data } = await merchant.get('/events', { limit: 1 });
  expect(data[0].type).toBe('payment.refund_required');
  expect((await merchant.get(`/payments/${id}`)).actual_output).toBe('30.000000000000000000');
});

describe('what is not assigned from another network', () => {
  test('a transfer that the providers do not confirm, although its block is final', async () => {
    const { open, transfer, assign } = await misplaced('polygon', 'bnb');
    const hash = toHex(randomBytes(32));
    await app.ctx.db.query('test_invent', 'update transfers set tx_hash = $2 where id = $1', [transfer.id, hash]);
    await expect(assign()).rejects.toMatchObject({ status: 400, code: 'invalid_payment_state', param: 'id' });
    expect(await open.state()).toBe('pending');
  });

  test('a transfer that is not final', async () => {
    const { open, assign } = await misplaced('polygon', 'bnb', { blocks: 1 });
    await expect(assign()).rejects.toMatchObject({ status: 400, code: 'invalid_payment_state', param: 'id' });
    expect(await open.state()).toBe('pending');
  });

  test('a part of an open payment, of which nothing stays', async () => {
    const { id, assign } = await misplaced('polygon', 'bnb', { above: -30 });
    await expect(assign()).rejects.toMatchObject({ status: 400, code: 'invalid_payment_state', param: 'payment' });
    expect(await app.merchant.live.get(`/payments/${id}`)).toMatchObject({
      status: 'pending',
      receive_network: 'polygon',
      expected_output: '40.000000',
    });
  });

  test('what is late for an open payment, for which money on its own network may still be in time', async () => {
    const { open, id, assign } = await misplaced('polygon', 'bnb');
    await app.ctx.db.query('test_end', `update payments set expires_at = created_at where id = $1`, [id]);
    await expect(assign()).rejects.toMatchObject({ status: 400, code: 'invalid_payment_state', param: 'payment' });
    expect(await open.state()).toBe('pending');
  });

  test('a transfer that another payment takes meanwhile', async () => {
    const { id, transfer, assign } = await misplaced('polygon', 'bnb');
    const other = await misplaced('polygon', 'bnb');
    const working = () => expect(assign()).rejects.toMatchObject({ status: 400, param: 'id' });
    await whileLocked(id, working, async (db) => {
      await db.query('test_take', `update transfers set payment_id = $2, attributed_by = 'hand' where id = $1`, [
        transfer.id,
        other.id,
      ]);
    });
    expect(await app.merchant.live.get(`/payments/${id}`)).toMatchObject({ receive_network: 'polygon' });
  });

  test('money for a payment whose refunds are counted in the units of its own network', async () => {
    const { id, assign } = await misplaced('polygon', 'bnb');
    const tally = { ids: ['rf_1'], claimed_units: '1000000', returned_units: '0', returned_minor: '0' };
    await app.ctx.db.query('test_tally', 'update payments set refunds = $2 where id = $1', [id, JSON.stringify(tally)]);
    await expect(assign()).rejects.toMatchObject({ status: 400, code: 'invalid_payment_state', param: 'payment' });
  });

  test('more money for a payment that has some on its own network', async () => {
    const { open, id, assign } = await misplaced('polygon', 'bnb');
    await send('polygon', open.wallet.address, open.due - 5_000_000n);
    await settle('polygon');
    const [own] = (await found(open.wallet.address)).filter(({ network }: Data) => network === 'polygon');
    await app.merchant.live.dashboard.post(`/transfers/${own.id}/assign`, { payment: id });
    await settle('polygon');
    await expect(assign()).rejects.toMatchObject({ status: 400, code: 'invalid_payment_state', param: 'payment' });
    expect(await open.state()).toBe('pending');
  });

  test('another coin, or money for another address', async () => {
    const { open, id } = await misplaced('polygon', 'bnb');
    const [now, { address }] = [await app.ctx.db.now(), open.wallet];
    const other = await app.merchant.live.createWallet({ asset: 'USDT', network: 'polygon', address: randomAddress() });
    const block = { number: 1n, hash: '0x1', time: now };
    for (const transfer of [
      transferTo(address, { network: 'base', asset: 'USDC', block }),
      transferTo(other.address, { network: 'base', asset: 'USDT', block }),
    ]) {
      const stored = await take(app.ctx, transfer);
      await expect(
        app.merchant.live.dashboard.post(`/transfers/${stored?.id}/assign`, { payment: id }),
      ).rejects.toMatchObject({ status: 400, code: 'invalid_request', param: 'payment' });
    }
  });
});

/** A checkout whose exact amount, more or less some dollars, arrived at the same address of another network. */
async function misplaced(due: Net, there: Net, { above = 0, blocks = 4 } = {}) {
  const open = await openCheckout(app, { asset: 'USDT', network: due, address: randomAddress() });
  const units = BigInt(Math.round(Number(open.payment.amount) * 1e6)) + BigInt(above) * 1_000_000n;
  await send(there, open.wallet.address, there === 'bnb' ? units * 10n ** 12n : units);
  await settle(there, blocks);
  const [transfer] = await found(open.wallet.address);
  const id = await paymentOfSession(app.ctx.db, open.session.id);
  const assign = () => app.merchant.live.dashboard.post(`/transfers/${transfer.id}/assign`, { payment: id });
  return { open, id, transfer, assign };
}

function send(network: Net, to: Address, amount: bigint): Promise<Hex> {
  return nodes[network].transferErc20({ token: tokens[network], to, amount });
}

async function settle(network: Net, blocks = 4): Promise<void> {
  await nodes[network].mine(blocks);
  const watcher = createWatcher('test');
  while ((await tick(app.ctx, network, watcher)) === 'more');
}

async function found(address: string): Promise<Data[]> {
  const { data } = await app.merchant.live.get('/transfers', { unattributed: 'true', limit: 100 });
  return data.filter(({ to }: Data) => to === address);
}

async function suggested(id: string): Promise<Data[]> {
  return (await look(`/transfers/${id}/suggested-payments`)).data;
}

async function look(path: string): Promise<Data> {
  const { loginToken: token } = app.merchant;
  return (await app.inject('GET', `/dashboard/api${path}`, { token, headers: { 'service-mode': 'live' } })).body;
}

/** Runs `work` until it waits for the payment, and then `meanwhile`. */
function whileLocked(id: string, work: () => Promise<unknown>, meanwhile: (db: Transaction) => Promise<void>) {
  return holding(app.ctx.db, { sql: 'select from payments where id = $1 for update', id }, work, meanwhile);
}

function setCode(network: Net, address: string, code: Hex): Promise<unknown> {
  return nodes[network].rpc('anvil_setCode', [address, code]);
}

function randomAddress(): Address {
  return getAddress(toHex(randomBytes(20)));
}
