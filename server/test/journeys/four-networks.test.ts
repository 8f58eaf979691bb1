import { randomBytes } from 'node:crypto';
import { type Address, bytesToHex, getAddress, toHex } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Context } from '../../src/context.ts';
import { later, MINUTE_MS } from '../../src/platform/time.ts';
import { expiryJob } from '../../src/resources/payments/expire.ts';
import { ratesJob } from '../../src/resources/payments/sample-rates.ts';
import { createWatcher, tick } from '../../src/watch.ts';
import { startAnvil, type TestChain } from '../support/anvil.ts';
import { startApp, type TestApp } from '../support/index.ts';

type Data = any;
const NETWORKS = ['ethereum', 'base', 'polygon', 'arbitrum'] as const;
type Evm = (typeof NETWORKS)[number];
const SHOPS = [['ethereum', 'USDC'], ['ethereum', 'USDT'], ['ethereum', 'ETH'], ['base', 'USDC'], ['polygon', 'USDC'], ['arbitrum', 'USDC']] as const;
const CONFIRMATIONS = 3;

let app: TestApp;
let ctx: Context;
let chains: Record<Evm, TestChain>;
let tokens: Record<Evm, { USDC: Address; USDT: Address }>;
let offsetMs = 0;
const watcher = createWatcher('all four');

beforeAll(async () => {
  const nodes = await Promise.all(NETWORKS.map((_, at) => startAnvil({ chainId: 4001 + at })));
  chains = Object.fromEntries(NETWORKS.map((network, at) => [network, nodes[at]])) as typeof chains;
  tokens = Object.fromEntries(await Promise.all(NETWORKS.map(async (network) => [network, {
    USDC: await chains[network].deployToken(), USDT: await chains[network].deployToken({ symbol: 'USDT' }),
  }]))) as typeof tokens;
  app = await startApp({ env: Object.assign({}, ...NETWORKS.map((network) => {
    const name = network.toUpperCase();
    return {
      [`RPC_${name}_URLS`]: chains[network].url, [`CHAIN_ID_${name}`]: String(chains[network].chainId), [`CONFIRMATIONS_${name}`]: String(CONFIRMATIONS),
      [`TOKEN_USDC_${name}`]: tokens[network].USDC, ...(network === 'ethereum' && { TOKEN_USDT_ETHEREUM: tokens.ethereum.USDT }),
    };
  })) });
  ctx = { ...app.ctx, db: { ...app.ctx.db, now: async () => later(await app.ctx.db.now(), offsetMs) } };
});
afterAll(async () => {
  await app.stop();
  await Promise.all(NETWORKS.map((network) => chains[network].stop()));
});

test('on four networks at once, each asset pays by exact amount and by tag: whole, in parts, short, over, late and twice', async () => {
  const all = await Promise.all(SHOPS.map(([network, asset]) => openShop(network, asset)));
  for (const { exact, tagged } of all) {
    await exact.whole.send(exact.whole.due);
    await exact.parts.send(exact.parts.due / 2n, exact.parts.tag);
    await exact.twice.send(exact.twice.due);
    await tagged.whole.send(tagged.whole.due - 1n, tagged.whole.tag);
    await tagged.parts.send(tagged.parts.due / 3n, tagged.parts.tag);
    await tagged.parts.send(tagged.parts.due - tagged.parts.due / 3n, tagged.parts.tag);
    await tagged.short.send(tagged.short.due / 2n, tagged.short.tag);
    await tagged.over.send(tagged.over.due * 2n, tagged.over.tag);
  }
  await settle();
  for (const { exact } of all) {
    await exact.parts.send(await exact.parts.missing());
    await exact.twice.send(exact.twice.due);
  }
  await settle();
  await pass(7_200);
  for (const { exact, tagged } of all) {
    await exact.late.send(exact.late.due);
    await tagged.late.send(tagged.late.due, tagged.late.tag);
  }
  await settle();
  while (await expiryJob.run(ctx, new AbortController().signal, () => {}) === 'more');

  for (const { network, asset, exact, tagged } of all) {
    const ends = async (group: Record<string, Order>) => Object.fromEntries(await Promise.all(Object.entries(group).map(async ([name, order]) => [name, await order.end()])));
    expect({ network, asset, ...await ends(exact) }).toEqual({ network, asset, whole: 'paid', parts: 'paid', twice: 'paid', late: 'refund_required paid_late' });
    expect({ network, asset, ...await ends(tagged) }).toEqual({ network, asset, whole: 'paid', parts: 'paid', short: 'refund_required underpaid', over: 'paid', late: 'refund_required paid_late' });
  }
  const { data } = await app.merchant.live.get('/transfers', { unattributed: 'true', limit: 100 });
  expect(data.map((transfer: Data) => transfer.reason)).toEqual(SHOPS.map(() => 'already_paid'));
}, 180_000);

interface Order {
  due: bigint;
  tag: Uint8Array;
  send(amount: bigint, tag?: Uint8Array): Promise<string>;
  missing(): Promise<bigint>;
  /** Its status, and the reason where it failed. */
  end(): Promise<string>;
}

async function openShop(network: Evm, asset: 'USDC' | 'USDT' | 'ETH') {
  const { live } = app.merchant;
  const address = getAddress(toHex(randomBytes(20)));
  const wallet = await live.createWallet({ asset, network, address });
  const orders: Order[] = [];
  for (let at = 0; at < 9; at += 1) orders.push(await order(network, asset, wallet));
  const [a, b, c, d, e, f, g, h, i] = orders as [Order, Order, Order, Order, Order, Order, Order, Order, Order];
  return { network, asset, exact: { whole: a, parts: b, twice: c, late: d }, tagged: { whole: e, parts: f, short: g, over: h, late: i } };
}

async function order(network: Evm, asset: 'USDC' | 'USDT' | 'ETH', wallet: Data): Promise<Order> {
  const { live } = app.merchant;
  const session = await live.createSession({ payout_wallet_id: wallet.id, amount: '40.00', expires_in: 3600 });
  const shown = async () => (await app.inject('GET', `/v1/public/checkout/sessions/${session.id}`)).body.data;
  const { body } = await app.inject('POST', `/v1/public/checkout/sessions/${session.id}/pay`, { body: { pay_asset: asset, pay_network: network } });
  const units = (text: string) => BigInt(text.replace('.', ''));
  const payer = chains[network].accounts[2]?.address as Address;
  return {
    due: units(body.data.payment.amount),
    tag: Buffer.from(body.data.payment.tag.slice(2), 'hex'),
    send: (amount, tag) => asset === 'ETH'
      ? chains[network].sendEth({ to: wallet.address, amount, from: payer, ...(tag && { data: bytesToHex(tag) }) })
      : chains[network].transferErc20({ token: tokens[network][asset], to: wallet.address, amount, from: payer, ...(tag && { tag }) }),
    missing: async () => units((await shown()).payment.amount_due),
    async end() {
      const { status, payment } = await shown();
      return [status, payment.failure_reason].filter(Boolean).join(' ');
    },
  };
}

/** Until all that was sent is final on every network. */
async function settle(): Promise<void> {
  // Blocks that are mined at once run ahead of the clock by a second each.
  for (let minutes = -1; minutes <= 4; minutes += 1) {
    const then = later(await ctx.db.now(), minutes * MINUTE_MS);
    await ratesJob.run({ ...ctx, db: { ...ctx.db, now: async () => then } }, new AbortController().signal, () => {});
  }
  await Promise.all(NETWORKS.map(async (network) => {
    await chains[network].mine(CONFIRMATIONS);
    while (await tick(ctx, network, watcher) === 'more');
  }));
}

async function pass(seconds: number): Promise<void> {
  offsetMs += seconds * 1000;
  for (const network of NETWORKS) {
    await chains[network].rpc('evm_increaseTime', [toHex(seconds)]);
    await chains[network].mine();
  }
}
