import { setTimeout as pause } from 'node:timers/promises';
import { getAddress, toHex } from 'viem';
import { createChains } from '../../../src/outside/chains/registry.ts';
import type { Db } from '../../../src/platform/db/db.ts';
import { startWatching } from '../../../src/watch.ts';
import type { TestChain } from '../../support/anvil.ts';
import { startApp } from '../../support/app.ts';
import type { TestDatabase } from '../../support/database.ts';
import { startForwardingRpc } from '../../support/forwarding-rpc.ts';

const LOOK_EVERY_MS = 250;

export interface Cell {
  /** How long the first of three providers take for each answer. The others are fast, and none fails. */
  delaysMs: readonly number[];
  /** How many processes may read the network. */
  workers: number;
}

export interface CellOptions {
  /** A node that mines by itself. */
  node: TestChain;
  /** How long the workers are observed. */
  forMs: number;
  database?: TestDatabase;
  /** Ends the observation early. */
  until?: (moves: number) => boolean;
}

/** The longest time in which the first pass did not move, in milliseconds, and how often it did. */
export async function observe(
  { delaysMs, workers }: Cell,
  { node, forMs, database, until = () => false }: CellOptions,
): Promise<{ longestMs: number; moves: number }> {
  await using stack = new AsyncDisposableStack();
  const open = async (ms: number) => stack.use(await startForwardingRpc(node.url, ms)).url;
  const urls = await Promise.all([0, 1, 2].map((at) => open(delaysMs[at] ?? 0)));
  const app = stack.use(
    await startApp({
      ...(database && { database }),
      env: { RPC_ETHEREUM_URLS: urls.join(','), CHAIN_ID_ETHEREUM: String(node.chainId) },
    }),
  );
  const wallet = await app.merchant.live.createWallet({
    asset: 'USDC',
    network: 'ethereum',
    address: getAddress(toHex(crypto.getRandomValues(new Uint8Array(20)))),
  });
  await app.merchant.live.createSession({ payout_wallet_id: wallet.id });

  for (let at = 0; at < workers; at += 1) {
    const chains = createChains(app.config, app.ctx.log);
    const watching = startWatching({ ...app.ctx, chains });
    stack.defer(async () => {
      await watching.stop();
      for (const chain of chains.values()) await chain.close();
    });
  }

  let [last, moves, longestMs] = [await firstCursor(app.ctx.db), 0, 0];
  const beganMs = performance.now();
  for (let movedMs = beganMs; performance.now() - beganMs < forMs && !until(moves); ) {
    await pause(LOOK_EVERY_MS);
    const now = await firstCursor(app.ctx.db);
    longestMs = Math.max(longestMs, performance.now() - movedMs);
    if (now === last) continue;
    [last, moves, movedMs] = [now, moves + 1, performance.now()];
  }
  return { longestMs, moves };
}

async function firstCursor(db: Db): Promise<bigint | null> {
  const [row] = await db.query<{ block: bigint | null }>(
    'test_first_cursor',
    `select block_number as block from chain_cursors where network = 'ethereum' and pass = 'first'`,
    [],
  );
  return row?.block ?? null;
}
