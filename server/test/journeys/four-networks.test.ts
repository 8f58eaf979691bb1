import { randomBytes } from 'node:crypto';
import {
  type Asset,
  type AssetSymbol,
  EVM_RECEIVE_NETWORKS,
  type EvmNetwork,
  findAsset,
  RECEIVE_ASSETS,
} from '@quittance/contract';
import { type Address, bytesToHex, getAddress, toHex } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Context } from '../../src/context.ts';
import { later, MINUTE_MS } from '../../src/platform/time.ts';
import { expiryJob } from '../../src/settlement/outcome/expire.ts';
import { ratesJob } from '../../src/settlement/outcome/sample-rates.ts';
import { granularityUnits } from '../../src/settlement/records/amounts.ts';
import { tick } from '../../src/settlement/watching/turns.ts';
import { createWatcher } from '../../src/settlement/watching/watcher.ts';
import { calldata, startAnvil, type TestChain, transferCalldata } from '../support/anvil.ts';
import { startApp, type TestApp } from '../support/index.ts';

type Data = any;
// With `EXTRA_ASSETS`, what it adds sells on the same networks, and on further ones. Where a memo names the payment, no
// amount and no tag does.
type Evm = EvmNetwork;
const SHOPS = RECEIVE_ASSETS.flatMap(({ asset, network, takesMemo }): [Evm, AssetSymbol][] =>
  !takesMemo && EVM_RECEIVE_NETWORKS.some((one) => one === network) ? [[network as Evm, asset]] : [],
);
const NETWORKS = [...new Set(SHOPS.map(([network]) => network))];
/** The other coins of a network that the service reads. */
const otherTokens = (network: Evm, asset: AssetSymbol) =>
  SHOPS.filter(([at, token]) => at === network && token !== 'ETH' && token !== asset).map(([, token]) => token);
const CONFIRMATIONS = 3;

let app: TestApp;
let ctx: Context;
let chains: Record<Evm, TestChain>;
let tokens: Record<Evm, Partial<Record<AssetSymbol, Address>>>;
let contracts: Record<Evm, { batcher: Address; forwarder: Address; strange: Address }>;
let offsetMs = 0;
const watcher = createWatcher('all networks');

beforeAll(async () => {
  const nodes = await Promise.all(NETWORKS.map((_, at) => startAnvil({ chainId: 4001 + at })));
  chains = Object.fromEntries(NETWORKS.map((network, at) => [network, nodes[at]])) as typeof chains;
  tokens = Object.fromEntries(
    await Promise.all(
      NETWORKS.map(async (network) => {
        const symbols = SHOPS.flatMap(([at, asset]) => (at === network && asset !== 'ETH' ? [asset] : []));
        const deployed: [AssetSymbol, Address][] = [];
        for (const symbol of symbols) {
          const contract = findAsset(symbol, network)?.decimals === 18 ? 'PeggedToken' : 'TestToken';
          deployed.push([symbol, await chains[network].deployToken({ symbol, contract })]);
        }
        return [network, Object.fromEntries(deployed)];
      }),
    ),
  ) as typeof tokens;
  contracts = Object.fromEntries(
    await Promise.all(
      NETWORKS.map(async (network) => {
        const chain = chains[network];
        const batcher = await chain.deploy('Batcher');
        for (const [symbol, token] of Object.entries(tokens[network]))
          await chain.transferErc20({ token, to: batcher, amount: 1_000n * 10n ** decimalsOf(symbol, network) });
        await chain.sendEth({ to: batcher, amount: 10n ** 19n });
        return [network, { batcher, forwarder: await chain.deploy('Forwarder'), strange: await chain.deployToken() }];
      }),
    ),
  ) as typeof contracts;
  app = await startApp({
    env: Object.assign(
      {},
      ...NETWORKS.map((network) => {
        const name = network.toUpperCase();
        return {
          [`RPC_${name}_URLS`]: chains[network].url,
          [`CHAIN_ID_${name}`]: String(chains[network].chainId),
          [`CONFIRMATIONS_${name}`]: String(CONFIRMATIONS),
          ...Object.fromEntries(
            Object.entries(tokens[network]).map(([symbol, token]) => [`TOKEN_${symbol}_${name}`, token]),
          ),
        };
      }),
    ),
  });
  ctx = { ...app.ctx, db: { ...app.ctx.db, now: async () => later(await app.ctx.db.now(), offsetMs) } };
});
afterAll(async () => {
  await app.stop();
  await Promise.all(NETWORKS.map((network) => chains[network].stop()));
});

test('on four networks at once, each asset pays by exact amount and by tag in all the ways that people pay, and by no way that thieves try', async () => {
  const all = await Promise.all(SHOPS.map(([network, asset]) => openShop(network, asset)));
  for (const { exact, tagged, thieves } of all) {
    // Finer than wallets and exchanges write.
    await exact.parts.send(exact.parts.due / 2n + 1n, exact.parts.tag);
    await exact.twice.send(exact.twice.due);
    // Without a tag only the exact amount identifies the payment.
    await exact.short.send((exact.short.due * 9n) / 10n);
    await exact.over.send((exact.over.due * 11n) / 10n);
    await exact.wrongAsset.sendOther(exact.wrongAsset.due);
    const reserved = new Set([exact, tagged, thieves].flatMap((group) => Object.values(group).map(({ due }) => due)));
    let aLittleLess = tagged.whole.due - 1n;
    // Another payment's amount would go before the tag.
    while (reserved.has(aLittleLess)) aLittleLess -= 1n;
    await tagged.whole.send(aLittleLess, tagged.whole.tag);
    await tagged.parts.send(tagged.parts.due / 3n, tagged.parts.tag);
    await tagged.parts.send(tagged.parts.due - tagged.parts.due / 3n, tagged.parts.tag);
    await tagged.short.send(tagged.short.due / 2n, tagged.short.tag);
    await tagged.over.send(tagged.over.due * 2n, tagged.over.tag);
    await tagged.twice.send(tagged.twice.due, tagged.twice.tag);
    await tagged.wrongAsset.sendOther(tagged.wrongAsset.due, tagged.wrongAsset.tag);
    await exact.inside?.sendInside(exact.inside.due);

    const hash = await exact.whole.send(exact.whole.due);
    expect(await thieves.ofAHash.name(hash)).toBe(202);
    await exact.bundled.sendBundled(exact.bundled.due, thieves.besideTheCall.tag, thieves.behindTheBundle.tag);
  }
  await settle();
  for (const { network, asset, exact, tagged, thieves } of all) {
    const rest = await exact.parts.missing();
    const finer = rest % granularityUnits(findAsset(asset, network) as Asset);
    expect({ network, asset, finer }).toEqual({ network, asset, finer: 0n });
    await exact.parts.send(rest);
    await exact.twice.send(exact.twice.due);
    await tagged.twice.send(tagged.twice.due, tagged.twice.tag);
    expect(await thieves.ofAHash.name(await exact.whole.paidBy())).toBe(202);
  }
  await settle();
  await pass(7_200);
  for (const { exact, tagged } of all) {
    await exact.late.send(exact.late.due);
    await tagged.late.send(tagged.late.due, tagged.late.tag);
  }
  await settle();
  while ((await expiryJob.run(ctx, new AbortController().signal, () => {})) === 'more');

  for (const { network, asset, exact, tagged, thieves } of all) {
    const ends = async (group: Record<string, Order>) =>
      Object.fromEntries(
        await Promise.all(Object.entries(group).map(async ([name, order]) => [name, await order.end()])),
      );
    expect({ network, asset, ...(await ends(exact)) }).toEqual({
      network,
      asset,
      whole: 'paid',
      parts: 'paid',
      twice: 'paid',
      late: 'refund_required paid_late',
      short: 'expired',
      over: 'expired',
      wrongAsset: 'expired',
      bundled: 'paid',
      ...(asset === 'ETH' && { inside: 'paid' }),
    });
    expect({ network, asset, ...(await ends(tagged)) }).toEqual({
      network,
      asset,
      whole: 'paid',
      parts: 'paid',
      short: 'refund_required underpaid',
      over: 'paid',
      late: 'refund_required paid_late',
      twice: 'paid',
      wrongAsset: 'expired',
    });
    expect({ network, asset, ...(await ends(thieves)) }).toEqual({
      network,
      asset,
      ofAHash: 'expired',
      besideTheCall: 'expired',
      behindTheBundle: 'expired',
    });
  }
  // Another supported coin that is also read is listed; an unsupported coin is not.
  for (const { network, asset, address } of all) {
    const { data } = await app.merchant.live.get('/transfers', { unattributed: 'true', limit: 100 });
    const reasons = data
      .filter((transfer: Data) => transfer.to === address)
      .map((transfer: Data) => transfer.reason)
      .sort();
    expect({ network, asset, reasons }).toEqual({
      network,
      asset,
      reasons: [
        'already_paid',
        'already_paid',
        'no_match',
        'no_match',
        ...(otherTokens(network, asset).length > 0 ? ['other_asset', 'other_asset'] : []),
      ],
    });
  }
  await expectOnce();
}, 300_000);

interface Order {
  due: bigint;
  tag: Uint8Array;
  send(amount: bigint, tag?: Uint8Array): Promise<string>;
  /** The same amount of another coin. */
  sendOther(amount: bigint, tag?: Uint8Array): Promise<string>;
  /** Through a contract, with one tag right after the call and another after everything. */
  sendBundled(amount: bigint, beside: Uint8Array, behind: Uint8Array): Promise<string>;
  /** An internal Ether transfer, which has no log. */
  sendInside(amount: bigint): Promise<string>;
  missing(): Promise<bigint>;
  paidBy(): Promise<string>;
  /** Submits a transaction for its own session, as anyone who reads the chain can; returns the response's status. */
  name(txHash: string): Promise<number>;
  /** Its status, and the reason if it failed. */
  end(): Promise<string>;
}

const EXACT = ['whole', 'parts', 'twice', 'late', 'short', 'over', 'wrongAsset', 'bundled'] as const;
const TAGGED = ['whole', 'parts', 'short', 'over', 'late', 'twice', 'wrongAsset'] as const;
const THIEVES = ['ofAHash', 'besideTheCall', 'behindTheBundle'] as const;

async function openShop(network: Evm, asset: AssetSymbol) {
  const address = getAddress(toHex(randomBytes(20)));
  const wallet = await app.merchant.live.createWallet({ asset, network, address });
  const orders = async <Name extends string>(names: readonly Name[]) => {
    const made: [Name, Order][] = [];
    for (const name of names) made.push([name, await order(network, asset, wallet)]);
    return Object.fromEntries(made) as Record<Name, Order>;
  };
  const exact: Record<(typeof EXACT)[number], Order> & { inside?: Order } = await orders(EXACT);
  if (asset === 'ETH') exact.inside = await order(network, asset, wallet);
  return { network, asset, address, exact, tagged: await orders(TAGGED), thieves: await orders(THIEVES) };
}

async function order(network: Evm, asset: AssetSymbol, wallet: Data): Promise<Order> {
  const { live } = app.merchant;
  const session = await live.createSession({ payout_wallet_id: wallet.id, amount: '40.00', expires_in: 3600 });
  const shown = async () => (await app.inject('GET', `/v1/public/checkout/sessions/${session.id}`)).body.data;
  const { body } = await app.inject('POST', `/v1/public/checkout/sessions/${session.id}/pay`, {
    body: { pay_asset: asset, pay_network: network },
  });
  const units = (text: string) => BigInt(text.replace('.', ''));
  const chain = chains[network];
  const to = wallet.address as Address;
  const payer = chain.accounts[2]?.address as Address;
  const { batcher, forwarder, strange } = contracts[network];
  const [own, other] = [asset, otherTokens(network, asset)[0] ?? asset].map((symbol) => tokens[network][symbol]);
  const sendToken = (token: Address, amount: bigint, tag?: Uint8Array) =>
    chain.transferErc20({ token, to, amount, from: payer, ...(tag && { tag }) });
  return {
    due: units(body.data.payment.amount),
    tag: Buffer.from(body.data.payment.tag.slice(2), 'hex'),
    send: (amount, tag) =>
      asset === 'ETH'
        ? chain.sendEth({ to, amount, from: payer, ...(tag && { data: bytesToHex(tag) }) })
        : sendToken(own as Address, amount, tag),
    sendOther(amount, tag) {
      return sendToken(
        otherTokens(network, asset).length > 0 ? (other as Address) : strange,
        asset === 'ETH' ? 40_000_000n : amount,
        tag,
      );
    },
    sendBundled: (amount, beside, behind) =>
      chain.batch(
        batcher,
        [
          asset === 'ETH'
            ? { target: to, value: amount, data: bytesToHex(beside) }
            : { target: own as Address, data: transferCalldata(to, amount, beside) },
        ],
        { tag: behind },
      ),
    sendInside: (amount) =>
      chain.sendEth({ to: forwarder, amount, from: payer, data: calldata('Forwarder', 'forward', [to]) }),
    missing: async () => units((await shown()).payment.amount_due),
    paidBy: async () => (await shown()).payment.tx_hashes[0],
    name: async (txHash) =>
      (
        await app.inject('POST', `/v1/public/checkout/sessions/${session.id}/transactions`, {
          body: { tx_hash: txHash },
        })
      ).status,
    async end() {
      const { status, payment } = await shown();
      return [status, payment.failure_reason].filter(Boolean).join(' ');
    },
  };
}

function decimalsOf(symbol: string, network: string): bigint {
  return BigInt(findAsset(symbol, network)?.decimals ?? 0);
}

/** No status occurs twice, and no transfer pays two payments. */
async function expectOnce(): Promise<void> {
  const twice = await ctx.db.query(
    'test_reported_twice',
    `select object_id, type from events where livemode group by object_id, type having count(*) > 1`,
  );
  expect(twice).toEqual([]);
  const shared = await ctx.db.query(
    'test_paid_twice',
    `
    select hash from payments p, unnest(p.tx_hashes) as hash where p.livemode group by hash having count(*) > 1`,
  );
  expect(shared).toEqual([]);
}

/** Until all transfers are final on every network. */
async function settle(): Promise<void> {
  // Blocks that are mined at once run ahead of the clock by a second each.
  for (let minutes = -1; minutes <= 4; minutes += 1) {
    const then = later(await ctx.db.now(), minutes * MINUTE_MS);
    await ratesJob.run({ ...ctx, db: { ...ctx.db, now: async () => then } }, new AbortController().signal, () => {});
  }
  await Promise.all(
    NETWORKS.map(async (network) => {
      await chains[network].mine(CONFIRMATIONS);
      while ((await tick(ctx, network, watcher)) === 'more');
    }),
  );
}

async function pass(seconds: number): Promise<void> {
  offsetMs += seconds * 1000;
  for (const network of NETWORKS) {
    await chains[network].rpc('evm_increaseTime', [toHex(seconds)]);
    await chains[network].mine();
  }
}
