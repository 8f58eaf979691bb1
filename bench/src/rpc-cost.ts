import { setTimeout as pause } from 'node:timers/promises';
import { NETWORKS } from '@quittance/contract';
import { startWatching } from '../../server/src/watch.ts';
import type { Bench } from './bench.ts';
import { clearOpen, seedOpen } from './open-sessions.ts';
import { startPacedNode, unitsOf } from './paced-node.ts';
import { createWatchingApp } from './watching-app.ts';

const NETWORK = 'base';
const DELAY_MS = 50;
/** The first look, which searches where reading begins. */
const SETTLE_MS = 20_000;
/** Two looks at a network that rests. */
const MEASURE_MS = 2 * NETWORKS[NETWORK].restSeconds * 1_000;
const HOUR_MS = 3_600_000;

export interface RpcCost {
  /** An hour of each provider, the one that the first pass reads from first. */
  units: number[];
  calls: Record<string, number>[];
}

/**
 * What watching a network costs, an hour: while no customer can pay on it, and with one who may. The node is local and its blocks
 * come at the network's pace.
 */
export async function rpcCost({ database, service, say }: Bench): Promise<Record<string, RpcCost>> {
  const { chainId, blockSeconds } = NETWORKS[NETWORK];
  const chain = { chainId, blockSeconds, startedAt: Math.floor(Date.now() / 1000) - 100_000 };
  await using one = await startPacedNode(chain, DELAY_MS);
  await using two = await startPacedNode(chain, DELAY_MS);
  const figures: Record<string, RpcCost> = {};
  for (const state of ['at rest', 'one customer'] as const) {
    await seedOpen(database, service.accountId, NETWORK, { sessions: 1, wallets: 1 });
    if (state === 'at rest')
      await database.query(
        `update payments set status = 'created', sequence = 1, started_at = null where session_id like 'cs_watch%'`,
      );
    const app = await createWatchingApp(database, { RPC_BASE_URLS: `${one.url},${two.url}` });
    const worker = startWatching(app.ctx);
    try {
      await pause(SETTLE_MS);
      for (const { calls } of [one, two]) calls.clear();
      await pause(MEASURE_MS);
      const hourly = (times: number) => Math.round((times * HOUR_MS) / MEASURE_MS);
      const figure = {
        units: [one, two].map(({ calls }) => hourly(unitsOf(calls))),
        calls: [one, two].map(({ calls }) =>
          Object.fromEntries([...calls].map(([method, times]) => [method, hourly(times)])),
        ),
      };
      figures[`rpc_cost_${NETWORK}_${state.replaceAll(' ', '_')}`] = figure;
      say(`${NETWORK}, ${state}: ${figure.units.join(' and ')} units an hour (first and second provider)`);
      for (const calls of figure.calls)
        say(
          `  ${Object.entries(calls)
            .map(([method, times]) => `${method} ${times}`)
            .join(', ')}`,
        );
    } finally {
      await worker.stop();
      await app.close();
    }
  }
  await clearOpen(database);
  return figures;
}
