import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { pino } from 'pino';
import { getAddress } from 'viem';
import { createApp } from '../../server/src/app.ts';
import { readConfig } from '../../server/src/config.ts';
import type { Context } from '../../server/src/context.ts';
import { createWatcher, tick } from '../../server/src/watch.ts';
import { startAnvil, type TestChain } from '../../server/test/support/anvil.ts';
import type { Bench } from './bench.ts';

const SMALL = { sessions: 100, wallets: 10 };
const LARGE = { sessions: 100_000, wallets: 10_000 };
const TRANSFERS_IN_A_BLOCK = 20;
const BLOCKS = 40;
const WARM_UP_BLOCKS = 5;

/** What one block costs, all in all: beside few sessions, many. */
interface BlockCost {
  calls: number;
  cpuMs: number;
  wallMs: number;
  memoryMb: number;
}

type WatchedNetwork = 'base' | 'ethereum';

/** Reads a real chain block by block with 100,000 open sessions over 10,000 wallets, and with 100 over 10. */
export async function watchBlock({ database, service, say }: Bench): Promise<Record<string, { small: BlockCost; large: BlockCost; callsRatio: number; cpuRatio: number }>> {
  await using chain = await startAnvil();
  const token = await chain.deployToken();
  const figures: Record<string, { small: BlockCost; large: BlockCost; callsRatio: number; cpuRatio: number }> = {};
  for (const network of ['base', 'ethereum'] as const) {
    const app = await createApp(readConfig({
      PROFILE: 'development', PORT: '0', DATA_DIR: database.dataDir, DATABASE_URL: database.url, LOG_LEVEL: 'silent', PRICES: 'fixed', ROUTES: 'none',
      RPC_ETHEREUM_URLS: ',', RPC_BASE_URLS: ',', RPC_POLYGON_URLS: ',', RPC_ARBITRUM_URLS: ',', RPC_SOLANA_URLS: ',',
      [`RPC_${network.toUpperCase()}_URLS`]: chain.url, [`CHAIN_ID_${network.toUpperCase()}`]: String(chain.chainId), [`TOKEN_USDC_${network.toUpperCase()}`]: token,
    }), { log: pino({ level: 'silent' }) });
    try {
      const cost = async (size: typeof SMALL) => {
        await seedOpen(database, service.accountId, network, size);
        return measure(app.ctx, network, chain, token);
      };
      const [small, large] = [await cost(SMALL), await cost(LARGE)];
      const result = { small, large, callsRatio: ratio(large.calls, small.calls), cpuRatio: ratio(large.cpuMs, small.cpuMs) };
      figures[`watch_block_${network}`] = result;
      say(`watch_block      ${network === 'base' ? 'token logs (base)' : 'whole blocks, native ETH (ethereum)'}`);
      for (const [size, one] of [[SMALL, small], [LARGE, large]] as const) {
        say(`                 ${size.sessions} sessions over ${size.wallets} wallets: ${one.calls} RPC calls, ${one.cpuMs} ms of CPU, ${one.wallMs} ms a block, ${one.memoryMb} MB`);
      }
      say(`                 ratio: calls ${result.callsRatio}, CPU ${result.cpuRatio}`);
    } finally {
      await app.close();
    }
  }
  await clear(database);
  return figures;
}

/** Blocks are mined one at a time, with transfers to strangers, and each is read as soon as it is there. */
async function measure(ctx: Context, network: WatchedNetwork, chain: TestChain, token: `0x${string}`): Promise<BlockCost> {
  const watcher = createWatcher(`bench ${Math.random()}`);
  const stranger = getAddress(`0x${'5a'.repeat(20)}`);
  const from = chain.accounts[1]?.address ?? stranger;
  let calls = 0;
  const count = (message: unknown) => {
    const { request } = message as { request: { body?: unknown; method: string } };
    const body = typeof request.body === 'string' ? request.body : Buffer.isBuffer(request.body) ? request.body.toString() : '';
    calls += request.method === 'POST' ? (body.match(/"method":/g)?.length ?? 1) : 0;
  };
  while (await tick(ctx, network, watcher) === 'more');

  let cpuMs = 0;
  let wallMs = 0;
  for (let block = -WARM_UP_BLOCKS; block < BLOCKS; block += 1) {
    for (let at = 0; at < TRANSFERS_IN_A_BLOCK; at += 1) await chain.transferErc20({ token, to: stranger, from, amount: 1n, mine: false });
    await chain.mine(1);
    if (block >= 0) subscribe('undici:request:create', count);
    const [cpu, startedAt] = [process.cpuUsage(), performance.now()];
    while (await tick(ctx, network, watcher) === 'more');
    if (block < 0) continue;
    unsubscribe('undici:request:create', count);
    const { user, system } = process.cpuUsage(cpu);
    cpuMs += (user + system) / 1000;
    wallMs += performance.now() - startedAt;
  }
  const lease = watcher.leases.get(network);
  if (lease) await ctx.db.query('bench_release', 'update chain_cursors set holder = null, lease_until = null where network = $1', [network]);
  return { calls: round(calls / BLOCKS), cpuMs: round(cpuMs / BLOCKS), wallMs: round(wallMs / BLOCKS), memoryMb: Math.round(process.memoryUsage().rss / 1e6) };
}

/** So many live sessions that somebody could pay right now. */
async function seedOpen(database: Bench['database'], accountId: string, network: WatchedNetwork, { sessions, wallets }: typeof SMALL): Promise<void> {
  await clear(database);
  await database.query('set session_replication_role = replica');
  await database.query(`
    insert into payout_wallets (id, account_id, livemode, asset, network, address, is_default, created_by, created_at)
    select 'pp_watch' || lpad(n::text, 19, '0'), $1, true, case when $2 = 'ethereum' and n % 2 = 0 then 'ETH' else 'USDC' end, $2,
           '0x' || substring(encode(sha256(('watch' || n)::bytea), 'hex') from 1 for 40), false, 'key', now()
      from generate_series(1, $3::integer) n`, [accountId, network, wallets]);
  await database.query(`
    insert into checkout_sessions (
      id, account_id, livemode, payment_id, payout_wallet_id, amount_minor, currency, metadata, accepted_assets, reference, receive_asset, receive_network, receive_address, created_at, expires_at)
    select 'cs_watch' || lpad(n::text, 19, '0'), $1, true, 'pay_watch' || lpad(n::text, 19, '0'), w.id, 100 + n % 100000, 'USD', '{}', '{USDC_BASE}', sha256(('open' || n)::bytea),
           w.asset, w.network, w.address, now(), now() + interval '1 day'
      from generate_series(1, $2::integer) n join payout_wallets w on w.id = 'pp_watch' || lpad((1 + n % $3::integer)::text, 19, '0')`, [accountId, sessions, wallets]);
  await database.query(`
    insert into payments (id, account_id, livemode, session_id, status, sequence, route, pay_asset, pay_network, started_at, created_at, expires_at)
    select payment_id, account_id, true, id, 'pending', 2, 'direct', receive_asset, receive_network, now(), now(), expires_at from checkout_sessions where id like 'cs_watch%'`);
  await database.query('set session_replication_role = default');
  await database.query('vacuum analyze checkout_sessions, payments, payout_wallets');
}

async function clear(database: Bench['database']): Promise<void> {
  await database.query('set session_replication_role = replica');
  for (const [table, column] of [['payments', 'session_id'], ['checkout_sessions', 'id']]) await database.query(`delete from ${table} where ${column} like 'cs_watch%'`);
  await database.query(`delete from payout_wallets where id like 'pp_watch%'`);
  await database.query('delete from chain_cursors');
  await database.query('delete from chain_blocks');
  await database.query('set session_replication_role = default');
}

function ratio(one: number, other: number): number {
  return Math.round((one / other) * 100) / 100;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
