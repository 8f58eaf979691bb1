import { setTimeout as pause } from 'node:timers/promises';
import { getAddress } from 'viem';
import type { Context } from '../../../../src/context.ts';
import type { Job } from '../../../../src/job.ts';
import type { Outbound } from '../../../../src/outside/http/outbound.ts';
import { later, SECOND_MS } from '../../../../src/platform/time.ts';
import { deliveriesJob } from '../../../../src/resources/webhooks/delivery/deliver.ts';
import { tick } from '../../../../src/settlement/watching/turns.ts';
import { createWatcher } from '../../../../src/settlement/watching/watcher.ts';
import { jobs } from '../../../../src/work.ts';
import { createFakeChain, NO_PAUSES } from '../../simulation/fake-chain.ts';
import { createFakeProvider } from '../../simulation/fake-provider.ts';
import { createLedger, type Ledger } from '../../simulation/ledger.ts';
import { createRandom, type Random } from '../../simulation/random.ts';
import { startApp, type TestApp } from '../../../support/app.ts';
import type { TestDatabase } from '../../../support/database.ts';
import type { InjectInput, TestAnswer } from '../../../support/inject.ts';
import { ethereumWallet, loginByWallet, type Mailbox, mailbox, type TestWallet } from '../../../support/logins.ts';
import type { Merchant } from '../../../support/merchant.ts';
import { createConverter, type Converter } from './converter.ts';

type Method = Parameters<TestApp['inject']>[0];
type Data = any;

const BLOCK_MS = 2 * SECOND_MS;
const MAX_RUNS_OF_JOB = 2_000;
const DELIVERY_PAUSE_MS = 10;
const PRICE = '49.00';

/** A merchant who receives USDC on Base, in live mode at an address that they have not proved. */
export interface Shop {
  merchant: Merchant;
  address: string;
  link: string;
  testLink: string;
  /** Types of the received webhooks, by the session's id. */
  webhooks: Map<string, string[]>;
}

/**
 * The whole service with a real database, clients behind a trusted proxy, one network in memory, and one clock for the
 * database, the limiter and the network.
 */
export interface AbuseWorld extends AsyncDisposable {
  app: TestApp;
  ctx: Context;
  random: Random;
  ledger: Ledger;
  converter: Converter;
  mails: Mailbox;
  /** The merchant that strangers abuse, and another one. */
  attacked: Shop;
  other: Shop;
  /** Logs in with a wallet. */
  owner: TestWallet;
  /** Transactions of honest customers that strangers have seen. */
  seen: { hash: string; sender: string }[];
  /** Sessions of honest customers. */
  honestCheckouts: string[];
  /** From sending money to the page that says it is paid. */
  paidAfterMs: number[];
  /** Logins by mail whose code strangers had used up, so that the link of the mail was used. */
  loginsByLink: number;
  nowMs(): number;
  /** A request of a client. */
  call(method: Method, path: string, from: string, input?: InjectInput): Promise<TestAnswer>;
  /** Moves the clock to an instant, unless it is past. */
  passUntil(ms: number): Promise<void>;
  /** Mines and reads blocks, and runs due jobs. Webhooks are delivered for as much real time as a step takes. */
  work(stepMs: number): Promise<void>;
  /** Runs every job until nothing is due. */
  runJobs(): Promise<void>;
}

export async function startAbuseWorld(database: TestDatabase): Promise<AbuseWorld> {
  const stack = new AsyncDisposableStack();
  const random = createRandom(13);
  const mails = mailbox();
  const arrived = new Map<string, string[]>();
  const now = () => new Date(Date.now());
  const ledger = createLedger('base', random, {
    begin: later(now(), -20 * BLOCK_MS),
    blockSeconds: BLOCK_MS / SECOND_MS,
  });
  ledger.mineUntil(now());
  const fake = createFakeChain({
    ledger,
    providers: [createFakeProvider('provider 0'), createFakeProvider('provider 1')],
    tags: { safe: 30, finalized: 66 },
    widestWindow: 50,
    blockSeconds: BLOCK_MS / SECOND_MS,
    random,
    now,
    pauseMs: NO_PAUSES,
  });
  const converter = createConverter(ledger, random);
  const app = stack.use(
    await startApp({
      database,
      movableClock: true,
      env: {
        PROFILE: 'production',
        PUBLIC_URL: 'https://pay.example.com',
        MASTER_KEY: '13'.repeat(32),
        SIGNUP: 'open',
        TRUSTED_PROXIES: 'loopback',
        RATE_LIMIT_PER_SECOND: '100',
        RPC_BASE_URLS: 'http://provider-0.invalid,http://provider-1.invalid',
        CONFIRMATIONS_BASE: '3',
        ROUTES_FEE_RECIPIENT: '0x8617E340B3D01FA5F11F306F4090FD50E238070D',
      },
      overrides: {
        mail: mails,
        outbound: receiverOf(arrived),
        // A contract wallet's verification costs calls to a chain; strangers name wallets that reject.
        contractWallets: { isSigned: async () => false },
        chains: new Map([['base', { ...fake.chain, accountKindOf: async () => null }]]),
        routers: [converter.router],
      },
    }),
  );
  // The limiter and the network read the process's clock, everything else reads the database's.
  const realNow = Date.now;
  Date.now = () => realNow() + app.aheadMs();
  stack.defer(() => void (Date.now = realNow));

  const deliveries = deliveriesJob({
    mono: () => performance.now() + app.aheadMs(),
    every(ms, run) {
      const timer = setInterval(run, ms).unref();
      return { stop: () => clearInterval(timer) };
    },
    pause,
  });
  const list = [...jobs(app.ctx).filter(({ name }) => name !== deliveries.name), deliveries];
  const ranAt = new Map<Job, number>();
  const never = new AbortController().signal;
  const watcher = createWatcher('abuse');
  const newShop = (merchant: Merchant) => openShop(merchant, getAddress(random.hex(20)), arrived);
  const owner = ethereumWallet();
  const world: AbuseWorld = {
    app,
    ctx: app.ctx,
    random,
    ledger,
    converter,
    mails,
    attacked: await newShop(app.merchant),
    other: await newShop(await app.newMerchant()),
    owner,
    seen: [],
    honestCheckouts: [],
    paidAfterMs: [],
    loginsByLink: 0,
    nowMs: () => Date.now(),
    call: (method, path, from, input = {}) =>
      app.inject(method, path, { ...input, headers: { 'x-forwarded-for': from, ...input.headers } }),
    passUntil: async (ms) => {
      const left = ms - Date.now();
      if (left > 0) await app.pass(left / SECOND_MS);
    },
    async work(stepMs) {
      ledger.mineUntil(now());
      fake.sync();
      for (let turn = 0; turn < 20; turn += 1) if ((await tick(app.ctx, 'base', watcher)) !== 'more' && turn > 2) break;
      for (const job of list) {
        if (Date.now() - (ranAt.get(job) ?? 0) < job.everyMs) continue;
        ranAt.set(job, Date.now());
        await runJob(job);
      }
      await deliver(stepMs);
    },
    async runJobs() {
      await deliver(Number.POSITIVE_INFINITY);
      for (const job of list) await runJob(job);
    },
    [Symbol.asyncDispose]: async () => {
      for (const job of list) await job.finish?.(app.ctx);
      await stack.disposeAsync();
    },
  };
  await loginByWallet(app.inject, owner);
  return world;

  async function runJob(job: Job): Promise<void> {
    for (let run = 0; run < MAX_RUNS_OF_JOB; run += 1) if ((await job.run(app.ctx, never, () => {})) !== 'more') return;
    throw new Error(`the job ${job.name} did not end`);
  }

  /** Runs the queue until no webhook is due, or the time is up. */
  async function deliver(forMs: number): Promise<void> {
    const startedAt = performance.now();
    for (;;) {
      const [row] = await app.ctx.db.query<{ due: boolean }>(
        'abuse_due_deliveries',
        `select exists (select 1 from deliveries where state = 'pending' and due_at <= $1) as due`,
        [await app.ctx.db.now()],
      );
      if (!row?.due || performance.now() - startedAt > forMs) return;
      await runJob(deliveries);
      await pause(DELIVERY_PAUSE_MS);
    }
  }
}

async function openShop(merchant: Merchant, address: string, webhooks: Map<string, string[]>): Promise<Shop> {
  const wallet = await merchant.live.createWallet({ address });
  await merchant.live.createEndpoint();
  await merchant.test.createEndpoint();
  return {
    merchant,
    address,
    webhooks,
    link: (await merchant.live.createLink({ payout_wallet_id: wallet.id, amount: PRICE })).id,
    testLink: (await merchant.test.createLink({ amount: PRICE })).id,
  };
}

function receiverOf(arrived: Map<string, string[]>): Outbound {
  return {
    async post({ body }) {
      const event: Data = JSON.parse(body.toString());
      const { session } = event.data;
      arrived.set(session, [...(arrived.get(session) ?? []), event.type]);
      return { status: 200, body: '', error: null, durationMs: 1 };
    },
    objectionTo: () => null,
    drop: () => {},
    close: async () => {},
  };
}
