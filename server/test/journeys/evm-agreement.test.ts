import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { BlockRef, Chain, Transfer } from '../../src/outside/chains/chain.ts';
import { createEvmChain } from '../../src/outside/chains/evm/chain.ts';
import { startAnvil, type TestChain } from '../support/anvil.ts';
import { type RpcProxy, startRpcProxy } from '../support/evm-rpc-proxy.ts';

const ALICE = '0x00000000000000000000000000000000000A11cE';
const WATCHING = { addresses: new Set([ALICE]) };

let anvil: TestChain;
let token: `0x${string}`;
let start: BlockRef;
let one: RpcProxy;
let two: RpcProxy;
let chain: Chain;

beforeAll(async () => {
  anvil = await startAnvil();
  token = await anvil.deployToken();
});

afterAll(() => anvil.stop());

beforeEach(async () => {
  start = await anvil.head();
  one = await startRpcProxy(anvil.url);
  two = await startRpcProxy(anvil.url);
  chain = open(60_000);
});

afterEach(async () => {
  await chain.close();
  await Promise.all([one.stop(), two.stop()]);
});

function open(silentForGoodMs: number): Chain {
  return createEvmChain({
    network: 'base', rpcUrls: [one.url, two.url], chainId: anvil.chainId, tokens: { USDC: token },
    tuning: { deadlineMs: 200, pauseMs: { first: 1, longest: 2 }, silentForGoodMs },
  }, pino({ level: 'silent' }));
}

async function pay(): Promise<Transfer> {
  await anvil.transferErc20({ token, to: ALICE, amount: 10n });
  const { transfers } = await chain.read(start, await chain.head('first'), WATCHING, 'first');
  return transfers[0] as Transfer;
}

test('two providers that say the same are both named', async () => {
  const verdict = await chain.check(await pay(), WATCHING, { agreement: true });
  expect(verdict).toMatchObject({ type: 'stands', providers: [new URL(one.url).host, new URL(two.url).host] });
});

test('without need of agreement one is asked', async () => {
  const verdict = await chain.check(await pay(), WATCHING, { agreement: false });
  expect(verdict).toMatchObject({ type: 'stands', providers: [new URL(one.url).host] });
});

test('a silent provider is not among the witnesses', async () => {
  const transfer = await pay();
  two.suffer('http_500');
  expect(await chain.check(transfer, WATCHING, { agreement: true })).toMatchObject({ type: 'stands', providers: [new URL(one.url).host] });
});

test('a transfer that one provider invented is a disagreement, never one witness and one silence', async () => {
  one.forge = { token, to: ALICE, amountUnits: 1_000_000n };
  one.suffer('forged_transfer');
  await anvil.mine();
  const { transfers } = await chain.read(start, await chain.head('first'), WATCHING, 'first');

  expect(transfers).toMatchObject([{ amountUnits: 1_000_000n }]);
  expect(await chain.check(transfers[0] as Transfer, WATCHING, { agreement: true })).toMatchObject({ type: 'disagree', details: expect.stringContaining('nor is it in block') });
});

test('a receipt that one provider turned over is a disagreement', async () => {
  const transfer = await pay();
  two.suffer('flipped_receipts');
  expect(await chain.check(transfer, WATCHING, { agreement: true })).toMatchObject({ type: 'disagree', details: expect.stringContaining('reverted') });
});

test('a reference that one provider wrote into a transaction is a disagreement', async () => {
  one.suffer('forged_tags');
  const transfer = await pay();
  expect(transfer.carried).toHaveLength(1);
  expect(await chain.check(transfer, WATCHING, { agreement: true })).toMatchObject({ type: 'disagree', details: expect.stringContaining('does not carry the reference') });
});

test('the head that comes with a verdict is the lowest that its witnesses tell', async () => {
  const transfer = await pay();
  await anvil.mine(60);
  two.suffer('stale_head');
  const { number } = await anvil.head();
  expect(await chain.check(transfer, WATCHING, { agreement: true })).toMatchObject({ type: 'stands', head: { number: number - 50n } });
});

test('a transfer is not gone on one word while the other provider is silent, but is once the silence has lasted', async () => {
  const transfer = await pay();
  await anvil.reorg(1);
  two.suffer('http_500');
  expect(await chain.check(transfer, WATCHING, { agreement: true })).toMatchObject({ type: 'unknown' });

  await chain.close();
  chain = open(0);
  await chain.check(transfer, WATCHING, { agreement: true });
  expect(await chain.check(transfer, WATCHING, { agreement: true })).toEqual({ type: 'gone' });
});

test('nobody answering is unknown, never gone', async () => {
  const transfer = await pay();
  one.suffer('timeout');
  two.suffer('garbage_json');
  expect(await chain.check(transfer, WATCHING, { agreement: true })).toMatchObject({ type: 'unknown' });
});

test('a hint is looked up with every provider before it is unknown', async () => {
  const transfer = await pay();
  one.suffer('stale_head');
  expect(await chain.transaction(transfer.txHash, WATCHING)).toMatchObject({ reverted: null, transfers: [{ txHash: transfer.txHash }] });
  expect(await chain.transaction('not a hash', WATCHING)).toBeUndefined();
  expect(chain.health().providers.every((provider) => provider.healthy)).toBe(true);
});

test('a hint that no provider can make sense of is held against none of them: a stranger wrote it', async () => {
  const transfer = await pay();
  for (const bad of [one, two]) bad.suffer('wrong_shapes');
  await expect(chain.transaction(transfer.txHash, WATCHING)).rejects.toThrow();
  expect(chain.health().providers.every((provider) => provider.healthy)).toBe(true);
});
