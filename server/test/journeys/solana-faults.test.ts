import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type BlockRef,
  type Chain,
  ReorgError,
  type Pass,
  type Transfer,
  type Verdict,
} from '../../src/outside/chains/chain.ts';
import { inGroups } from '../../src/outside/chains/rpc/whole-blocks.ts';
import type { SolanaChainOptions } from '../../src/outside/chains/solana/chain.ts';
import { TemporaryError } from '../../src/platform/errors.ts';
import { randomFrom } from '../support/random.ts';
import { startSolana, type TestSolana } from '../support/solana/index.ts';
import { SOLANA_FAULTS, type SolanaFault, startSolanaRpcProxy } from '../support/solana/rpc-proxy.ts';
import { createSolanaChain } from '../support/row.ts';

// A single lying provider deceives the service, so these show nothing with one provider.
const LIES: readonly SolanaFault[] = [
  'forged_transfer',
  'contradicting_blocks',
  'flipped_results',
  'missing_entries',
  'empty_history',
];
// A few by default; for many: FAULT_RUNS=50 npx vitest run server/test/journeys/solana-faults.test.ts
const RUNS = Number(process.env.FAULT_RUNS ?? 1);
const SINGLE_PAYMENTS = 24;
/** How many transfers are checked at once: fewer than connections, so that none waits for another. */
const AT_ONCE = 4;
const seeds = (fault: SolanaFault) => Array.from({ length: RUNS }, (_, run) => SOLANA_FAULTS.indexOf(fault) + run + 1);
const failing = (fault: SolanaFault) => (LIES.includes(fault) ? [] : seeds(fault));
const WAYS = [
  ['wallet by wallet', {}],
  ['by whole blocks', { wholeBlocksAbove: 0, historiesPerBlock: 0 }],
] as const;

let cluster: TestSolana;
let usdc: string;
let wallets: string[];
let start: BlockRef;
/** The real payments, by signature. */
const sent = new Map<string, bigint>();

beforeAll(async () => {
  cluster = await startSolana();
  usdc = await cluster.createMint();
  await cluster.mint(usdc, cluster.payer.address, 1_000_000_000_000n);
  wallets = [(await cluster.newWallet()).address, (await cluster.newWallet()).address];
  cluster.finalize();
  start = cluster.head();
  const random = randomFrom(7);
  for (let payment = 1; payment <= SINGLE_PAYMENTS; payment++) {
    const to = wallets[payment % 2] as string;
    const amount = BigInt(payment) * 1_000_001n;
    sent.set(
      payment % 3 === 0
        ? await cluster.transferSol({ to, amount, close: false })
        : await cluster.transferToken({ mint: usdc, to, amount, close: false }),
      amount,
    );
    if (random() < 0.7) cluster.slots(1 + Math.floor(random() * 5), { skip: random() < 0.3 ? 2 : 0 });
  }
  // One slot with enough payments that its whole block is read.
  for (let payment = 31; payment <= 42; payment++) {
    const amount = BigInt(payment) * 1_000_001n;
    sent.set(await cluster.transferSol({ to: wallets[1] as string, amount, close: false }), amount);
  }
  cluster.slots(30);
});
afterAll(() => cluster.stop());

describe.each(WAYS)('reading %s', (way, tuning) => {
  describe.each(SOLANA_FAULTS)('%s', (fault) => {
    test.each(seeds(fault))(
      'with two providers, one of them failing, nothing false stands and nothing is missed (seed %i)',
      async (seed) => {
        await using bad = await startSolanaRpcProxy(cluster.url, { seed });
        await using good = await startSolanaRpcProxy(cluster.url);
        bad.forge = { to: wallets[0] as string, amount: 999_000n };
        bad.suffer(fault, seed % 2 === 0 ? 0.4 : 1);
        await using chain = follow([bad.url, good.url], { ...tuning, ...patience(fault) });

        await chain.steps(4);
        await inGroups(chain.seen(), AT_ONCE, async (transfer) => {
          const verdict = await chain.chain.check(transfer, watching());
          if (!sent.has(transfer.txHash)) expect(verdict.type === 'stands' && verdict.providers.length > 1).toBe(false);
        });
        bad.suffer(null);
        await chain.toTheEnd();

        await expectWhole(chain, 2);
        if (seed % 2 === 1 && way === 'wallet by wallet') expect(bad.injected).toBeGreaterThan(0);
      },
    );

    test.each(failing(fault))(
      'with one provider that fails for a while nothing is missed once it is well (seed %i)',
      async (seed) => {
        await using only = await startSolanaRpcProxy(cluster.url, { seed });
        only.suffer(fault, 0.5);
        await using chain = follow([only.url], { ...tuning, ...patience(fault) });

        await chain.steps(4, 'first');
        only.suffer(null);
        await chain.toTheEnd();

        await expectWhole(chain, 1);
      },
    );
  });
});

test('the pass that looks again asks the provider that the first pass did not', async () => {
  await using one = await startSolanaRpcProxy(cluster.url);
  await using two = await startSolanaRpcProxy(cluster.url);
  await using chain = follow([one.url, two.url], {});
  await chain.toTheEnd();
  expect(one.heard.get('getSignaturesForAddress')).toBeGreaterThan(0);
  expect(one.heard.get('getSignaturesForAddress')).toBe(two.heard.get('getSignaturesForAddress'));
});

test('a provider of another cluster is never believed, and its name is reported', async () => {
  await using elsewhere = await startSolana({ name: 'two' });
  await using chain = follow([elsewhere.url], {});
  await expect(chain.chain.head('first')).rejects.toThrow(
    `is on chain ${elsewhere.genesisHash}, not ${cluster.genesisHash}`,
  );
  expect(chain.chain.health()).toMatchObject({ reachable: false, providers: [{ healthy: false }] });
});

test('unless a test cluster is named, providers must be on the main network', async () => {
  const chain = createSolanaChain({ rpcUrls: [cluster.url], genesisHash: null, tokens: {} }, pino({ level: 'silent' }));
  await expect(chain.head('first')).rejects.toThrow('not 5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp');
  await chain.close();
});

test('no answer from any provider is a temporary failure, and health says so', async () => {
  await using chain = follow(['http://127.0.0.1:9', 'http://127.0.0.1:9/second?key=secret'], {});
  await expect(chain.chain.head('first')).rejects.toBeInstanceOf(TemporaryError);
  expect(chain.chain.health().reachable).toBe(false);
  expect(JSON.stringify(chain.chain.health())).not.toContain('secret');
});

test('a lying provider alone cannot make a payment of nothing: with another one it is held', async () => {
  await using liar = await startSolanaRpcProxy(cluster.url);
  await using honest = await startSolanaRpcProxy(cluster.url);
  liar.forge = { to: wallets[0] as string, amount: 999_000n };
  liar.suffer('forged_transfer');
  await using chain = follow([liar.url, honest.url], {});
  await chain.steps(1, 'first');
  const [lie] = chain.seen().filter((transfer) => !sent.has(transfer.txHash));
  expect(lie).toMatchObject({ amountUnits: 999_000n });
  expect(await chain.chain.check(lie as Transfer, watching())).toMatchObject({ type: 'disagree' });
});

/** A provider that never answers gets a short deadline. */
function patience(fault: SolanaFault): { deadlineMs?: number } {
  return fault === 'timeout' || fault === 'dripping_body' ? { deadlineMs: 250 } : {};
}

function watching() {
  return { addresses: new Set(wallets) };
}

function follow(rpcUrls: string[], tuning: SolanaChainOptions['tuning']) {
  const chain: Chain = createSolanaChain(
    {
      rpcUrls,
      genesisHash: cluster.genesisHash,
      tokens: { USDC: usdc },
      tuning: {
        deadlineMs: 5_000,
        pauseMs: { first: 1, longest: 5 },
        historiesPerSecond: Number.POSITIVE_INFINITY,
        ...tuning,
      },
    },
    pino({ level: 'silent' }),
  );
  const cursors: Record<Pass, BlockRef> = { first: start, second: start };
  /** The blocks that each pass has read, for the return to a common block. */
  const trails: Record<Pass, BlockRef[]> = { first: [start], second: [start] };
  const found = new Map<string, Transfer>();
  const addresses = watching();

  async function step(pass: Pass): Promise<void> {
    try {
      const head = await chain.head(pass);
      const reading = await chain.read({ after: cursors[pass], until: head, watching: addresses, pass });
      for (const transfer of reading.transfers) found.set(`${transfer.txHash} ${transfer.index}`, transfer);
      cursors[pass] = reading.covered;
      trails[pass].push(reading.covered);
    } catch (error) {
      if (!(error instanceof TemporaryError) && !(error instanceof ReorgError)) throw error;
      if (error instanceof ReorgError && trails[pass].length > 1) trails[pass].pop();
      cursors[pass] = trails[pass].at(-1) as BlockRef;
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }

  return {
    chain,
    seen: () => [...found.values()],
    async steps(count: number, ...passes: Pass[]) {
      for (let round = 0; round < count; round++)
        for (const pass of passes.length > 0 ? passes : (['first', 'second'] as const)) await step(pass);
    },
    async toTheEnd() {
      const end = cluster.ledger.at('finalized').slot;
      for (const pass of ['first', 'second'] as const) {
        for (let round = 0; cursors[pass].number < end; round++) {
          if (round > 400)
            throw new Error(`stuck at slot ${cursors[pass].number} of ${end}: ${JSON.stringify(chain.health())}`);
          await step(pass);
        }
      }
    },
    [Symbol.asyncDispose]: () => chain.close(),
  };
}

/** All payments are found, and all stand with this number of agreeing providers. */
async function expectWhole(chain: ReturnType<typeof follow>, providers: number): Promise<void> {
  const standing = new Map<string, bigint>();
  await inGroups(chain.seen(), AT_ONCE, async (transfer) => {
    const verdict = await verdictOf(chain.chain, transfer, providers);
    if (verdict.type === 'stands') standing.set(verdict.transfer.txHash, verdict.transfer.amountUnits);
  });
  expect(standing).toEqual(sent);
}

/** A provider that has just recovered may be asked only after its pause. */
async function verdictOf(chain: Chain, transfer: Transfer, providers: number): Promise<Verdict> {
  for (let round = 0; ; round++) {
    const verdict = await chain.check(transfer, watching());
    const isOpen = verdict.type === 'unknown' || (verdict.type === 'stands' && verdict.providers.length < providers);
    if (!isOpen || round > 100) return verdict;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
