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
import { createEvmChain as createChain, type EvmChainOptions } from '../../src/outside/chains/evm/chain.ts';
import { TemporaryError } from '../../src/platform/errors.ts';
import { startAnvil, type TestChain } from '../support/anvil.ts';
import { FAULTS, type Fault, startRpcProxy } from '../support/evm-rpc-proxy.ts';
import { randomFrom } from '../support/random.ts';
import { asRef, createEvmChain, READS_WHOLE_BLOCKS, TOKEN_CONTRACT } from '../support/row.ts';

const WALLETS = ['0x00000000000000000000000000000000000A11cE', '0x0000000000000000000000000000000000000B0b'] as const;
const WATCHING = { addresses: new Set<string>(WALLETS) };
// A single lying provider deceives the service, so these show nothing with one provider.
const LIES: readonly Fault[] = [
  'forged_logs',
  'forged_transfer',
  'contradicting_blocks',
  'flipped_receipts',
  'forged_tags',
];
// A few by default; for many: FAULT_RUNS=50 npx vitest run server/test/journeys/evm-faults.test.ts
const RUNS = Number(process.env.FAULT_RUNS ?? 1);
const SINGLE_PAYMENTS = 24;
/** How many transfers are checked at once: fewer than connections, so that none waits for another. */
const AT_ONCE = 4;
const seeds = (fault: (typeof FAULTS)[number]) =>
  Array.from({ length: RUNS }, (_, run) => FAULTS.indexOf(fault) + run + 1);
const failing = (fault: (typeof FAULTS)[number]) => (LIES.includes(fault) ? [] : seeds(fault));

let anvil: TestChain;
let token: `0x${string}`;
let start: BlockRef;
const sent = new Map<string, bigint>();

beforeAll(async () => {
  anvil = await startAnvil();
  token = await anvil.deployToken({ contract: TOKEN_CONTRACT });
  start = asRef(await anvil.head());
  const random = randomFrom(7);
  for (let payment = 1; payment <= SINGLE_PAYMENTS; payment++) {
    const amount = BigInt(payment) * 1_000_001n;
    sent.set(
      await anvil.transferErc20({ token, to: WALLETS[payment % 2] as `0x${string}`, amount, mine: false }),
      amount,
    );
    if (random() < 0.7) await anvil.mine(1 + Math.floor(random() * 9));
  }
  // One block with enough payments that it is read whole.
  await anvil.mine();
  for (let payment = 31; payment <= 42; payment++) {
    const amount = BigInt(payment) * 1_000_001n;
    sent.set(await anvil.transferErc20({ token, to: WALLETS[0], amount, mine: false, gas: 100_000n }), amount);
  }
  await anvil.mine(3);
});

afterAll(() => anvil.stop());

describe.each(FAULTS)('%s', (fault) => {
  test.each(seeds(fault))(
    'with two providers, one of them failing, nothing false stands and nothing is missed (seed %i)',
    async (seed) => {
      await using bad = await startRpcProxy(anvil.url, { seed });
      await using good = await startRpcProxy(anvil.url);
      bad.forge = { token, to: WALLETS[0], amountUnits: 999n };
      bad.suffer(fault, seed % 2 === 0 ? 0.4 : 1);
      const chain = follow([bad.url, good.url], patience(fault));

      await chain.steps(4);
      await inGroups(chain.seen(), AT_ONCE, async (transfer) => {
        const verdict = await chain.chain.check(transfer, WATCHING);
        if (!sent.has(transfer.txHash)) expect(verdict.type === 'stands' && verdict.providers.length > 1).toBe(false);
      });
      bad.suffer(null);
      await chain.toTheEnd();

      await expectWhole(chain, 2);
      if (seed % 2 === 1) expect(bad.injected).toBeGreaterThan(0);
      await chain.chain.close();
    },
  );

  test.each(failing(fault))(
    'with one provider that fails for a while nothing is missed once it is well (seed %i)',
    async (seed) => {
      await using only = await startRpcProxy(anvil.url, { seed });
      only.suffer(fault, 0.5);
      const chain = follow([only.url], patience(fault));

      await chain.steps(4, 'first');
      only.suffer(null);
      await chain.toTheEnd();

      await expectWhole(chain, 1);
      await chain.chain.close();
    },
  );
});

test('the pass that looks again asks the provider that the first pass did not', async () => {
  await using one = await startRpcProxy(anvil.url);
  await using two = await startRpcProxy(anvil.url);
  const chain = follow([one.url, two.url]);
  await chain.toTheEnd();
  expect(one.heard.get('eth_getLogs')).toBe(two.heard.get('eth_getLogs'));
  await chain.chain.close();
});

test('a provider of another chain is never believed, and its name is reported', async () => {
  await using elsewhere = await startAnvil({ chainId: 4242 });
  const chain = follow([elsewhere.url]);
  await expect(chain.chain.head('first')).rejects.toThrow('is on chain 4242, not 31337');
  expect(chain.chain.health()).toMatchObject({
    reachable: false,
    providers: [{ healthy: false, lastError: expect.stringContaining('4242') }],
  });
  await chain.chain.close();
});

test('a test chain under the id of a main network is refused with the setting that it needs', async () => {
  await using local = await startAnvil({ chainId: 8453 });
  const options = { network: 'base', rpcUrls: [local.url], tokens: {} } as const;
  const [unset, set] = [null, 8453].map((chainId) =>
    createChain({ ...options, chainId, tuning: { pauseMs: { first: 0, longest: 0 } } }, pino({ level: 'silent' })),
  ) as [Chain, Chain];
  for (const chain of [unset, set]) await chain.head('first');
  await local.mine(100);
  await expect(unset.head('first')).rejects.toThrow('If this is a test chain, set CHAIN_ID_BASE');
  expect(unset.health().providers[0]?.lastError).toContain('CHAIN_ID_BASE');
  expect((await set.head('first')).number).toBe(100n);
  await Promise.all([unset.close(), set.close()]);
});

test('no answer from any provider is a temporary failure, and health says so', async () => {
  const chain = follow(['http://127.0.0.1:9', 'http://127.0.0.1:9/second?key=secret']);
  await expect(chain.chain.head('first')).rejects.toBeInstanceOf(TemporaryError);
  expect(chain.chain.health().reachable).toBe(false);
  expect(JSON.stringify(chain.chain.health())).not.toContain('secret');
  await chain.chain.close();
});

test('wallets beyond the filter are found by reading whole blocks, and narrow providers by many questions', async () => {
  const strangers = Array.from({ length: 1500 }, (_, at) => `0x${(at + 1_000_000).toString(16).padStart(40, '0')}`);
  for (const maxFilteredWallets of [100, 5000]) {
    await using proxy = await startRpcProxy(anvil.url);
    const chain = follow([proxy.url], { maxFilteredWallets, windowBlocks: 500 }, new Set([...strangers, ...WALLETS]));
    await chain.toTheEnd();
    await expectWhole(chain, 1);
    // Two passes, one window each: either one call for all logs, or one for each five hundred wallets.
    if (!READS_WHOLE_BLOCKS) expect(proxy.heard.get('eth_getLogs')).toBe(maxFilteredWallets === 100 ? 2 : 8);
    await chain.chain.close();
  }
});

test('a provider that takes few addresses in a filter is read without one', async () => {
  await using proxy = await startRpcProxy(anvil.url);
  proxy.maxRecipients = 1;
  const chain = follow([proxy.url]);
  await chain.toTheEnd();
  await expectWhole(chain, 1);
  await chain.chain.close();
});

/** A provider that never answers gets a short deadline. */
function patience(fault: Fault): { deadlineMs?: number } {
  return fault === 'timeout' || fault === 'dripping_body' ? { deadlineMs: 250 } : {};
}

function follow(
  rpcUrls: string[],
  tuning: EvmChainOptions['tuning'] = {},
  addresses: ReadonlySet<string> = WATCHING.addresses,
) {
  const chain: Chain = createEvmChain(
    {
      network: 'base',
      rpcUrls,
      chainId: 31_337,
      tokens: { USDC: token },
      tuning: { deadlineMs: 5_000, pauseMs: { first: 1, longest: 5 }, windowBlocks: 30, ...tuning },
    },
    pino({ level: 'silent' }),
  );
  const cursors: Record<Pass, BlockRef> = { first: start, second: start };
  const found = new Map<string, Transfer>();

  async function step(pass: Pass): Promise<boolean> {
    try {
      const head = await chain.head(pass);
      if (cursors[pass].number >= head.number) return true;
      const reading = await chain.read({ after: cursors[pass], until: head, watching: { addresses }, pass });
      for (const transfer of reading.transfers) found.set(`${transfer.txHash} ${transfer.index}`, transfer);
      cursors[pass] = reading.covered;
    } catch (error) {
      if (!(error instanceof TemporaryError) && !(error instanceof ReorgError)) throw error;
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    return false;
  }

  return {
    chain,
    seen: () => [...found.values()],
    async steps(count: number, ...passes: Pass[]) {
      for (let round = 0; round < count; round++)
        for (const pass of passes.length > 0 ? passes : (['first', 'second'] as const)) await step(pass);
    },
    async toTheEnd() {
      const head = await anvil.head();
      for (const pass of ['first', 'second'] as const) {
        for (let round = 0; cursors[pass].number < head.number; round++) {
          if (round > 500)
            throw new Error(
              `the ${pass} pass does not get past block ${cursors[pass].number}: ${JSON.stringify(chain.health())}`,
            );
          await step(pass);
        }
      }
    },
  };
}

/** Every sent transfer stands, with this number of agreeing providers; nothing else does. */
async function expectWhole(follower: ReturnType<typeof follow>, witnesses: number): Promise<void> {
  const standing = new Map<string, bigint>();
  await inGroups(follower.seen(), AT_ONCE, async (transfer) => {
    const verdict = await settledVerdict(follower.chain, transfer, witnesses);
    if (verdict.type === 'stands') standing.set(transfer.txHash, verdict.transfer.amountUnits);
  });
  expect(standing).toEqual(sent);
}

/** Retries while a provider does not answer, like the watcher. */
async function settledVerdict(chain: Chain, transfer: Transfer, witnesses: number): Promise<Verdict> {
  for (let asked = 0; asked < 200; asked++) {
    const verdict = await chain.check(transfer, WATCHING);
    if (
      verdict.type === 'gone' ||
      verdict.type === 'disagree' ||
      (verdict.type === 'stands' && verdict.providers.length >= witnesses)
    )
      return verdict;
    await new Promise((resolve) => setTimeout(resolve, 3));
  }
  throw new Error(`no provider reports what became of ${transfer.txHash}: ${JSON.stringify(chain.health())}`);
}
