import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tick } from '../../server/src/settlement/watching/turns.ts';
import { createWatcher } from '../../server/src/settlement/watching/watcher.ts';
import { startAnvil } from '../../server/test/support/anvil.ts';
import type { Bench } from './bench.ts';
import { type Cost, each, metered } from './metered.ts';
import { clearOpen, seedOpen } from './open-sessions.ts';
import { deployBalances } from './watch-block.ts';
import { createWatchingApp } from './watching-app.ts';

const BLOCKS = 1_000;
const OPEN = { sessions: 10_000, wallets: 1_000 };
/** A transfer to a watched wallet in every tenth block, so that attribution is included. */
const PAID_EVERY = 10;
const DELAYS_MS = [0, 50];

export interface CatchUp {
  seconds: number;
  calls: number;
  found: number;
}

/** The time to read 1,000 missed blocks, from a local provider and from one 50 ms away. */
export async function catchUp({ database, service, say }: Bench): Promise<Record<string, CatchUp>> {
  const figures: Record<string, CatchUp> = {};
  for (const network of ['base', 'ethereum'] as const) {
    await using chain = await startAnvil();
    const token = await chain.deployToken();
    await deployBalances(chain);
    const name = network.toUpperCase();
    for (const delayMs of DELAYS_MS) {
      await seedOpen(database, service.accountId, network, OPEN);
      await using provider = await slowed(chain.url, delayMs);
      const app = await createWatchingApp(database, {
        [`RPC_${name}_URLS`]: provider.url,
        [`CHAIN_ID_${name}`]: String(chain.chainId),
        [`TOKEN_USDC_${name}`]: token,
        [`CONFIRMATIONS_${name}`]: '3',
      });
      try {
        const watcher = createWatcher(`bench ${Math.random()}`);
        const look = async () => {
          while ((await tick(app.ctx, network, watcher)) === 'more');
        };
        await look();
        const wallets = await database.query<{ address: `0x${string}` }>(
          `select address from payout_wallets where id like 'pp_watch%' order by id limit $1`,
          [BLOCKS / PAID_EVERY],
        );
        for (const { address } of wallets) {
          await chain.transferErc20({ token, to: address, amount: 12_345_678n, mine: false });
          await chain.mine(PAID_EVERY);
        }
        const before = await countTransfers(database);
        const { wallMs, ...cost } = await metered(look);
        const result = {
          seconds: Math.round(wallMs / 100) / 10,
          calls: cost.calls,
          found: (await countTransfers(database)) - before,
        };
        figures[`catch_up_${network}_${delayMs}ms`] = result;
        say(
          `catch_up         ${network}, ${delayMs} ms to the provider: ${BLOCKS} blocks in ` +
            `${result.seconds} s with ${result.calls} RPC calls, ` +
            `${describe(each({ wallMs, ...cost }, BLOCKS))}; ${result.found} of ${wallets.length} transfers found`,
        );
      } finally {
        await app.close();
        await database.query(`delete from transfers where network = $1`, [network]);
      }
    }
  }
  await clearOpen(database);
  return figures;
}

function describe({ cpuMs }: Cost): string {
  return `${cpuMs} ms of CPU a block`;
}

async function countTransfers(database: Bench['database']): Promise<number> {
  const [row] = await database.query<{ count: string }>('select count(*) from transfers');
  return Number(row?.count ?? 0);
}

/** The same node with a delay for each answer. */
async function slowed(upstream: string, delayMs: number): Promise<AsyncDisposable & { url: string }> {
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
    const answer = await fetch(upstream, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    response.writeHead(200, { 'content-type': 'application/json' }).end(Buffer.from(await answer.arrayBuffer()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
