import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import { type Address, getAddress, toHex } from 'viem';
import { createApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { freePort } from '../../src/platform/db/embedded/postmaster.ts';
import { startAnvil, type TestChain } from '../support/anvil.ts';
import { randomFrom } from '../support/evm-rpc-proxy.ts';
import { injector } from '../support/inject.ts';
import { newMerchant } from '../support/merchant.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { bundleService } from './bundle.ts';

const NETWORKS = ['ethereum', 'base'] as const;
type Network = (typeof NETWORKS)[number];
const CONFIRMATIONS = 3;
const WALLETS_PER_NETWORK = 5;
/** After it is ready to serve, a worker lives this long at most; half of them no longer than their first look takes. */
const LIVES_MOST_MS = 1_500;
const FIRST_LOOK_MS = 250;
const HEALS_WITHIN_MS = 180_000;

export interface KillingOptions {
  databaseUrl: string;
  /** A directory of its own. */
  dataDir: string;
  payments: number;
  kills: number;
  seed: number;
  say?: (line: string) => void;
}

export interface KillingFigures {
  kills: number;
  /** Of them while the worker was in the middle of a statement or a transaction. */
  inTheMiddle: number;
  payments: number;
  transfers: number;
  paidOnce: number;
  /** Payments that did not end paid, or whose events are not exactly created, pending, paid. */
  wrong: string[];
  /** Transfers that were sent and are not kept once, final, and given to the payment they were meant for. */
  transfersWrong: number;
  transfersInvented: number;
  /** Payments whose `payment.paid` reached the merchant never, or as two different events. */
  webhooksWrong: number;
  seconds: number;
  /** From the last kill to the last payment. */
  healedInSeconds: number;
}

/** The order of a customer: what was sent for it. */
interface Order {
  paymentId: string;
  txHashes: string[];
}

/**
 * The worker process is killed at random moments, again and again, while customers pay on two real chains at once. In
 * the end each payment must be paid, once, by what was sent for it.
 */
export async function killWatchers(options: KillingOptions): Promise<KillingFigures> {
  const started = performance.now();
  const random = randomFrom(options.seed);
  await using stack = new AsyncDisposableStack();
  const service = await bundleService();
  const chains = { ethereum: stack.use(await startAnvil({ chainId: 4001 })), base: stack.use(await startAnvil({ chainId: 4002 })) };
  const tokens = { ethereum: await chains.ethereum.deployToken(), base: await chains.base.deployToken() };
  const env = settings(options, chains, tokens);
  const receiver = await startReceiver();
  stack.defer(() => receiver.close());
  const shop = await openShop(env, receiver, chains, tokens, random);
  stack.defer(() => shop.close());
  const database = new pg.Client({ connectionString: options.databaseUrl, application_name: 'oracle' });
  await database.connect();
  stack.defer(() => database.end());

  const orders: Order[] = [];
  let inTheMiddle = 0;
  for (let kill = 1; kill <= options.kills; kill += 1) {
    const worker = await startWorker(service, env);
    const many = Math.ceil((options.payments - orders.length) / (options.kills - kill + 1));
    const paying = payInTurn(shop, many, random);
    await pause(random() * (random() < 0.5 ? FIRST_LOOK_MS : LIVES_MOST_MS));
    inTheMiddle += Number(await isBusy(database));
    await end(worker, 'SIGKILL');
    // A minute passes for the others: the dead one's lease runs out.
    await database.query(`update chain_cursors set lease_until = now() - interval '1 second'`);
    orders.push(...await paying);
    if (kill % 20 === 0) options.say?.(`${kill} kills, ${orders.length} payments under way, ${Math.round((performance.now() - started) / 1000)} s`);
  }

  const lastKill = performance.now();
  const last = await startWorker(service, env);
  await healed(database, chains, orders.length, receiver);
  const healedInSeconds = round((performance.now() - lastKill) / 1000);
  await end(last, 'SIGTERM');
  return { kills: options.kills, inTheMiddle, ...await judge(database, orders, receiver), seconds: Math.round((performance.now() - started) / 1000), healedInSeconds };
}

interface Shop {
  /** A session that its customer has begun to pay, and pays, by amount, by tag or in two parts. */
  pay(): Promise<Order>;
  /** Mines a block or more on a chain. */
  mine(): Promise<void>;
  close(): Promise<void>;
}

/** The API in a process that is never killed: what is killed is only what watches and works. */
async function openShop(env: Record<string, string>, receiver: Receiver, chains: Record<Network, TestChain>, tokens: Record<Network, Address>, random: () => number): Promise<Shop> {
  const app = await createApp(readConfig({ ...env, ROLE: 'api', PORT: '0' }), { log: pino({ level: 'silent' }) });
  const inject = injector(app.server);
  const merchant = (await newMerchant(app.ctx, inject)).live;
  await merchant.createEndpoint({ url: receiver.url, events: ['payment.paid'] });
  const wallets: { id: string; network: Network; address: Address }[] = [];
  for (const network of NETWORKS) {
    for (let at = 0; at < WALLETS_PER_NETWORK; at += 1) wallets.push(await merchant.createWallet({ asset: 'USDC', network, address: getAddress(toHex(randomBytes(20))) }));
  }
  const pick = <T>(some: readonly T[]) => some[Math.floor(random() * some.length)] as T;

  return {
    async pay() {
      const { id, network, address } = pick(wallets);
      const session = await merchant.createSession({ payout_wallet_id: id, amount: (1 + Math.floor(random() * 90)).toFixed(2), expires_in: 30 * 86_400 });
      const { body } = await inject('POST', `/v1/public/checkout/sessions/${session.id}/pay`, { body: { pay_asset: 'USDC', pay_network: network } });
      const due = BigInt(body.data.payment.amount.replace('.', ''));
      const tag = Buffer.from(body.data.payment.tag.slice(2), 'hex');
      const send = (amount: bigint, withTag: boolean) => chains[network].transferErc20({
        token: tokens[network], to: address, amount, from: pick(chains[network].accounts.slice(1)).address, mine: false, ...(withTag && { tag }),
      });
      const way = random();
      const txHashes = way < 0.6 ? [await send(due, false)] : way < 0.85 ? [await send(due, true)] : [await send(due / 3n, true), await send(due - due / 3n, true)];
      const [row] = await app.ctx.db.query<{ payment_id: string }>('chaos_payment', 'select payment_id from checkout_sessions where id = $1', [session.id]);
      return { paymentId: row?.payment_id ?? '', txHashes };
    },
    mine: () => chains[pick(NETWORKS)].mine(1 + Math.floor(random() * 2)),
    close: () => app.close(),
  };
}

async function payInTurn(shop: Shop, many: number, random: () => number): Promise<Order[]> {
  const orders: Order[] = [];
  for (let at = 0; at < many; at += 1) {
    orders.push(await shop.pay());
    if (random() < 0.5) await shop.mine();
  }
  return orders;
}

/** Until everything that was sent is paid and told, or it has taken too long: then the judge says what is wrong. */
async function healed(database: pg.Client, chains: Record<Network, TestChain>, payments: number, receiver: Receiver): Promise<void> {
  for (const network of NETWORKS) await chains[network].mine(CONFIRMATIONS);
  const until = performance.now() + HEALS_WITHIN_MS;
  while (performance.now() < until) {
    const { rows: [row] } = await database.query<{ paid: number }>(`select count(*)::integer as paid from payments where status = 'paid'`);
    if (row?.paid === payments && new Set(receiver.received.map(({ event }) => event.data.id)).size === payments) return;
    await pause(100);
  }
}

async function judge(database: pg.Client, orders: readonly Order[], receiver: Receiver): Promise<Omit<KillingFigures, 'kills' | 'inTheMiddle' | 'seconds' | 'healedInSeconds'>> {
  const { rows: payments } = await database.query<{ id: string; status: string; tx_hashes: string[]; events: string[]; sequences: number[] }>(`
    select p.id, p.status, p.tx_hashes, array_agg(e.type order by e.sequence) as events, array_agg(e.sequence order by e.sequence) as sequences
      from payments p join events e on e.payment_id = p.id group by p.id`);
  const { rows: transfers } = await database.query<{ tx_hash: string; payment_id: string | null; status: string; many: number }>(`
    select tx_hash, min(payment_id) as payment_id, min(status) as status, count(*)::integer as many from transfers group by tx_hash`);
  const byId = new Map(payments.map((payment) => [payment.id, payment]));
  const byHash = new Map(transfers.map((transfer) => [transfer.tx_hash, transfer]));
  const told = Map.groupBy(receiver.received, ({ event }) => event.data.id as string);

  const isRight = ({ paymentId, txHashes }: Order) => {
    const payment = byId.get(paymentId);
    return payment?.status === 'paid' && payment.events.join() === 'payment.created,payment.pending,payment.paid' && payment.sequences.join() === '1,2,3'
      && payment.tx_hashes.toSorted().join() === txHashes.toSorted().join();
  };
  const sent = new Map(orders.flatMap(({ paymentId, txHashes }) => txHashes.map((hash) => [hash, paymentId] as const)));
  return {
    payments: orders.length,
    transfers: sent.size,
    paidOnce: orders.filter(isRight).length,
    wrong: orders.filter((order) => !isRight(order)).map(({ paymentId }) => `${paymentId} ${JSON.stringify(byId.get(paymentId))}`),
    transfersWrong: [...sent].filter(([hash, paymentId]) => {
      const kept = byHash.get(hash);
      return kept?.many !== 1 || kept.status !== 'final' || kept.payment_id !== paymentId;
    }).length,
    transfersInvented: transfers.filter(({ tx_hash: hash }) => !sent.has(hash)).length,
    webhooksWrong: orders.filter(({ paymentId }) => new Set(told.get(paymentId)?.map(({ event }) => event.id)).size !== 1).length,
  };
}

async function startWorker(service: string, env: Record<string, string>): Promise<ChildProcess> {
  const port = await freePort();
  const worker = spawn(process.execPath, [service], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...env, PATH: process.env.PATH, NODE_COMPILE_CACHE: join(String(env.DATA_DIR), 'compiled'), ROLE: 'worker', PORT: String(port) },
  });
  for (;;) {
    if (await fetch(`http://127.0.0.1:${port}/healthz`).then((response) => response.ok, () => false)) return worker;
    if (worker.exitCode !== null) throw new Error(`the worker ended with ${worker.exitCode} instead of starting`);
    await pause(15);
  }
}

/** Whether the worker has a statement or a transaction open right now. */
async function isBusy(database: pg.Client): Promise<boolean> {
  const { rows } = await database.query(`
    select 1 from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null and query ~ 'transfers|chain_cursors|chain_blocks|payment|reserved_amounts|deliveries|events'`);
  return rows.length > 0;
}

function settings({ databaseUrl, dataDir }: KillingOptions, chains: Record<Network, TestChain>, tokens: Record<Network, Address>): Record<string, string> {
  return Object.assign({
    DATABASE_URL: databaseUrl, DATA_DIR: dataDir, LOG_LEVEL: 'fatal', PRICES: 'fixed', ROUTES: 'none', RATE_LIMIT_PER_SECOND: '100000',
    RPC_POLYGON_URLS: ',', RPC_ARBITRUM_URLS: ',', RPC_SOLANA_URLS: ',',
  }, ...NETWORKS.map((network) => {
    const name = network.toUpperCase();
    return {
      [`RPC_${name}_URLS`]: chains[network].url, [`CHAIN_ID_${name}`]: String(chains[network].chainId),
      [`CONFIRMATIONS_${name}`]: String(CONFIRMATIONS), [`TOKEN_USDC_${name}`]: tokens[network],
    };
  }));
}

async function end(worker: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (worker.exitCode !== null || worker.signalCode !== null) throw new Error(`the worker had ended by itself with ${worker.exitCode}`);
  const gone = new Promise((resolve) => worker.once('exit', resolve));
  worker.kill(signal);
  await gone;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
