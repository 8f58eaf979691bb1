import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BlockRef, Chain, Reading } from '../../src/outside/chains/chain.ts';
import { createSolanaChain, type SolanaChainOptions } from '../../src/outside/chains/solana/chain.ts';
import { startSolana, type TestSolana } from '../support/solana/index.ts';
import { type SolanaRpcProxy, startSolanaRpcProxy } from '../support/solana/rpc-proxy.ts';

type Tuning = SolanaChainOptions['tuning'];

const BY_BLOCKS = { wholeBlocksAbove: 0, historiesPerBlock: 0 };

let cluster: TestSolana;
let usdc: string;
let exchange: string;
let shop: string;

beforeAll(async () => {
  cluster = await startSolana();
  usdc = await cluster.createMint();
  [exchange, shop] = [(await cluster.newWallet()).address, (await cluster.newWallet()).address];
});
afterAll(() => cluster.stop());

describe('a slot with 200 transfers to one watched address', () => {
  test.each<[string, Tuning, number]>([
    ['wallet by wallet', {}, 18],
    ['by whole blocks', BY_BLOCKS, 10],
  ])('read %s costs at most a few calls, and every transfer is read', async (_, tuning, most) => {
    const before = cluster.head();
    const sent = await pay(exchange, 200);
    cluster.finalize();
    await using reader = await follow(tuning);
    await reader.toTheEnd(before);
    expect([...reader.found].toSorted()).toEqual([...sent].toSorted());
    expect(reader.calls()).toBeLessThanOrEqual(most);
  });

  test.each<[string, Tuning]>([
    ['wallet by wallet', {}],
    ['by whole blocks', BY_BLOCKS],
  ])('read %s is not believed where the provider contradicts itself', async (_, tuning) => {
    const before = cluster.head();
    await pay(exchange, 20);
    cluster.finalize();
    for (const fault of ['contradicting_blocks', 'null_transactions'] as const) {
      await using reader = await follow(tuning);
      reader.proxy.suffer(fault);
      await expect(reader.toTheEnd(before)).rejects.toThrow();
    }
  });
});

test.each<[string, Tuning, number]>([
  ['wallet by wallet', {}, 19],
  ['by whole blocks', BY_BLOCKS, 12],
])('ordinary slots read %s cost no more calls than one question for each transaction', async (_, tuning, most) => {
  const before = cluster.head();
  for (let at = 0; at < 3; at += 1) await cluster.transferSol({ to: shop, amount: 900_000n });
  cluster.finalize();
  await using reader = await follow(tuning);
  await reader.toTheEnd(before);
  expect(reader.found.size).toBe(3);
  expect(reader.calls()).toBe(most);
});

test('a transfer that was reported before it is finalized is read once more when it is, and not at every poll', async () => {
  const before = cluster.head();
  const watching = { addresses: new Set([exchange, shop]) };
  for (let at = 0; at < 3; at += 1) await cluster.transferSol({ to: shop, amount: 900_000n, close: at === 2 });
  await using reader = await follow({});
  const look = async () =>
    (await reader.chain.read({ after: before, until: await reader.chain.head('first'), watching, pass: 'first' }))
      .transfers.length;
  expect(await look()).toBe(3);
  for (let slot = 0; slot < 3; slot += 1) {
    cluster.slots(1);
    expect(await look()).toBe(0);
  }
  expect(reader.proxy.heard.get('getTransaction')).toBe(3);
  cluster.finalize();
  expect(await look()).toBe(3);
});

describe('a wallet with a very long history', () => {
  test('is read by whole blocks where most slots hold something of it, and others are seen meanwhile', async () => {
    const before = cluster.head();
    await using reader = await follow({ maxHistoryPages: 1 });
    for (let slot = 0; slot < 40; slot += 1) await pay(exchange, 40);
    const last = await cluster.transferSol({ to: shop, amount: 900_000n });
    cluster.finalize();

    const readings = await reader.toTheEnd(before);

    expect(reader.found.size).toBe(40 * 40 + 1);
    // Two pages of the long history, once per pass, and no more: the rest comes from blocks.
    expect(reader.proxy.heard.get('getSignaturesForAddress')).toBeLessThan(40);
    expect(
      readings.findIndex((reading) => reading.transfers.some((transfer) => transfer.txHash === last)),
    ).toBeLessThanOrEqual(1);
    expect(readings.length).toBeGreaterThan(4);
  });

  test('is read in parts where it is sparse, and no more of it is held than a part', async () => {
    const before = cluster.head();
    await using reader = await follow({ maxHistoryPages: 1, maxHistoryEntries: 400 });
    for (let at = 0; at < 1_500; at += 1) {
      await cluster.transferSol({ to: exchange, amount: 900_000n, close: false });
      cluster.slots(1, { skip: 1 });
    }
    cluster.finalize();

    const readings = await reader.toTheEnd(before);

    expect(reader.found.size).toBe(1_500);
    // Listed again for each part.
    expect(reader.proxy.heard.get('getSignaturesForAddress')).toBeGreaterThan(20);
    expect(readings.length).toBeGreaterThan(5);
  });

  test('does not delay a payment to another address until all of it is read', async () => {
    const before = cluster.head();
    await using reader = await follow({});
    for (let slot = 0; slot < 15; slot += 1) await pay(exchange, 60);
    const last = await cluster.transferSol({ to: shop, amount: 900_000n });
    cluster.finalize();

    const readings = await reader.toTheEnd(before);

    expect(readings.length).toBeGreaterThan(3);
    expect(readings[0]?.transfers.map((transfer) => transfer.txHash)).toContain(last);
    expect(reader.found.size).toBe(15 * 60 + 1);
  });
});

/** One slot with this number of payments. */
async function pay(to: string, count: number): Promise<Set<string>> {
  const sent = new Set<string>();
  for (let at = 0; at < count; at += 1)
    sent.add(await cluster.transferSol({ to, amount: 900_000n, close: at === count - 1 }));
  return sent;
}

interface Reader extends AsyncDisposable {
  chain: Chain;
  proxy: SolanaRpcProxy;
  found: Set<string>;
  calls(): number;
  toTheEnd(from: BlockRef): Promise<Reading[]>;
}

/** Reads until the head. No unread range is ever covered. */
async function follow(tuning: Tuning): Promise<Reader> {
  const proxy = await startSolanaRpcProxy(cluster.url);
  const chain = createSolanaChain(
    {
      rpcUrls: [proxy.url],
      genesisHash: cluster.genesisHash,
      tokens: { USDC: usdc },
      tuning: {
        pauseMs: { first: 1, longest: 2 },
        deadlineMs: 30_000,
        historiesPerSecond: Number.POSITIVE_INFINITY,
        ...tuning,
      },
    },
    pino({ level: 'silent' }),
  );
  const found = new Set<string>();
  return {
    chain,
    proxy,
    found,
    // The proof of the chain travels in the same requests.
    calls: () => [...proxy.heard].reduce((sum, [method, count]) => sum + (method === 'getGenesisHash' ? 1 : count), 0),
    async toTheEnd(from) {
      const readings: Reading[] = [];
      const end = cluster.ledger.at('finalized').slot;
      for (let after = from; after.number < end; ) {
        if (readings.length > 300) throw new Error(`not past slot ${after.number} of ${end}`);
        const reading = await chain.read({
          after,
          until: await chain.head('first'),
          watching: { addresses: new Set([exchange, shop]) },
          pass: 'first',
        });
        for (const { txHash } of reading.transfers) found.add(txHash);
        expect(paidBetween(from.number, reading.covered.number).filter((signature) => !found.has(signature))).toEqual(
          [],
        );
        readings.push(reading);
        after = reading.covered;
      }
      return readings;
    },
    async [Symbol.asyncDispose]() {
      await chain.close();
      await proxy.stop();
    },
  };
}

/** The ledger's payments to the watched wallets. */
function paidBetween(after: bigint, upTo: bigint): string[] {
  return [exchange, shop]
    .flatMap((wallet) => cluster.ledger.byAddress.get(wallet) ?? [])
    .filter((transaction) => transaction.slot > after && transaction.slot <= upTo)
    .map((transaction) => transaction.signature);
}
