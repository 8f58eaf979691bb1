import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { pino } from 'pino';
import { createApp } from '../../../src/app.ts';
import { readConfig } from '../../../src/config.ts';
import { randomFrom } from '../../support/random.ts';
import { injector } from '../../support/inject.ts';
import { newMerchant } from '../../support/merchant.ts';
import { type Receiver, startReceiver } from '../../support/receiver.ts';
import { type ServiceProcess, startServiceProcess } from '../../support/service-process.ts';
import { QUIET } from '../../support/settings.ts';
import type { Ground } from './ground.ts';

/** The maximum lifetime of a worker after it is ready. Half of them live no longer than their first poll. */
const MAX_LIFETIME_MS = 1_500;
const FIRST_LOOK_MS = 250;
const HEALS_WITHIN_MS = 180_000;

export interface KillingOptions {
  databaseUrl: string;
  /** A directory of its own. */
  dataDir: string;
  /** The bundled service. */
  service: string;
  payments: number;
  kills: number;
  seed: number;
  /** The chains that customers pay on. */
  ground(random: () => number): Promise<Ground>;
  say?: (line: string) => void;
}

export interface KillingFigures {
  kills: number;
  /** Those that were killed during a statement or a transaction. */
  inTheMiddle: number;
  payments: number;
  transfers: number;
  paidOnce: number;
  /** Payments that did not end paid, or whose events are not exactly created, pending, paid. */
  wrong: string[];
  /** Transfers that are not stored once, final, and attributed to the payment they were meant for. */
  transfersWrong: number;
  transfersInvented: number;
  /** Payments whose `payment.paid` never reached the merchant, or reached them as two different events. */
  webhooksWrong: number;
  seconds: number;
  /** From the last kill to the last payment. */
  healedInSeconds: number;
}

/** A customer's order and the transfers for it. */
interface Order {
  paymentId: string;
  txHashes: string[];
}

/**
 * Kills the worker process at random moments, again and again, while customers pay on real chains. In the end each
 * payment must be paid, once, by its own transfers.
 */
export async function killWatchers(options: KillingOptions): Promise<KillingFigures> {
  const started = performance.now();
  const random = randomFrom(options.seed);
  await using stack = new AsyncDisposableStack();
  const { service } = options;
  const ground = stack.use(await options.ground(random));
  const env = settings(options, ground);
  const receiver = await startReceiver();
  stack.defer(() => receiver.close());
  const shop = await openShop(env, receiver, ground, random);
  stack.defer(() => shop.close());
  const database = new pg.Client({ connectionString: options.databaseUrl, application_name: 'oracle' });
  await database.connect();
  stack.defer(() => database.end());

  const orders: Order[] = [];
  let inTheMiddle = 0;
  for (let kill = 1; kill <= options.kills; kill += 1) {
    const worker = await startServiceProcess(service, { ...env, ROLE: 'worker' });
    const many = Math.ceil((options.payments - orders.length) / (options.kills - kill + 1));
    const paying = payInTurn(shop, ground, many, random);
    await pause(random() * (random() < 0.5 ? FIRST_LOOK_MS : MAX_LIFETIME_MS));
    inTheMiddle += Number(await isBusy(database));
    await killWorker(worker);
    // The dead process's lease expires.
    await database.query(`update chain_cursors set lease_until = now() - interval '1 second'`);
    orders.push(...(await paying));
    if (kill % 20 === 0)
      options.say?.(
        `${kill} kills, ${orders.length} payments under way, ${Math.round((performance.now() - started) / 1000)} s`,
      );
  }

  const lastKill = performance.now();
  const last = await startServiceProcess(service, { ...env, ROLE: 'worker' });
  await ground.settle();
  await healed(database, orders.length, receiver);
  const healedInSeconds = round((performance.now() - lastKill) / 1000);
  await last.end('SIGTERM');
  return {
    kills: options.kills,
    inTheMiddle,
    ...(await judge(database, orders, receiver)),
    seconds: Math.round((performance.now() - started) / 1000),
    healedInSeconds,
  };
}

interface Shop {
  /** A session whose customer pays by amount, by tag or in two parts. */
  pay(): Promise<Order>;
  close(): Promise<void>;
}

/** The API in a process that is never killed: only the worker is killed. */
async function openShop(
  env: Record<string, string>,
  receiver: Receiver,
  ground: Ground,
  random: () => number,
): Promise<Shop> {
  const app = await createApp(readConfig({ ...env, ROLE: 'api', PORT: '0' }), { log: pino({ level: 'silent' }) });
  const inject = injector(app.server);
  const merchant = (await newMerchant(app.ctx, inject)).live;
  await merchant.createEndpoint({ url: receiver.url, events: ['payment.paid'] });
  const wallets: { id: string; asset: string; network: string; address: string }[] = [];
  for (const wallet of ground.wallets) wallets.push(await merchant.createWallet(wallet));

  return {
    async pay() {
      const { id, asset, network, address } = wallets[
        Math.floor(random() * wallets.length)
      ] as (typeof wallets)[number];
      const session = await merchant.createSession({
        payout_wallet_id: id,
        amount: (1 + Math.floor(random() * 90)).toFixed(2),
        expires_in: 30 * 86_400,
      });
      const { body } = await inject('POST', `/v1/public/checkout/sessions/${session.id}/pay`, {
        body: { pay_asset: asset, pay_network: network },
      });
      const txHashes = await ground.send({ asset, network, address, payment: body.data.payment });
      const [row] = await app.ctx.db.query<{ paymentId: string }>(
        'chaos_payment',
        'select payment_id from checkout_sessions where id = $1',
        [session.id],
      );
      return { paymentId: row?.paymentId ?? '', txHashes };
    },
    close: () => app.close(),
  };
}

async function payInTurn(shop: Shop, ground: Ground, many: number, random: () => number): Promise<Order[]> {
  const orders: Order[] = [];
  for (let at = 0; at < many; at += 1) {
    orders.push(await shop.pay());
    if (random() < 0.5) await ground.mine();
  }
  return orders;
}

/** Waits until every payment is paid and delivered, at most for a limit; then the judge reports what is wrong. */
async function healed(database: pg.Client, payments: number, receiver: Receiver): Promise<void> {
  const until = performance.now() + HEALS_WITHIN_MS;
  while (performance.now() < until) {
    const {
      rows: [row],
    } = await database.query<{ paid: number }>(`select count(*)::integer as paid from payments where status = 'paid'`);
    if (row?.paid === payments && new Set(receiver.received.map(({ event }) => event.data.id)).size === payments)
      return;
    await pause(100);
  }
}

async function judge(
  database: pg.Client,
  orders: readonly Order[],
  receiver: Receiver,
): Promise<Omit<KillingFigures, 'kills' | 'inTheMiddle' | 'seconds' | 'healedInSeconds'>> {
  const { rows: payments } = await database.query<{
    id: string;
    status: string;
    tx_hashes: string[];
    events: string[];
    sequences: number[];
  }>(`
    select p.id, p.status, p.tx_hashes, array_agg(e.type order by e.sequence) as events, array_agg(e.sequence
      order by e.sequence) as sequences
      from payments p join events e on e.object_id = p.id group by p.id`);
  const { rows: transfers } = await database.query<{
    tx_hash: string;
    payment_id: string | null;
    status: string;
    many: number;
  }>(`
    select tx_hash, min(payment_id) as payment_id, min(status) as status, count(*)::integer as many from transfers group by tx_hash`);
  const byId = new Map(payments.map((payment) => [payment.id, payment]));
  const byHash = new Map(transfers.map((transfer) => [transfer.tx_hash, transfer]));
  const eventsByPayment = Map.groupBy(receiver.received, ({ event }) => event.data.id as string);

  const isRight = ({ paymentId, txHashes }: Order) => {
    const payment = byId.get(paymentId);
    return (
      payment?.status === 'paid' &&
      payment.events.join() === 'payment.created,payment.pending,payment.paid' &&
      payment.sequences.join() === '1,2,3' &&
      payment.tx_hashes.toSorted().join() === txHashes.toSorted().join()
    );
  };
  const sent = new Map(orders.flatMap(({ paymentId, txHashes }) => txHashes.map((hash) => [hash, paymentId] as const)));
  return {
    payments: orders.length,
    transfers: sent.size,
    paidOnce: orders.filter(isRight).length,
    wrong: orders
      .filter((order) => !isRight(order))
      .map(({ paymentId }) => `${paymentId} ${JSON.stringify(byId.get(paymentId))}`),
    transfersWrong: [...sent].filter(([hash, paymentId]) => {
      const kept = byHash.get(hash);
      return kept?.many !== 1 || kept.status !== 'final' || kept.payment_id !== paymentId;
    }).length,
    transfersInvented: transfers.filter(({ tx_hash: hash }) => !sent.has(hash)).length,
    webhooksWrong: orders.filter(
      ({ paymentId }) => new Set(eventsByPayment.get(paymentId)?.map(({ event }) => event.id)).size !== 1,
    ).length,
  };
}

/** A worker that ended by itself would have been no kill. */
async function killWorker(worker: ServiceProcess): Promise<void> {
  if (worker.hasEnded()) throw new Error('the worker had ended by itself');
  await worker.end('SIGKILL');
}

/** Whether the worker has an open statement or transaction. */
async function isBusy(database: pg.Client): Promise<boolean> {
  const { rows } = await database.query(`
    select 1 from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null
       and query ~ 'transfers|chain_cursors|chain_blocks|payment|reserved_amounts|deliveries|events'`);
  return rows.length > 0;
}

function settings({ databaseUrl, dataDir }: KillingOptions, ground: Ground): Record<string, string> {
  return {
    ...QUIET,
    DATABASE_URL: databaseUrl,
    DATA_DIR: dataDir,
    ...ground.env,
  };
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
