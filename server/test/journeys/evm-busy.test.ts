import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { BlockRef, Chain, Reading } from '../../src/outside/chains/chain.ts';
import { createEvmChain } from '../../src/outside/chains/evm/chain.ts';
import { startAnvil, type TestChain } from '../support/anvil.ts';
import { type RpcProxy, startRpcProxy } from '../support/evm-rpc-proxy.ts';

const EXCHANGE = '0x00000000000000000000000000000000000A11cE';
const SHOP = '0x0000000000000000000000000000000000000B0b';
const WATCHING = { addresses: new Set([EXCHANGE, SHOP]) };
const TRANSFERS = 200;
/** The chain id, the starting block, the last one before and after, and the logs or the block itself. */
const MAX_CALLS = 10;

let anvil: TestChain;
let token: `0x${string}`;
let proxy: RpcProxy;
let chain: Chain;
let start: BlockRef;

beforeAll(async () => {
  anvil = await startAnvil();
  token = await anvil.deployToken();
  await anvil.deploy('Balances', [], { at: '0xcA11bde05977b3631167028862bE2a173976CA11' });
});

afterAll(() => anvil.stop());

beforeEach(async () => {
  proxy = await startRpcProxy(anvil.url);
  start = await anvil.head();
});

afterEach(async () => {
  await chain.close();
  await proxy.stop();
});

describe('a block with 200 transfers to one watched address', () => {
  test(`costs at most ${MAX_CALLS} calls, and every transfer is read`, async () => {
    const sent = await payTokens(TRANSFERS);
    const { transfers } = await read('base');
    expect(transfers.map((transfer) => transfer.txHash).toSorted()).toEqual(sent.toSorted());
    expect(new Set(transfers.map(({ asset, to, amountUnits }) => `${asset} ${to} ${amountUnits}`))).toEqual(
      new Set([`USDC ${EXCHANGE} 7`]),
    );
    expect(calls()).toBeLessThanOrEqual(MAX_CALLS);
  });

  test(`costs at most ${MAX_CALLS} calls where the native coin is received as well`, async () => {
    const sent = [...(await payTokens(TRANSFERS / 2)), ...(await payNative(TRANSFERS / 2))];
    const { transfers } = await read('ethereum');
    expect(transfers.map((transfer) => transfer.txHash).toSorted()).toEqual(sent.toSorted());
    expect(calls()).toBeLessThanOrEqual(MAX_CALLS + 2);
  });

  test('is read transaction by transaction where the provider does not serve whole blocks, which is not tried again for ten minutes', async () => {
    proxy.refused = ['eth_getBlockReceipts'];
    for (const tries of [1, 1]) {
      start = await anvil.head();
      const sent = await payTokens(20);
      const { transfers } = await read('base');
      expect(transfers.map((transfer) => transfer.txHash).toSorted()).toEqual(sent.toSorted());
      expect(proxy.heard.get('eth_getBlockReceipts')).toBe(tries);
    }
  });

  test('is read transaction by transaction where the answer is refused for its size, and the next one is tried again', async () => {
    proxy.maxReceipts = 10;
    for (const tries of [1, 2]) {
      start = await anvil.head();
      const sent = await payTokens(20);
      expect((await read('base')).transfers.map((transfer) => transfer.txHash).toSorted()).toEqual(sent.toSorted());
      expect(proxy.heard.get('eth_getBlockReceipts')).toBe(tries);
    }
  });

  test.each(['base', 'ethereum'] as const)(
    'on %s it is not read from a provider that denies it or contradicts itself',
    async (network) => {
      await payTokens(20);
      for (const fault of ['flipped_receipts', 'contradicting_blocks'] as const) {
        proxy.suffer(fault);
        await expect(read(network)).rejects.toThrow();
        proxy.suffer(null);
      }
      await expect
        .poll(() =>
          read(network).then(
            ({ transfers }) => transfers.length,
            () => 0,
          ),
        )
        .toBe(20);
    },
  );
});

describe('an ordinary block costs no more calls than one question for each transaction and its receipt', () => {
  test.each([
    [1, 6],
    [3, 10],
    [8, 20],
  ])('%i token transfers: %i calls', async (transfers, most) => {
    await payTokens(transfers);
    expect((await read('base')).transfers).toHaveLength(transfers);
    expect(calls()).toBe(most);
    expect(proxy.heard.get('eth_getBlockReceipts')).toBeUndefined();
  });

  test.each([
    [1, 9],
    [8, 16],
  ])('%i native transfers: %i calls', async (transfers, most) => {
    await payNative(transfers);
    expect((await read('ethereum')).transfers).toHaveLength(transfers);
    expect(calls()).toBe(most);
  });
});

/** One block with this number of payments to the exchange, each in its own transaction. */
async function payTokens(count: number): Promise<string[]> {
  const payers = anvil.accounts.slice(1);
  const hashes: string[] = [];
  for (let at = 0; at < count; at += 1) {
    hashes.push(
      await anvil.transferErc20({
        token,
        to: EXCHANGE,
        from: payers[at % payers.length]?.address ?? EXCHANGE,
        amount: 7n,
        mine: false,
        gas: 100_000n,
      }),
    );
  }
  await anvil.mine();
  return hashes;
}

async function payNative(count: number): Promise<string[]> {
  const payers = anvil.accounts.slice(1);
  const hashes: string[] = [];
  for (let at = 0; at < count; at += 1) {
    hashes.push(
      await anvil.sendEth({
        to: EXCHANGE,
        from: payers[at % payers.length]?.address ?? EXCHANGE,
        amount: 7n,
        mine: false,
        gas: 21_000n,
      }),
    );
  }
  await anvil.mine();
  return hashes;
}

async function read(network: 'base' | 'ethereum'): Promise<Reading> {
  chain = open(network);
  const head = { ...(await anvil.head()), safe: null, finalized: null };
  return chain.read({ after: start, until: head, watching: WATCHING, pass: 'first' });
}

const opened = new Map<string, Chain>();

function open(network: 'base' | 'ethereum'): Chain {
  const key = `${network} ${proxy.url}`;
  const known = opened.get(key);
  if (known) return known;
  const made = createEvmChain(
    {
      network,
      rpcUrls: [proxy.url],
      chainId: 31_337,
      tokens: { USDC: token },
      tuning: { pauseMs: { first: 1, longest: 5 }, deadlineMs: 30_000 },
    },
    pino({ level: 'silent' }),
  );
  opened.set(key, made);
  return made;
}

function calls(): number {
  return [...proxy.heard.values()].reduce((a, b) => a + b, 0);
}
