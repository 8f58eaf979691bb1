import { findAsset, NETWORKS } from '@quittance/contract';
import { pino } from 'pino';
import type { App } from '../../server/src/app.ts';
import { openDatabase } from '../../server/src/platform/db/pool.ts';
import { rpcCalls } from '../../server/src/platform/metrics.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../server/src/platform/time.ts';
import { paceOf } from '../../server/src/settlement/watching/loops.ts';
import { tick } from '../../server/src/settlement/watching/turns.ts';
import { createWatcher, type Tick } from '../../server/src/settlement/watching/watcher.ts';
import { injector } from '../../server/test/support/inject.ts';
import { type Merchant, newMerchant } from '../../server/test/support/merchant.ts';
import type { Bench } from './bench.ts';
import { type CostedNetwork, startEvm, startSolanaNode } from './costed-network.ts';
import { type MovedTime, moveTime } from './moved-time.ts';
import { clearOpen, seedOpen } from './open-sessions.ts';
import { tenth } from './metered.ts';
import { unitsOf } from './paced-node.ts';
import { createWatchingApp } from './watching-app.ts';

/** What a turn of reading takes with 50 ms to each provider. */
const TURN_MS = 300;
const RESTING_TURN_MS = 50;
const HOURS_A_MONTH = 730;
/** Two looks at Ethereum, and more at the others. */
const REST_MS = 20 * MINUTE_MS;
const AWAKE_MS = 6 * MINUTE_MS;
const AWAY_MS = 10 * MINUTE_MS;
/** The last one is final within the time on every network. */
const PAYMENTS = 4;
const PAY_EVERY_MS = MINUTE_MS / 2;
const EXPIRES_SECONDS = 86_400;
/** Proofs of the chain go with other calls. They are counted apart, and free at some providers. */
const PROOFS = ['eth_chainId', 'getGenesisHash'];

/** Calls by method of each provider, the one that the first pass reads from first. */
type Calls = ReadonlyMap<string, number>[];

/** What each provider has answered, the one of the first pass first. */
interface Figure {
  calls: number[];
  proofs: number[];
  units: number[];
  methods: Record<string, number>[];
}

export interface RpcCost {
  /** An hour. */
  rest: Figure;
  open: Record<number, Figure>;
  /** An hour with one session, whose page is open. */
  waitedFor: Figure;
  /** One payment, beyond what the network costs anyway. */
  paid: Figure;
  /** All that is read after ten minutes away. */
  away: Figure;
}

/**
 * What watching each kind of network costs: at rest, with open sessions, for a paid payment and after ten minutes away.
 * The nodes are local, and the time of this process is moved from turn to turn, so that an hour takes seconds.
 */
export async function rpcCost({ database, open, say }: Bench): Promise<Record<string, RpcCost>> {
  const figures: Record<string, RpcCost> = {};
  for (const start of [
    startSolanaNode,
    startEvm.bind(0, 'base'),
    startEvm.bind(0, 'arbitrum'),
    startEvm.bind(0, 'ethereum'),
  ]) {
    using time = moveTime();
    await using costed = await start();
    await using shop = await openShop(database, costed, time);
    figures[costed.network] = await measure(shop, open);
    say(`rpc_cost         ${costed.network} is measured`);
  }
  await clearOpen(database);
  for (const line of tableOf(figures, open)) say(line);
  return figures;
}

/** A shop on one network, whose watcher takes turns as fast as they come. */
interface Shop extends AsyncDisposable {
  database: Bench['database'];
  costed: CostedNetwork;
  time: MovedTime;
  app: App;
  merchant: Merchant;
  /** Has the watcher know all the time that a customer waits on an open page. */
  openPage(): void;
  /** Watches for this long, at the pace of the service; returns the calls. */
  watch(ms: number): Promise<Calls>;
  /** Watches until everything is read; returns the calls. */
  catchUp(): Promise<Calls>;
}

async function openShop(database: Bench['database'], costed: CostedNetwork, time: MovedTime): Promise<Shop> {
  const db = openDatabase({ url: database.url, log: pino({ level: 'silent' }) });
  const app = await createWatchingApp(database, costed.env, { db: time.of(db) });
  const [{ ctx }, { network }] = [app, costed];
  const [{ pace, waits }, watcher] = [paceOf(ctx, network), createWatcher()];
  let isPageOpen = false;
  const turn = async (): Promise<Tick> => {
    costed.goOn();
    const state = watcher.networks.get(network);
    if (state && isPageOpen) state.waitedForAtMs = performance.now();
    const became = await tick(ctx, network, watcher, pace);
    time.pass(waits[became] + (became === 'resting' ? RESTING_TURN_MS : TURN_MS));
    return became;
  };
  return {
    database,
    costed,
    time,
    app,
    merchant: (await newMerchant(ctx, injector(app.server))).live,
    openPage: () => void (isPageOpen = true),
    watch: (ms) =>
      countCalls(costed, async () => {
        for (const until = Date.now() + ms; Date.now() < until; ) await turn();
      }),
    catchUp: () =>
      countCalls(costed, async () => {
        while ((await turn()) === 'more');
      }),
    async [Symbol.asyncDispose]() {
      await app.close();
      await db.close();
    },
  };
}

async function measure(shop: Shop, openSessions: readonly number[]): Promise<RpcCost> {
  const { database, merchant, costed, time } = shop;
  const { network, asset, wallet: address } = costed;
  const seed = (sessions: number) =>
    seedOpen(database, merchant.accountId, network, { sessions, wallets: Math.ceil(sessions / 10) });
  await seed(1);
  await database.query(
    `update payments set status = 'created', sequence = 1, started_at = null where session_id like 'cs_watch%'`,
  );
  // The first look searches where reading begins.
  await shop.watch(2 * NETWORKS[network].restSeconds * SECOND_MS);
  const rest = hourly(await shop.watch(REST_MS), REST_MS);

  const open: Record<number, Figure> = {};
  for (const sessions of openSessions) {
    await seed(sessions);
    await shop.watch(MINUTE_MS);
    open[sessions] = hourly(await shop.watch(AWAKE_MS), AWAKE_MS);
  }

  const wallet = await merchant.createWallet({ asset, network, address });
  await clearOpen(database);
  // One page stays open, so that the network is read all the time and only the payments are the difference.
  await begin(shop, wallet.id);
  shop.openPage();
  await shop.watch(2 * MINUTE_MS);
  const anyway = await shop.watch(AWAKE_MS);
  const sessions: string[] = [];
  const startedMs = Date.now();
  const watchUntil = (ms: number) => shop.watch(startedMs + ms - Date.now());
  const paying = await countCalls(costed, async () => {
    for (let at = 1; at <= PAYMENTS; at += 1) {
      const { id, pay } = await begin(shop, wallet.id);
      await pay();
      sessions.push(id);
      await watchUntil(at * PAY_EVERY_MS);
    }
    await watchUntil(AWAKE_MS);
  });
  for (const id of sessions) {
    const { status } = await merchant.get(`/checkout/sessions/${id}`);
    if (status !== 'paid') throw new Error(`a payment on ${network} is ${status}`);
  }

  time.pass(AWAY_MS);
  const away = figureOf(await shop.catchUp());
  const paid = figureOf(paying, { less: anyway, among: PAYMENTS });
  return { rest, open, waitedFor: hourly(anyway, AWAKE_MS), paid, away };
}

/** A customer chooses how to pay. */
async function begin(
  { app, merchant, costed }: Shop,
  walletId: string,
): Promise<{ id: string; pay(): Promise<unknown> }> {
  const { network, asset } = costed;
  const { id } = await merchant.createSession({
    payout_wallet_id: walletId,
    // The API creates by the database's own time.
    expires_in: EXPIRES_SECONDS,
    accepted_assets: [`${asset}_${network.toUpperCase()}`],
  });
  const { status, body, raw } = await injector(app.server)('POST', `/v1/public/checkout/sessions/${id}/pay`, {
    body: { pay_asset: asset, pay_network: network },
  });
  if (status !== 200) throw new Error(raw);
  const [whole, fraction = ''] = body.data.payment.amount.split('.');
  const decimals = findAsset(asset, network)?.decimals ?? 0;
  const amount = BigInt(whole + fraction.padEnd(decimals, '0'));
  return { id, pay: () => costed.pay(amount, body.data.payment.reference) };
}

/** The calls of each provider while some work runs, by the service's own counter. */
async function countCalls({ network, hosts }: CostedNetwork, work: () => Promise<unknown>): Promise<Calls> {
  const counted = async () => {
    const { values } = await rpcCalls.get();
    return hosts.map((host) => {
      const own = values.filter(({ labels }) => labels.network === network && labels.provider === host);
      return new Map(own.map(({ labels, value }) => [String(labels.method), value]));
    });
  };
  const before = await counted();
  await work();
  const after = await counted();
  return after.map(
    (calls, at) => new Map([...calls].map(([method, times]) => [method, times - (before[at]?.get(method) ?? 0)])),
  );
}

/** The calls beyond others of the same time, for one of several. */
function figureOf(calls: Calls, { less, among = 1 }: { less?: Calls; among?: number } = {}): Figure {
  const byMethod = calls.map(
    (own, at) => new Map([...own].map(([method, times]) => [method, (times - (less?.[at]?.get(method) ?? 0)) / among])),
  );
  const sum = (own: ReadonlyMap<string, number>, isProof: boolean) =>
    [...own].reduce((total, [method, times]) => total + (PROOFS.includes(method) === isProof ? times : 0), 0);
  return {
    calls: byMethod.map((own) => tenth(sum(own, false))),
    proofs: byMethod.map((own) => tenth(sum(own, true))),
    units: byMethod.map((own) => tenth(unitsOf(own))),
    methods: byMethod.map((own) =>
      Object.fromEntries([...own].filter(([, times]) => times !== 0).map(([method, times]) => [method, tenth(times)])),
    ),
  };
}

function hourly(calls: Calls, ms: number): Figure {
  return figureOf(calls, { among: ms / HOUR_MS });
}

/** The figures in Markdown. */
function tableOf(figures: Record<string, RpcCost>, openSessions: readonly number[]): string[] {
  const number = (value: number) => value.toLocaleString('en-US', { maximumFractionDigits: 1 });
  const cell = ({ calls, units }: Figure) =>
    calls.map((times, at) => `${number(times)} / ${number(units[at] ?? 0)}`).join('; ');
  const head = [
    'Calls / units of the first; of the second provider',
    'at rest, an hour',
    'a month, units',
    ...openSessions.map((sessions) => `${number(sessions)} open, an hour`),
    'a page open, an hour',
    'a paid payment',
    'ten minutes away',
  ];
  const rows = Object.entries(figures).map(([network, { rest, open, waitedFor, paid, away }]) => [
    network,
    cell(rest),
    rest.units.map((units) => number(units * HOURS_A_MONTH)).join('; '),
    ...openSessions.map((sessions) => cell(open[sessions] as Figure)),
    cell(waitedFor),
    cell(paid),
    cell(away),
  ]);
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
}
