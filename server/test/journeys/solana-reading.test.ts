import { PAY_ASSETS } from '@quittance/contract';
import { base58 } from '@scure/base';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type BlockRef,
  type Chain,
  type Head,
  type Reading,
  ReorgError,
  type Transfer,
  type Watching,
} from '../../src/outside/chains/chain.ts';
import { startSolana, type TestSolana } from '../support/solana/index.ts';
import { startSolanaRpcProxy } from '../support/solana/rpc-proxy.ts';
import { coinOf, createSolanaChain } from '../support/row.ts';

let cluster: TestSolana;
let usdc: string;
let usdt: string;
let alice: string;
let bob: string;
let chain: Chain;

/** That are read on Solana. */
const COINS = PAY_ASSETS.filter(({ network }) => network === 'solana').length;
const reference = () => base58.encode(crypto.getRandomValues(new Uint8Array(32)));
const bytes = (text: string) => base58.decode(text);

beforeAll(async () => {
  cluster = await startSolana();
  usdc = await cluster.createMint();
  usdt = await cluster.createMint();
  await cluster.mint(usdc, cluster.payer.address, 1_000_000_000_000n);
  await cluster.mint(usdt, cluster.payer.address, 1_000_000_000_000n);
  [alice, bob] = [(await cluster.newWallet()).address, (await cluster.newWallet(0n)).address];
  chain = follow();
});

afterAll(async () => {
  await chain.close();
  await cluster.stop();
});

function follow(tuning: object = {}, rpcUrls = [cluster.url]): Chain {
  return createSolanaChain(
    {
      rpcUrls,
      genesisHash: cluster.genesisHash,
      tokens: { USDC: usdc, USDT: usdt },
      tuning: { pauseMs: { first: 1, longest: 2 }, historiesPerSecond: Number.POSITIVE_INFINITY, ...tuning },
    },
    pino({ level: 'silent' }),
  );
}

async function readFrom(from: Chain, after: BlockRef, watching: Watching, until?: Head): Promise<Reading> {
  return from.read({ after, until: until ?? (await from.head('first')), watching, pass: 'first' });
}

/** The transfers since a block, read until nothing more is covered. */
async function readSince(after: BlockRef, from = chain): Promise<Transfer[]> {
  const head = await from.head('first');
  const transfers = new Map<string, Transfer>();
  for (let at = after; ; ) {
    const reading = await readFrom(from, at, { addresses: new Set([alice, bob]) }, head);
    for (const transfer of reading.transfers) transfers.set(`${transfer.txHash} ${transfer.index}`, transfer);
    if (reading.covered.number === at.number) return [...transfers.values()];
    at = reading.covered;
  }
}

describe.each([
  ['wallet by wallet', {}],
  ['by whole blocks', { wholeBlocksAbove: 0, historiesPerBlock: 0 }],
])('read %s', (_, tuning) => {
  let own: Chain;
  beforeAll(() => {
    own = follow(tuning);
  });
  afterAll(() => own.close());

  test('a token transfer is read whole: asset, sender, recipient, amount, block', async () => {
    const before = cluster.head();
    const signature = await cluster.transferToken({ mint: usdc, to: alice, amount: 10_000_123n });
    const { slot, blockhash, time } = cluster.ledger.head;

    expect(await readSince(before, own)).toEqual([
      {
        network: 'solana',
        txHash: signature,
        index: expect.any(Number),
        asset: coinOf('USDC'),
        from: cluster.payer.address,
        to: alice,
        amountUnits: 10_000_123n,
        block: { number: slot, hash: blockhash, time: new Date(Math.floor(time.getTime() / 1000) * 1000) },
        carried: [],
      },
    ]);
  });

  test('a native transfer is read whole', async () => {
    const before = cluster.head();
    const signature = await cluster.transferSol({ to: alice, amount: 5_000_000n });
    expect(await readSince(before, own)).toMatchObject([
      { txHash: signature, asset: 'SOL', from: cluster.payer.address, to: alice, amountUnits: 5_000_000n },
    ]);
  });

  test('references and memos are carried', async () => {
    const before = cluster.head();
    const [one, two, three] = [reference(), reference(), reference()];
    await cluster.transferToken({ mint: usdc, to: alice, amount: 1n, references: [one, two] });
    await cluster.transferSol({ to: bob, amount: 2_000_000n, references: [three], memo: `order ${one}` });

    expect((await readSince(before, own)).map((transfer) => transfer.carried)).toEqual([
      [bytes(one), bytes(two)],
      [bytes(three), bytes(one)],
    ]);
  });
});

describe('how far it is covered', () => {
  test('wallet by wallet only what is finalized, though newer transfers are reported', async () => {
    const before = cluster.head();
    cluster.slots(2);
    const signature = await cluster.transferSol({ to: alice, amount: 1_000_001n });
    const own = follow();
    const head = await own.head('first');

    const reading = await readFrom(own, before, { addresses: new Set([alice, bob]) }, head);

    expect(reading.transfers.map((transfer) => transfer.txHash)).toEqual([signature]);
    expect(reading.covered).toEqual(before);
    cluster.finalize();
    const later = await readFrom(own, before, { addresses: new Set([alice, bob]) });
    expect(later.covered.number).toBe(cluster.ledger.at('finalized').slot);
    expect(later.transfers.map((transfer) => transfer.txHash)).toEqual([signature]);
    await own.close();
  });

  test('by whole blocks everything confirmed, each block linked to the one before', async () => {
    const own = follow({ wholeBlocksAbove: 0, historiesPerBlock: 0 });
    const before = cluster.head();
    cluster.slots(3, { skip: 2 });
    const head = await own.head('first');
    const reading = await readFrom(own, before, { addresses: new Set([alice]) }, head);
    expect(reading.covered).toMatchObject({ number: head.number, hash: head.hash });

    cluster.fork(2);
    await expect(readFrom(own, reading.covered, { addresses: new Set([alice]) })).rejects.toBeInstanceOf(ReorgError);
    await own.close();
  });

  test('without wallets to watch it moves on without any query for them', async () => {
    const before = cluster.head();
    cluster.slots(10);
    await using proxy = await startSolanaRpcProxy(cluster.url);
    const own = follow({}, [proxy.url]);
    const reading = await readFrom(own, before, { addresses: new Set() });
    expect(reading).toMatchObject({ transfers: [], covered: { number: cluster.ledger.at('finalized').slot } });
    expect(proxy.heard.get('getSignaturesForAddress')).toBeUndefined();
    await own.close();
  });

  test('a second question about the same head costs nothing', async () => {
    await using proxy = await startSolanaRpcProxy(cluster.url);
    const own = follow({}, [proxy.url]);
    const watching = { addresses: new Set([alice]) };
    const before = cluster.head();
    cluster.finalize();
    const head = await own.head('first');
    const { covered } = await readFrom(own, before, watching, head);
    const heard = [...proxy.heard.values()].reduce((a, b) => a + b, 0);
    expect((await readFrom(own, covered, watching, head)).covered).toEqual(covered);
    expect([...proxy.heard.values()].reduce((a, b) => a + b, 0)).toBe(heard);
    await own.close();
  });

  test('a slot without a block does not count, and the block at an instant is the last finalized one not after it', async () => {
    cluster.slots(40, { intervalMs: 7_000 });
    cluster.slots(1, { skip: 5 });
    cluster.slots(10, { intervalMs: 7_000 });
    const { number } = cluster.head();
    expect(await chain.block(number - 12n)).toBeUndefined();
    expect(await chain.block(number)).toMatchObject({ number });

    const blocks = [...cluster.ledger.blocks.values()].filter(
      (block) => block.slot <= cluster.ledger.at('finalized').slot,
    );
    for (const [at, block] of blocks.entries()) {
      if (at % 7 !== 0) continue;
      const instant = new Date(Math.floor(block.time.getTime() / 1000) * 1000);
      const expected = blocks.findLast(
        (candidate) => Math.floor(candidate.time.getTime() / 1000) * 1000 <= instant.getTime(),
      );
      expect((await chain.blockAt(instant)).number).toBe(expected?.slot);
    }
    expect((await chain.blockAt(new Date(0))).number).toBe(cluster.ledger.first);
    expect((await chain.blockAt(new Date(cluster.head().time.getTime() + 60_000))).number).toBe(
      cluster.ledger.at('finalized').slot,
    );
  });
});

describe('much at once', () => {
  test('thousands of transactions after an outage are read in steps, and none is missed', async () => {
    const before = cluster.head();
    const sent = new Set<string>();
    for (let at = 0; at < 1_300; at++)
      sent.add(await cluster.transferSol({ to: bob, amount: 900_000n + BigInt(at), close: at % 3 === 0 }));
    cluster.finalize();
    await using proxy = await startSolanaRpcProxy(cluster.url);
    const own = follow({}, [proxy.url]);

    const found = await readSince(before, own);

    expect(new Set(found.map((transfer) => transfer.txHash))).toEqual(sent);
    // The histories are listed once for all steps: three accounts each, and more pages of the busy one.
    expect(proxy.heard.get('getSignaturesForAddress')).toBeLessThan(12);
    await own.close();
  });

  test('an interrupted step is taken up again by another provider', async () => {
    const before = cluster.head();
    const sent = new Set<string>();
    for (let at = 0; at < 450; at++)
      sent.add(await cluster.transferSol({ to: bob, amount: 900_000n + BigInt(at), close: at % 3 === 0 }));
    cluster.finalize();
    await using one = await startSolanaRpcProxy(cluster.url);
    await using two = await startSolanaRpcProxy(cluster.url);
    const own = follow({}, [one.url, two.url]);
    const watching = { addresses: new Set([bob]) };
    const head = await own.head('first');
    const first = await readFrom(own, before, watching, head);
    expect(first.covered.number).toBeLessThan(cluster.ledger.at('finalized').slot);
    one.suffer('http_500');

    const found = [...first.transfers, ...(await readSince(first.covered, own))];

    expect(new Set(found.map((transfer) => transfer.txHash))).toEqual(sent);
    await own.close();
  });

  describe('more wallets than may be listed in one turn', () => {
    const strangers = Array.from({ length: 6 }, reference);
    const many = () => new Set([...strangers, alice, bob]);

    test('are listed over several turns, each account once, and covered when all of them are', async () => {
      await using proxy = await startSolanaRpcProxy(cluster.url);
      const own = follow({ historiesPerSecond: 20 }, [proxy.url]);
      const before = cluster.head();
      const signature = await cluster.transferSol({ to: bob, amount: 3n });
      cluster.finalize();
      const found: Transfer[] = [];
      let covered: BlockRef = before;
      while (covered.number === before.number) {
        const reading = await readFrom(own, before, { addresses: many() });
        found.push(...reading.transfers);
        covered = reading.covered;
      }
      expect(covered.number).toBe(cluster.ledger.at('finalized').slot);
      expect(found.map((transfer) => transfer.txHash)).toEqual([signature]);
      // The wallet itself, and its account of each token.
      expect(proxy.heard.get('getSignaturesForAddress')).toBe(many().size * COINS);
      await own.close();
    });

    test('are seen to be paid meanwhile, by the one account that changed', async () => {
      await using proxy = await startSolanaRpcProxy(cluster.url);
      const own = follow({ historiesPerSecond: 0.01 }, [proxy.url]);
      const before = cluster.head();
      await readFrom(own, before, { addresses: many() });
      const signature = await cluster.transferToken({ mint: usdc, to: alice, amount: 77n });

      const second = await readFrom(own, before, { addresses: many() });

      expect(second.transfers.map((transfer) => transfer.txHash)).toEqual([signature]);
      expect(second.covered).toEqual(before);
      expect(proxy.heard.get('getSignaturesForAddress')).toBe(21);
      await own.close();
    });

    test('are gone on with after a provider failed half way, and one that came later is listed from the same block on', async () => {
      await using proxy = await startSolanaRpcProxy(cluster.url);
      const own = follow({ historiesPerSecond: 2 }, [proxy.url]);
      const before = cluster.head();
      const late = await cluster.newWallet();
      const signature = await cluster.transferSol({ to: late.address, amount: 4n });
      cluster.finalize();
      await readFrom(own, before, { addresses: many() });
      const head = await own.head('first');
      proxy.suffer('rate_limited');
      await expect(readFrom(own, before, { addresses: many() }, head)).rejects.toThrow('rate-limited the server');
      proxy.suffer(null);
      const refused = proxy.heard.get('getSignaturesForAddress') ?? 0;

      const found: Transfer[] = [];
      await expect
        .poll(
          async () => {
            const reading = await readFrom(own, before, { addresses: new Set([...many(), late.address]) });
            found.push(...reading.transfers);
            return reading.covered.number;
          },
          { timeout: 30_000 },
        )
        .toBeGreaterThan(before.number);

      expect(found.map((transfer) => transfer.txHash)).toEqual([signature]);
      // What was listed before the failure is not listed again: fewer than all 27 calls.
      expect((proxy.heard.get('getSignaturesForAddress') ?? 0) - refused).toBeLessThan(24);
      await own.close();
    });
  });

  test('a thousand wallets and one cost the same where whole blocks are read', async () => {
    const costs = [];
    for (const count of [1, 1_000]) {
      await using proxy = await startSolanaRpcProxy(cluster.url);
      const own = follow({ wholeBlocksAbove: 0, historiesPerBlock: 0 }, [proxy.url]);
      const strangers = Array.from({ length: count - 1 }, () => reference());
      const before = cluster.head();
      cluster.slots(3);
      const signature = await cluster.transferSol({ to: alice, amount: 5n });
      const { transfers } = await readFrom(own, before, { addresses: new Set([alice, ...strangers]) });
      expect(transfers.map((transfer) => transfer.txHash)).toEqual([signature]);
      costs.push(Object.fromEntries(proxy.heard));
      await own.close();
    }
    expect(costs[0]).toEqual(costs[1]);
  });
});

describe('looking again', () => {
  test('a transfer stands where it stood, moved where it moved, and is gone where it is gone', async () => {
    const before = cluster.head();
    const signature = await cluster.transferSol({ to: alice, amount: 1_234_567n });
    cluster.slots(2);
    const [transfer] = await readSince(before);
    const watching = { addresses: new Set([alice]) };
    expect(await chain.check(transfer as Transfer, watching)).toMatchObject({
      type: 'stands',
      transfer,
      head: { number: cluster.head().number },
    });

    cluster.fork(3, [{ slot: 2, signature }]);
    const moved = await chain.check(transfer as Transfer, watching);
    expect(moved).toMatchObject({
      type: 'stands',
      transfer: { block: { number: cluster.head().number, hash: cluster.head().hash } },
    });

    cluster.fork(1);
    expect(await chain.check(transfer as Transfer, watching)).toEqual({ type: 'gone' });
    cluster.finalize();
    expect(await chain.check(transfer as Transfer, watching)).toEqual({ type: 'gone' });
  });

  test('a transaction is found by its signature, failed or not, and an unknown one is not', async () => {
    const watching = { addresses: new Set([alice]) };
    const good = await cluster.transferSol({ to: alice, amount: 13n });
    const bad = await cluster.transferToken({ mint: usdc, to: alice, amount: 10n ** 16n });
    expect(await chain.transaction(good, watching)).toMatchObject({
      reverted: null,
      transfers: [{ txHash: good, amountUnits: 13n }],
    });
    expect(await chain.transaction(bad, watching)).toEqual({
      provider: expect.any(String),
      reverted: [{ txHash: bad, from: expect.any(String), to: alice, amountUnits: 10n ** 16n, carried: [] }],
      emptyIn: expect.any(BigInt),
      movedNothing: true,
      transfers: [],
    });
    expect(await chain.transaction(bad, { addresses: new Set([cluster.head().hash]) })).toEqual({
      provider: expect.any(String),
      reverted: [],
      emptyIn: expect.any(BigInt),
      movedNothing: true,
      transfers: [],
    });
    expect(await chain.transaction(base58.encode(new Uint8Array(64).fill(9)), watching)).toBeUndefined();
    for (const text of ['', 'what', good.slice(1), `0x${'ab'.repeat(32)}`, alice])
      expect(await chain.transaction(text, watching)).toBeUndefined();
  });

  test('a provider with a hole in its ledger is passed over', async () => {
    const before = cluster.head();
    for (let at = 0; at < 30; at++) await cluster.transferSol({ to: alice, amount: 1_000n });
    cluster.finalize();
    await using holed = await startSolanaRpcProxy(cluster.url);
    holed.suffer('ledger_gap');
    const own = follow({}, [holed.url]);
    await expect(readFrom(own, before, { addresses: new Set([alice]) })).rejects.toThrow('has no blocks between slots');
    await own.close();
  });
});
