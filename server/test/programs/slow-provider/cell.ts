import { setTimeout as pause } from 'node:timers/promises';
import { getAddress, toHex } from 'viem';
import type { Pass } from '../../../src/outside/chains/chain.ts';
import { createChains } from '../../../src/outside/chains/registry.ts';
import type { Db } from '../../../src/platform/db/db.ts';
import { startWatching } from '../../../src/watch.ts';
import type { TestChain } from '../../support/anvil.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import type { TestDatabase } from '../../support/database.ts';
import { startForwardingRpc } from '../../support/forwarding-rpc.ts';

const LOOK_EVERY_MS = 250;

export interface Cell {
  /** How long each of three providers takes for each answer, in the order of the settings. None fails. */
  delaysMs: readonly [number, number, number];
  /** How many processes may read the network. */
  workers: number;
}

export interface CellOptions {
  /** A node that mines by itself. */
  node: TestChain;
  /** How long the workers are observed. */
  forMs: number;
  database?: TestDatabase;
  /** The providers answer late only after both passes have begun, which takes each of them half a minute otherwise. */
  hasBegun?: boolean;
  /** Ends the observation early. */
  until?: (seen: Readonly<Record<Pass, Moves>>) => boolean;
}

/** How often a pass moved, and the longest time in which it did not, in milliseconds. */
export interface Moves {
  longestMs: number;
  moves: number;
}

/** Of both passes: what only the first one has read is not confirmed, and payments do not expire by it. */
export async function observe(
  { delaysMs, workers }: Cell,
  { node, forMs, database, hasBegun = false, until = () => false }: CellOptions,
): Promise<Record<Pass, Moves>> {
  await using stack = new AsyncDisposableStack();
  const endpoints = await Promise.all(delaysMs.map(() => startForwardingRpc(node.url)));
  for (const endpoint of endpoints) stack.use(endpoint);
  const app = stack.use(
    await startApp({
      ...(database && { database }),
      env: { RPC_ETHEREUM_URLS: endpoints.map(({ url }) => url).join(','), CHAIN_ID_ETHEREUM: String(node.chainId) },
    }),
  );
  const wallet = await app.merchant.live.createWallet({
    asset: 'USDC',
    network: 'ethereum',
    address: getAddress(toHex(crypto.getRandomValues(new Uint8Array(20)))),
  });
  await app.merchant.live.createSession({ payout_wallet_id: wallet.id });

  if (hasBegun) {
    const stop = startWorker(app);
    for (let now = await cursors(app.ctx.db); !now.first || !now.second; now = await cursors(app.ctx.db))
      await pause(LOOK_EVERY_MS);
    await stop();
  }
  for (const [at, endpoint] of endpoints.entries()) endpoint.delayMs = delaysMs[at] as number;
  for (let at = 0; at < workers; at += 1) stack.defer(startWorker(app));

  const beganMs = performance.now();
  const seen = { first: { longestMs: 0, moves: 0 }, second: { longestMs: 0, moves: 0 } };
  const moved = { first: beganMs, second: beganMs };
  let last = await cursors(app.ctx.db);
  while (performance.now() - beganMs < forMs && !until(seen)) {
    await pause(LOOK_EVERY_MS);
    const now = await cursors(app.ctx.db);
    for (const pass of ['first', 'second'] as const) {
      seen[pass].longestMs = Math.max(seen[pass].longestMs, performance.now() - moved[pass]);
      if (now[pass] === last[pass]) continue;
      seen[pass].moves += 1;
      moved[pass] = performance.now();
    }
    last = now;
  }
  return seen;
}

function startWorker({ config, ctx }: TestApp): () => Promise<void> {
  const chains = createChains(config, ctx.log);
  const watching = startWatching({ ...ctx, chains });
  return async () => {
    await watching.stop();
    for (const chain of chains.values()) await chain.close();
  };
}

async function cursors(db: Db): Promise<Partial<Record<Pass, bigint>>> {
  const rows = await db.query<{ pass: Pass; block: bigint }>(
    'test_cursors',
    `select pass, block_number as block from chain_cursors where network = 'ethereum' and block_number is not null`,
    [],
  );
  return Object.fromEntries(rows.map(({ pass, block }) => [pass, block]));
}
