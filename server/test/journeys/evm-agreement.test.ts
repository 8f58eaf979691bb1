import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type BlockRef, type Chain, ReorgError, type Transfer } from '../../src/outside/chains/chain.ts';
import { startAnvil, type TestChain } from '../support/anvil.ts';
import { type RpcProxy, startRpcProxy } from '../support/evm-rpc-proxy.ts';
import { asRef, createEvmChain, READS_WHOLE_BLOCKS, TOKEN_CONTRACT } from '../support/row.ts';

const ALICE = '0x00000000000000000000000000000000000A11cE';
const WATCHING = { addresses: new Set([ALICE]) };

let anvil: TestChain;
let token: `0x${string}`;
let start: BlockRef;
let one: RpcProxy;
let two: RpcProxy;
let chain: Chain;
let nowMs = 0;

beforeAll(async () => {
  anvil = await startAnvil();
  token = await anvil.deployToken({ contract: TOKEN_CONTRACT });
});

afterAll(() => anvil.stop());

beforeEach(async () => {
  start = asRef(await anvil.head());
  one = await startRpcProxy(anvil.url);
  two = await startRpcProxy(anvil.url);
  nowMs = 0;
  chain = open();
});

afterEach(async () => {
  await chain.close();
  await Promise.all([one.stop(), two.stop()]);
});

function open(): Chain {
  return createEvmChain(
    {
      network: 'base',
      rpcUrls: [one.url, two.url],
      chainId: anvil.chainId,
      tokens: { USDC: token },
      // No pause in real time, in which these minutes would pass unasked.
      tuning: { deadlineMs: 1_000, pauseMs: { first: 0, longest: 0 }, nowMs: () => nowMs },
    },
    pino({ level: 'silent' }),
  );
}

async function pay(): Promise<Transfer> {
  await anvil.transferErc20({ token, to: ALICE, amount: 10n });
  const { transfers } = await chain.read({
    after: start,
    until: await chain.head('first'),
    watching: WATCHING,
    pass: 'first',
  });
  return transfers[0] as Transfer;
}

/** Asks once a minute, because a provider that is asked less often is not known to be unreachable. */
async function failFor(minutes: number, ask: () => Promise<unknown>): Promise<void> {
  for (let minute = 0; minute < minutes; minute += 1) {
    await ask();
    nowMs += 60_000;
  }
}

test('two providers that say the same are both named', async () => {
  const verdict = await chain.check(await pay(), WATCHING);
  expect(verdict).toMatchObject({ type: 'stands', providers: [new URL(one.url).host, new URL(two.url).host] });
});

test('a provider that fails is not among those that agree, and how long it has failed comes with the verdict', async () => {
  const transfer = await pay();
  two.suffer('http_500');
  const verdict = () => chain.check(transfer, WATCHING);
  expect(await verdict()).toMatchObject({
    type: 'stands',
    providers: [new URL(one.url).host],
    alone: { unreachable: [{ provider: new URL(two.url).host, forMs: 0 }] },
  });
  await failFor(12, verdict);
  expect(await verdict()).toMatchObject({ alone: { unreachable: [{ forMs: 12 * 60_000 }] } });
});

test('a provider that answers once in a while is never unreachable for long', async () => {
  const transfer = await pay();
  for (let round = 0; round < 3; round += 1) {
    two.suffer('http_500');
    await failFor(9, () => chain.check(transfer, WATCHING));
    two.suffer(null);
    expect(await chain.check(transfer, WATCHING)).toMatchObject({ type: 'stands', alone: null });
  }
  two.suffer('http_500');
  expect(await chain.check(transfer, WATCHING)).toMatchObject({ alone: { unreachable: [{ forMs: 0 }] } });
});

test('a provider that failed hours ago and was not called since is not unreachable after one more failure', async () => {
  const transfer = await pay();
  two.suffer('http_500');
  await chain.check(transfer, WATCHING);
  nowMs += 3 * 3_600_000;
  expect(await chain.check(transfer, WATCHING)).toMatchObject({ alone: { unreachable: [{ forMs: 0 }] } });
});

test('a provider that lags makes the other one wait, however long it lags', async () => {
  const transfer = await pay();
  two.suffer('stale_head');
  for (let minute = 0; minute < 30; minute += 1) {
    nowMs += 60_000;
    await chain.head('second').catch(() => {});
    expect(await chain.check(transfer, WATCHING)).toMatchObject({
      type: 'wait',
      details: expect.stringContaining('does not have block'),
    });
  }
});

test('three providers, one of which lies: the two others decide', async () => {
  await using three = await startRpcProxy(anvil.url);
  const transfer = await pay();
  const names = [one, two, three].map(({ url }) => new URL(url).host);
  await using stack = new AsyncDisposableStack();
  const many = createEvmChain(
    {
      network: 'base',
      rpcUrls: [one.url, two.url, three.url],
      chainId: anvil.chainId,
      tokens: { USDC: token },
      tuning: { deadlineMs: 1_000, pauseMs: { first: 1, longest: 2 } },
    },
    pino({ level: 'silent' }),
  );
  stack.defer(() => many.close());
  two.suffer('flipped_receipts');
  expect(await many.check(transfer, WATCHING)).toMatchObject({
    type: 'stands',
    providers: [names[0], names[2]],
    alone: null,
  });
  two.suffer('stale_head');
  expect(await many.check(transfer, WATCHING)).toMatchObject({
    type: 'stands',
    providers: [names[0], names[2]],
    alone: null,
  });

  one.forge = { token, to: ALICE, amountUnits: 1_000_000n };
  one.suffer('forged_transfer');
  two.suffer(null);
  await anvil.mine();
  const { transfers } = await many.read({
    after: start,
    until: await many.head('first'),
    watching: WATCHING,
    pass: 'first',
  });
  const lie = transfers.find(({ amountUnits }) => amountUnits === 1_000_000n);
  expect(lie === undefined).toBe(READS_WHOLE_BLOCKS);
  if (lie) expect(await many.check(lie, WATCHING)).toEqual({ type: 'gone' });
});

test('three providers, one of which does not answer: the verdict does not wait for its deadline', async () => {
  await using three = await startRpcProxy(anvil.url);
  const transfer = await pay();
  const many = createEvmChain(
    { network: 'base', rpcUrls: [one.url, two.url, three.url], chainId: anvil.chainId, tokens: { USDC: token } },
    pino({ level: 'silent' }),
  );
  three.suffer('timeout');
  const startedAtMs = performance.now();
  expect(await many.check(transfer, WATCHING)).toMatchObject({ type: 'stands', alone: null });
  expect(performance.now() - startedAtMs).toBeLessThan(6_000);
  await many.close();
});

test('a transfer that one provider invented is a disagreement, never one witness and one silence', async () => {
  one.forge = { token, to: ALICE, amountUnits: 1_000_000n };
  one.suffer('forged_transfer');
  await anvil.mine();
  const { transfers } = await chain.read({
    after: start,
    until: await chain.head('first'),
    watching: WATCHING,
    pass: 'first',
  });

  if (READS_WHOLE_BLOCKS) return expect(transfers).toEqual([]);
  expect(transfers).toMatchObject([{ amountUnits: 1_000_000n }]);
  expect(await chain.check(transfers[0] as Transfer, WATCHING)).toMatchObject({
    type: 'disagree',
    details: expect.stringContaining('nor is it in block'),
  });
});

test('a receipt that one provider turned over is a disagreement', async () => {
  const transfer = await pay();
  two.suffer('flipped_receipts');
  expect(await chain.check(transfer, WATCHING)).toMatchObject({
    type: 'disagree',
    details: expect.stringContaining('reverted'),
  });
});

test('a reference that one provider wrote into a transaction is a disagreement', async () => {
  one.suffer('forged_tags');
  const transfer = await pay();
  expect(transfer.carried).toHaveLength(1);
  expect(await chain.check(transfer, WATCHING)).toMatchObject({
    type: 'disagree',
    details: expect.stringContaining('does not carry the reference'),
  });
});

test('the head that comes with a verdict is the lower one of two providers', async () => {
  const transfer = await pay();
  await anvil.mine(60);
  two.suffer('stale_head');
  const { number } = await anvil.head();
  expect(await chain.check(transfer, WATCHING)).toMatchObject({ type: 'stands', head: { number: number - 50n } });
});

test('a transfer is not gone because one provider says so while the other fails, but is once that has lasted ten minutes', async () => {
  const transfer = await pay();
  await anvil.reorg(1);
  two.suffer('http_500');
  await failFor(9, () => chain.check(transfer, WATCHING));
  expect(await chain.check(transfer, WATCHING)).toMatchObject({ type: 'unknown' });
  await failFor(1, () => chain.check(transfer, WATCHING));
  const [provider, unreachable] = chain.health().providers.map(({ name }) => name);
  expect(await chain.check(transfer, WATCHING)).toEqual({
    type: 'gone',
    alone: { provider, unreachable: [unreachable] },
  });
});

test('a provider alone on another branch stops no pass of the others, and of two the second pass goes with its own', async () => {
  await using three = await startRpcProxy(anvil.url);
  await anvil.mine(3);
  const { number, hash, time } = asRef(await anvil.head());
  const after: BlockRef = asRef({
    number: number - 1n,
    hash: (await anvil.rpc<{ hash: string }>('eth_getBlockByNumber', [`0x${(number - 1n).toString(16)}`, false])).hash,
    time,
  });
  const until = { number, hash, time, safe: null, finalized: null };
  const tuning = { deadlineMs: 1_000, pauseMs: { first: 1, longest: 2 } };
  await using stack = new AsyncDisposableStack();
  const openWith = (rpcUrls: string[]) => {
    const opened = createEvmChain(
      { network: 'base', rpcUrls, chainId: anvil.chainId, tokens: { USDC: token }, tuning },
      pino({ level: 'silent' }),
    );
    stack.defer(() => opened.close());
    return opened;
  };
  one.suffer('contradicting_blocks');
  const [pair, triple] = [openWith([one.url, two.url]), openWith([one.url, two.url, three.url])];
  expect(await triple.read({ after, until, watching: WATCHING, pass: 'first' })).toMatchObject({ covered: { hash } });
  expect(await pair.read({ after, until, watching: WATCHING, pass: 'first' })).toMatchObject({
    covered: { hash },
    provider: new URL(two.url).host,
  });

  // The second pass of this pair uses the contradicting provider, and follows its reports.
  const turned = openWith([two.url, one.url]);
  await expect(turned.read({ after, until, watching: WATCHING, pass: 'second' })).rejects.toThrow(ReorgError);
});

test('a third provider costs nothing while blocks are read: each pass asks one provider', async () => {
  await using three = await startRpcProxy(anvil.url);
  await using stack = new AsyncDisposableStack();
  const many = createEvmChain(
    { network: 'base', rpcUrls: [one.url, two.url, three.url], chainId: anvil.chainId, tokens: { USDC: token } },
    pino({ level: 'silent' }),
  );
  stack.defer(() => many.close());
  await anvil.transferErc20({ token, to: ALICE, amount: 10n });
  await anvil.mine(5);
  for (const pass of ['first', 'second'] as const) {
    const { transfers } = await many.read({ after: start, until: await many.head(pass), watching: WATCHING, pass });
    expect(transfers).toHaveLength(1);
  }
  const calls = (proxy: RpcProxy) => [...proxy.heard.values()].reduce((sum, count) => sum + count, 0);
  expect(calls(three)).toBe(0);
  expect(Math.abs(calls(one) - calls(two))).toBeLessThanOrEqual(1);
});

test('no answer from any provider is unknown, never gone', async () => {
  const transfer = await pay();
  one.suffer('timeout');
  two.suffer('garbage_json');
  expect(await chain.check(transfer, WATCHING)).toMatchObject({ type: 'unknown' });
});

test('a hint is looked up with every provider before it is unknown', async () => {
  const transfer = await pay();
  one.suffer('stale_head');
  expect(await chain.transaction(transfer.txHash, WATCHING)).toMatchObject({
    reverted: null,
    transfers: [{ txHash: transfer.txHash }],
  });
  expect(await chain.transaction('not a hash', WATCHING)).toBeUndefined();
  expect(chain.health().providers.every((provider) => provider.healthy)).toBe(true);
});

test('a hint that no provider can make sense of is held against none of them: a stranger wrote it', async () => {
  const transfer = await pay();
  for (const bad of [one, two]) bad.suffer('wrong_shapes');
  await expect(chain.transaction(transfer.txHash, WATCHING)).rejects.toThrow();
  expect(chain.health().providers.every((provider) => provider.healthy)).toBe(true);
});
