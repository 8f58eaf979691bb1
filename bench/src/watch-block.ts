import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { getAddress } from 'viem';
import type { Context } from '../../server/src/context.ts';
import { tick } from '../../server/src/settlement/watching/turns.ts';
import { createWatcher } from '../../server/src/settlement/watching/watcher.ts';
import { startAnvil, type TestChain } from '../../server/test/support/anvil.ts';
import type { Bench } from './bench.ts';
import { type Cost, each, heldMb, metered, sum } from './metered.ts';
import { clearOpen, type OpenSessions, seedOpen, type WatchedNetwork } from './open-sessions.ts';
import { start, stop } from './processes.ts';
import type { Produce, SolanaNode } from './solana-node.ts';
import { createWatchingApp } from './watching-app.ts';

const SMALL = { sessions: 100, wallets: 10 };
const LARGE = { sessions: 100_000, wallets: 10_000 };
const TRANSFERS_IN_A_BLOCK = 20;
const LOOKS = 40;
const WARM_UP_LOOKS = 5;
/** As many as between two polls of the real network. */
const SLOTS_A_LOOK = 5;

export interface WatchFigures {
  small: Cost & { heldMb: number };
  large: Cost & { heldMb: number };
  callsRatio: number;
  cpuRatio: number;
}

/** A chain with payments to strangers: the new blocks since the last poll. */
interface Busy {
  env: Record<string, string>;
  goOn(): Promise<void>;
  stop(): Promise<void>;
}

const NAMES = {
  base: 'token logs (base), a block',
  ethereum: 'whole blocks, native ETH (ethereum), a block',
  solana: `solana, a look at ${SLOTS_A_LOOK} slots`,
};

/**
 * The cost of the watcher's poll of a real chain with 100,000 open sessions over 10,000 wallets, and with 100 over 10.
 */
export async function watchBlock({ database, service, say }: Bench): Promise<Record<string, WatchFigures>> {
  const figures: Record<string, WatchFigures> = {};
  for (const network of ['base', 'ethereum', 'solana'] as const) {
    const chain = network === 'solana' ? await busySolana() : await busyEthereum(network);
    const app = await createWatchingApp(database, { ...chain.env });
    try {
      const cost = async (size: OpenSessions) => {
        await seedOpen(database, service.accountId, network, size);
        return measure(app.ctx, network, chain);
      };
      const [small, large] = [await cost(SMALL), await cost(LARGE)];
      const result = {
        small,
        large,
        callsRatio: ratio(large.calls, small.calls),
        cpuRatio: ratio(large.cpuMs, small.cpuMs),
      };
      figures[`watch_block_${network}`] = result;
      say(`watch_block      ${NAMES[network]}`);
      for (const [size, one] of [
        [SMALL, small],
        [LARGE, large],
      ] as const) {
        say(
          `                 ${size.sessions} sessions over ${size.wallets} wallets: ${one.calls} RPC ` +
            `calls, ${one.kilobytes} kB, ${one.cpuMs} ms of CPU, ${one.wallMs} ms, ${one.heldMb} MB held`,
        );
      }
      say(`                 ratio: calls ${result.callsRatio}, CPU ${result.cpuRatio}`);
    } finally {
      await app.close();
      await chain.stop();
    }
  }
  await clearOpen(database);
  return figures;
}

/** Every new block is read at once. */
async function measure(ctx: Context, network: WatchedNetwork, chain: Busy): Promise<Cost & { heldMb: number }> {
  const watcher = createWatcher(`bench ${Math.random()}`);
  const look = async () => {
    while ((await tick(ctx, network, watcher)) === 'more');
  };
  await beginAtHead(ctx, network);
  await look();
  const costs: Cost[] = [];
  for (let at = -WARM_UP_LOOKS; at < LOOKS; at += 1) {
    await chain.goOn();
    const cost = await metered(look);
    if (at >= 0) costs.push(cost);
  }
  await ctx.db.query('bench_release', 'update chain_cursors set holder = null, lease_until = null where network = $1', [
    network,
  ]);
  return { ...each(sum(costs), LOOKS), heldMb: heldMb() };
}

/** As if it had been watched all along: earlier blocks are not measured. */
async function beginAtHead(ctx: Context, network: WatchedNetwork): Promise<void> {
  const head = await ctx.chains.get(network)?.head('first');
  if (!head) throw new Error(`${network} is not watched`);
  for (const pass of ['first', 'second']) {
    await ctx.db.query(
      'bench_begin',
      'insert into chain_cursors (network, pass, block_number, block_hash, block_time) values ($1, $2, $3, $4, $5)',
      [network, pass, head.number, head.hash, head.time],
    );
  }
}

async function busyEthereum(network: 'base' | 'ethereum'): Promise<Busy> {
  const chain = await startAnvil();
  const token = await chain.deployToken();
  await deployBalances(chain);
  const name = network.toUpperCase();
  return {
    env: {
      [`RPC_${name}_URLS`]: chain.url,
      [`CHAIN_ID_${name}`]: String(chain.chainId),
      [`TOKEN_USDC_${name}`]: token,
    },
    goOn: () => mineBusy(chain, token, TRANSFERS_IN_A_BLOCK),
    stop: () => chain.stop(),
  };
}

/** The contract that returns many balances at once has the same address on every network. */
export async function deployBalances(chain: TestChain): Promise<void> {
  await chain.deploy('Balances', [], { at: '0xcA11bde05977b3631167028862bE2a173976CA11' });
}

/** One block with this number of token transfers to strangers. */
export async function mineBusy(chain: TestChain, token: `0x${string}`, transfers: number): Promise<void> {
  const stranger = getAddress(`0x${'5a'.repeat(20)}`);
  const payers = chain.accounts.slice(1);
  for (let at = 0; at < transfers; at += 1)
    await chain.transferErc20({
      token,
      to: stranger,
      from: payers[at % payers.length]?.address ?? stranger,
      amount: 1n,
      mine: false,
      gas: 100_000n,
    });
  await chain.mine(1);
}

async function busySolana(): Promise<Busy> {
  const { child, first: node } = await start<SolanaNode>('./solana-node.ts');
  return {
    env: { RPC_SOLANA_URLS: node.url, GENESIS_SOLANA: node.genesisHash, TOKEN_USDC_SOLANA: node.mint },
    goOn: () => produce(child, { slots: SLOTS_A_LOOK, transfers: TRANSFERS_IN_A_BLOCK }),
    stop: () => stop(child),
  };
}

export async function produce(node: ChildProcess, wanted: Produce): Promise<void> {
  const done = once(node, 'message');
  node.send(wanted);
  await done;
}

function ratio(one: number, other: number): number {
  return Math.round((one / other) * 100) / 100;
}
