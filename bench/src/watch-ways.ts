import { pino } from 'pino';
import type { Chain, Head } from '../../server/src/outside/chains/chain.ts';
import { createEvmChain } from '../../server/src/outside/chains/evm/chain.ts';
import { createSolanaChain } from '../../server/src/outside/chains/solana/chain.ts';
import { startAnvil } from '../../server/test/support/anvil.ts';
import type { Bench } from './bench.ts';
import { type Cost, each, metered, sum } from './metered.ts';
import { addressOf, type WatchedNetwork } from './open-sessions.ts';
import { start, stop } from './processes.ts';
import type { SolanaNode } from './solana-node.ts';
import { deployBalances, mineBusy, produce } from './watch-block.ts';

const WALLETS = [10, 100, 500, 1_000, 2_000, 5_000, 10_000];
// About the number of transfers of the supported coins in a busy block of these networks.
const TRANSFERS_IN_A_BLOCK = 200;
const BLOCKS = 8;
const SLOTS = 40;
// A test node traces slowly.
const DEADLINE_MS = 120_000;
const log = pino({ level: 'silent' });

export interface Way {
  wallets: number;
  /** One query per wallet. */
  asking: Cost | null;
  /** Reading everything and filtering it locally. */
  everything: Cost;
}

/**
 * The cost of a block by one query per wallet, and by reading everything: above which number of wallets the second is
 * cheaper.
 */
export async function watchWays({ say }: Bench): Promise<Record<string, Way[]>> {
  return {
    ...(await tell('base', 'token logs (base)', await ethereumWays('base'), say)),
    ...(await tell(
      'ethereum',
      'native ETH (ethereum): balances, or a trace of each block',
      await ethereumWays('ethereum'),
      say,
    )),
    ...(await tell(
      'solana',
      'solana, a slot, where a look at all histories covers a minute of 150',
      await solanaWays(),
      say,
    )),
  };
}

function tell(network: WatchedNetwork, name: string, ways: Way[], say: Bench['say']): Record<string, Way[]> {
  say(`watch_ways       ${name}, ${TRANSFERS_IN_A_BLOCK} transfers of strangers in each`);
  const format = (cost: Cost | null) =>
    cost ? `${cost.calls} calls, ${cost.kilobytes} kB, ${cost.cpuMs} ms of CPU` : 'not tried';
  for (const { wallets, asking, everything } of ways)
    say(
      `                 ${String(wallets).padStart(6)} wallets: asking for each ${format(asking)}; ` +
        `reading everything ${format(everything)}`,
    );
  const cheaper = (of: 'calls' | 'kilobytes' | 'cpuMs') =>
    ways.find(({ asking, everything }) => asking && asking[of] > everything[of])?.wallets ??
    `more than ${WALLETS.at(-1)}`;
  say(
    `                 reading everything is less from: calls ${cheaper('calls')}, bytes ` +
      `${cheaper('kilobytes')}, CPU ${cheaper('cpuMs')} wallets`,
  );
  return { [`watch_ways_${network}`]: ways };
}

async function ethereumWays(network: 'base' | 'ethereum'): Promise<Way[]> {
  await using anvil = await startAnvil();
  const token = await anvil.deployToken();
  await deployBalances(anvil);
  const first = await anvil.head();
  for (let block = 0; block <= BLOCKS; block += 1) await mineBusy(anvil, token, TRANSFERS_IN_A_BLOCK);
  const open = (maxFilteredWallets: number) =>
    createEvmChain(
      {
        network,
        rpcUrls: [anvil.url],
        chainId: anvil.chainId,
        tokens: { USDC: token },
        tuning: { maxFilteredWallets, deadlineMs: DEADLINE_MS },
      },
      log,
    );

  const ways: Way[] = [];
  for (const wallets of WALLETS) {
    const read = async (chain: Chain) => {
      const costs: Cost[] = [];
      const watching = { addresses: new Set(Array.from({ length: wallets }, (_, at) => addressOf(network, at))) };
      let cursor = { number: first.number, hash: first.hash as string, time: first.time };
      for (let block = 0; block <= BLOCKS; block += 1) {
        const until: Head = { ...cursor, number: cursor.number + 1n, safe: null, finalized: null };
        const cost = await metered(async () => {
          cursor = (await chain.read({ after: cursor, until, watching, pass: 'first' })).covered as typeof cursor;
        });
        // The first one is the warm-up.
        if (block > 0) costs.push(cost);
      }
      await chain.close();
      return each(sum(costs), BLOCKS);
    };
    ways.push({ wallets, asking: await read(open(Number.MAX_SAFE_INTEGER)), everything: await read(open(0)) });
  }
  return ways;
}

/** All histories are read once a minute; whole blocks are read one by one. */
async function solanaWays(): Promise<Way[]> {
  const { child, first: node } = await start<SolanaNode>('./solana-node.ts');
  try {
    const open = (wholeBlocksAbove: number) =>
      createSolanaChain(
        {
          rpcUrls: [node.url],
          genesisHash: node.genesisHash,
          tokens: { USDC: node.mint },
          tuning: { historiesPerSecond: Number.POSITIVE_INFINITY, wholeBlocksAbove, historiesPerBlock: 0 },
        },
        log,
      );
    await produce(child, { slots: 2, transfers: TRANSFERS_IN_A_BLOCK });
    const probe = open(0);
    const from = await probe.head('first');
    await probe.close();
    await produce(child, { slots: SLOTS, transfers: TRANSFERS_IN_A_BLOCK });

    const ways: Way[] = [];
    for (const wallets of WALLETS) {
      const read = async (wholeBlocksAbove: number) => {
        const chain = open(wholeBlocksAbove);
        const watching = { addresses: new Set(Array.from({ length: wallets }, (_, at) => addressOf('solana', at))) };
        const head = await chain.head('first');
        // The wallets' token accounts are found once, not with every poll.
        const nothing: Head = { ...from };
        await chain.read({ after: from, until: nothing, watching, pass: 'first' });
        const cost = await metered(async () => {
          for (let cursor = from, step = 0; cursor.number < head.number && step < SLOTS; step += 1) {
            const { covered } = await chain.read({ after: cursor, until: head, watching, pass: 'first' });
            if (covered.number === cursor.number) break;
            cursor = { ...cursor, ...covered };
          }
        });
        await chain.close();
        return cost;
      };
      const [listing, blocks] = [await read(Number.MAX_SAFE_INTEGER), await read(0)];
      ways.push({ wallets, asking: each(listing, 150), everything: each(blocks, SLOTS) });
    }
    return ways;
  } finally {
    await stop(child);
  }
}
