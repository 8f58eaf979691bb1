import type { ReceiveNetwork } from '@quittance/contract';
import { getAddress } from 'viem';
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import type { Context } from '../../../src/context.ts';
import { createFixedPrices } from '../../../src/outside/prices/fixed.ts';
import type { Prices } from '../../../src/outside/prices/prices.ts';
import type { Database } from '../../../src/platform/db/db.ts';
import { TemporaryError } from '../../../src/platform/errors.ts';
import { later, MINUTE_MS } from '../../../src/platform/time.ts';
import type { Inject, TestAnswer } from '../../support/inject.ts';
import { type Merchant, newMerchant } from '../../support/merchant.ts';
import { createFakeChain, type FakeChain } from './fake-chain.ts';
import { createFakeProvider } from './fake-provider.ts';
import { createFakeRouter, type FakeRouter } from './fake-router.ts';
import { createLedger, type Ledger } from './ledger.ts';
import { createCrashable, type Crashable } from './crashable.ts';
import { createRandom, type Random } from './random.ts';
import { createReceivers, type Receivers } from './receivers.ts';

type Data = any;
export type SimNetwork = Extract<ReceiveNetwork, 'ethereum' | 'base'>;

/** A session as its customer sees it, and what only the simulator knows. */
export interface Checkout {
  id: string;
  paymentId: string;
  merchant: Merchant;
  network: SimNetwork;
  asset: 'USDC' | 'USDT' | 'ETH';
  wallet: string;
  decimals: number;
  expiresAt: Date;
  customer: PrivateKeyAccount;
  /** The direct payment as it was last shown; null until it was chosen. */
  shown: { amountUnits: bigint; dueUnits: bigint; tag: Uint8Array | null; needsTag: boolean } | null;
  /** Hashes of the transfers for it. */
  sent: string[];
  /** Only a single exact amount was ever sent. */
  isPlain: boolean;
}

export interface World {
  ctx: Context;
  random: Random;
  now: Date;
  ledgers: Record<SimNetwork, Ledger>;
  chains: Record<SimNetwork, FakeChain>;
  router: FakeRouter;
  prices: { isDown: boolean };
  receivers: Receivers;
  merchants: { merchant: Merchant; wallets: Data[] }[];
  customers: PrivateKeyAccount[];
  checkouts: Checkout[];
  /** Maximum depth of a reorg; below the depth that counts as final. */
  deepest: number;
  /** Sends requests to the service. Every response is checked against the contract and for secrets. */
  inject: Inject;
  /** The process that answers requests, while it may die. */
  api: Crashable | null;
  /** Creations with an unknown outcome, to be repeated with the same key. */
  unanswered: CreationRequest[];
  /** Creations that were answered, by key. */
  answered: Map<string, CreationRequest & { raw: string }>;
  /** Credentials that were valid once. */
  retired: string[];
  /** The alarms of the service. */
  alarms: Data[];
  /** Errors that were seen as they happened. */
  wrong: string[];
  /** Tables that the service has written to since this was last emptied. */
  touched: Set<string>;
  /** Signals between processes since this was last emptied. */
  signals: [channel: string, payload: string][];
  /** The world's monotonic clock in milliseconds. */
  monoMs(): number;
  /**
   * Sessions that may take a transaction's money other than those it was meant for: by its sender's claim, or by
   * assignment.
   */
  allowed: Map<string, Set<string>>;
  /** Transactions of worthless transfers. */
  floods: Set<string>;
  /** The address that receives more than it lists, and the transactions. */
  crowded: { network: SimNetwork; address: string; hashes: Set<string> } | null;
  /** Transactions that cannot be stored, or cannot be attributed. */
  poison: Map<string, 'store' | 'attribute'>;
  /** Payments that a provider invented in a scenario. */
  forged: Set<string>;
  /** No provider contradicts the liar, in the scenario of that name. */
  isLiarAlone: boolean;
  /** Only this provider lies, omits or invents; null in a world of honest ones. */
  liar: string | null;
  /** Moves time; blocks are mined on the way. */
  pass(seconds: number): void;
}

/** A creation as it was sent. */
export interface CreationRequest {
  key: string;
  merchant: Merchant;
  body: Data;
  at: Date;
}

/** The places where a world is connected to the application, which serves many worlds. */
export interface Sockets {
  ctx: Context;
  inject: Inject;
  chains: Map<ReceiveNetwork, FakeChain['chain']>;
  routers: FakeRouter['router'][];
  world: { current: World | null };
}

const CUSTOMERS = Array.from({ length: 6 }, (_, at) => privateKeyToAccount(`0x${String(at + 1).padStart(64, '7')}`));
/** How far below the head the chain calls blocks safe and finalized. */
export const TAGS = { safe: 30, finalized: 66 };
const BEGIN = new Date('2026-03-01T12:00:00.000Z');
const BLOCK_SECONDS: Record<SimNetwork, number> = { ethereum: 30, base: 20 };

/** Random from the seed; with `hasLiar`, with two providers of which one lies. */
export async function createWorld(sockets: Sockets, seed: number, hasLiar = false): Promise<World> {
  const random = createRandom(seed);
  const confirmations = random.pick([3, 8, 20, 65, null]);
  const deepest = confirmations === null ? 9 : confirmations - 1;
  // With three a majority decides.
  const names = ['one', 'two', 'three'].slice(0, hasLiar ? 2 : random.pick([1, 2, 2, 2, 3]));
  const hasSecond = names.length > 1;
  const networks = ['ethereum', 'base'] as const;
  const ledgers = Object.fromEntries(
    networks.map((network) => [
      network,
      createLedger(network, random, { begin: BEGIN, blockSeconds: BLOCK_SECONDS[network], inclusion: 0.7 }),
    ]),
  ) as World['ledgers'];
  const chains = Object.fromEntries(
    networks.map((network) => {
      return [
        network,
        createFakeChain({
          ledger: ledgers[network],
          providers: names.map(createFakeProvider),
          tags: TAGS,
          widestWindow: hasLiar ? 400 : random.pick([3, 8, 50, 400]),
          blockSeconds: BLOCK_SECONDS[network],
          random,
          now: () => world.now,
        }),
      ];
    }),
  ) as World['chains'];
  const router = createFakeRouter((network) => ledgers[network as SimNetwork], random);
  sockets.chains.clear();
  for (const network of networks) sockets.chains.set(network, chains[network].chain);
  sockets.routers.splice(0, sockets.routers.length, router.router);

  const config = {
    ...sockets.ctx.config,
    singleProviderUsdPerHour: random.pick([0, 100, 600, 2_000]),
    networks: { ...sockets.ctx.config.networks },
  };
  for (const network of networks) {
    config.networks[network] = {
      ...config.networks[network],
      confirmations,
      rpcUrls: names.map((name) => `http://${name}.invalid`),
    };
  }
  const world: World = {
    ctx: { ...sockets.ctx, config },
    random,
    now: later(BEGIN, 10 * MINUTE_MS),
    ledgers,
    chains,
    router,
    prices: { isDown: false },
    receivers: createReceivers(() => world.now, random),
    merchants: [],
    customers: CUSTOMERS,
    checkouts: [],
    deepest,
    allowed: new Map(),
    liar: hasSecond && (hasLiar || random.chance(0.5)) ? random.pick(names) : null,
    floods: new Set(),
    crowded: null,
    poison: new Map(),
    isLiarAlone: false,
    forged: new Set(),
    api: null,
    unanswered: [],
    answered: new Map(),
    retired: [],
    alarms: [],
    wrong: [],
    touched: new Set(),
    signals: [],
    monoMs: () => world.now.getTime() - BEGIN.getTime() + 1_000_000,
    inject: (...asked) => ask(world, sockets, asked),
    pass(seconds) {
      world.now = later(world.now, seconds * 1000);
      for (const network of networks) ledgers[network].mineUntil(world.now);
      for (const network of networks) chains[network].sync();
      world.receivers.pass();
    },
  };
  sockets.world.current = world;
  world.pass(0);

  const shared = addressFrom(random);
  for (let at = 0; at < 2; at += 1) {
    const { live } = await newMerchant(sockets.ctx, world.inject, { email: `${random.hex(8)}@merchant.example` });
    const own = addressFrom(random);
    const wallets: Data[] = [];
    for (const [asset, network] of [
      ['USDC', 'ethereum'],
      ['USDC', 'base'],
      ['ETH', 'ethereum'],
      ['USDT', 'ethereum'],
    ] as const) {
      wallets.push(
        await live.createWallet({ asset, network, address: asset === 'USDC' && network === 'ethereum' ? shared : own }),
      );
    }
    world.merchants.push({ merchant: live, wallets });
    await addEndpoint(world, live, `https://merchant-${at}.example/hooks`);
  }
  return world;
}

/** A merchant's endpoint, whose secret it keeps. */
export async function addEndpoint(world: World, merchant: Merchant, url: string): Promise<string> {
  const { id, secret } = await merchant.createEndpoint({ url });
  world.receivers.endpoints.set(id, {
    id,
    accountId: merchant.accountId,
    url,
    secrets: [{ secret, until: null }],
    createdAt: world.now,
    deletedAt: null,
    enabledAt: [],
  });
  return id;
}

/** Sends a request while the answering process may die: then the outcome is unknown, and the status is 0. */
export async function requestWithCrash(world: World, asking: () => Promise<TestAnswer>): Promise<TestAnswer> {
  const crashable = world.random.chance(0.06) ? createCrashable(world.random.between(1, 14)) : null;
  world.api = crashable;
  try {
    const answer = await asking();
    return crashable?.isDead ? UNKNOWN : answer;
  } finally {
    world.api = null;
  }
}

const UNKNOWN: TestAnswer = { status: 0, headers: {}, body: null, raw: '' };
/** The only responses that may contain a secret: those that create one. */
const MAKES_A_SECRET = /^\/v1\/(api-keys|webhook-endpoints)(\/[a-z0-9_]+\/(rotate|rotate-secret))?$/i;
export const SECRETS = /sk_(?:live|test)_[0-9A-Za-z]{30}|whsec_[0-9A-Za-z+/]{20}|ses_[0-9A-Za-z]{40}/;

let requests = 0;

async function ask(world: World, sockets: Sockets, asked: Parameters<Inject>): Promise<TestAnswer> {
  const [method, path, input] = asked;
  try {
    // Each request has its own client address, because the limits per address use real time.
    requests += 1;
    const answer = await sockets.inject(method, path, {
      from: `10.${(requests >> 16) & 255}.${(requests >> 8) & 255}.${requests & 255}`,
      ...input,
    });
    if (SECRETS.test(answer.raw) && !(method === 'POST' && MAKES_A_SECRET.test(path)))
      world.wrong.push(`I11: ${method} ${path} answers with a secret`);
    if (answer.status >= 500 && answer.status !== 503 && !world.api?.isDead)
      world.wrong.push(`I14: ${method} ${path} answered ${answer.raw}`);
    return answer;
  } catch (error) {
    world.wrong.push(`I14: ${(error as Error).message}`);
    return UNKNOWN;
  }
}

function addressFrom(random: Random): string {
  return getAddress(random.hex(20));
}

/** The database in the world's time. Statements of a request go through the process that answers it. */
export function inTimeOf(db: Database, sockets: Pick<Sockets, 'world'>): Database {
  const now = () => sockets.world.current?.now ?? BEGIN;
  const wrap = async (
    name: string,
    sql: string,
    values: readonly unknown[] | undefined,
    work: () => Promise<unknown[]>,
  ) => {
    requireDigestible(sockets.world.current?.poison, name, values);
    if (name === 'read_clock') return [{ now: now() }];
    for (const table of tablesOf(name, sql)) sockets.world.current?.touched.add(table);
    const rows = await work();
    for (const row of rows as Record<string, unknown>[]) if (row.realNow instanceof Date) row.realNow = now();
    return rows;
  };
  const living: Database = {
    ...db,
    now: async () => now(),
    query: (name, sql, values) => wrap(name, sql, values, () => db.query(name, sql, values)) as never,
    transaction: (work) =>
      db.transaction((inner) =>
        work({
          ...inner,
          query: (name, sql, values) => wrap(name, sql, values, () => inner.query(name, sql, values)) as never,
        }),
      ),
    listen: async () => async () => {},
    notify: (channel, payload = '') => void sockets.world.current?.signals.push([channel, payload]),
  };
  const through = (name?: string) => {
    const crashable = sockets.world.current?.api;
    return crashable && !BACKGROUND.has(name ?? '') ? crashable.database(living) : living;
  };
  return {
    ...living,
    now: () => through().now(),
    query: (name, ...more) => through(name).query(name, ...more) as never,
    transaction: (work) => through().transaction(work),
  };
}

/** The statement that fails for each kind of poison. */
const POISONED = { insert_transfers: 'store', find_claims: 'attribute' } as const;

function requireDigestible(
  poison: World['poison'] | undefined,
  name: string,
  values: readonly unknown[] | undefined,
): void {
  const kind = POISONED[name as keyof typeof POISONED];
  if (!kind || !poison?.size || !values) return;
  const isPoisoned = values.some(
    (value) => Array.isArray(value) && value.some((one) => typeof one === 'string' && poison.get(one) === kind),
  );
  if (isPoisoned) throw new Error(`${name} fails with this transaction`);
}

/** Background writes of the service, whichever request runs meanwhile. */
const BACKGROUND = new Set(['insert_requests', 'note_key_use', 'note_token_use']);
const tables = new Map<string, string[]>();

/** The tables that a statement writes to; `anything` if its text does not show that. */
function tablesOf(name: string, sql: string): readonly string[] {
  const before = tables.get(name);
  if (before) return before;
  const named = [...sql.matchAll(/\b(?:insert\s+into|update|delete\s+from)\s+(?:only\s+)?([a-z_]+)/gi)]
    .map(([, table = '']) => table.toLowerCase())
    .filter((table) => table !== 'set' && table !== 'skip' && table !== 'of' && table !== 'nowait');
  const isQuiet = /^\s*select\b/i.test(sql) && !/\b(insert|delete)\b/i.test(sql);
  const answer =
    named.length > 0
      ? [...new Set(named)]
      : isQuiet || !/\b(insert|update|delete|truncate)\b/i.test(sql)
        ? []
        : ['anything'];
  tables.set(name, answer);
  return answer;
}

/** Prices that change each minute, and are missing now and then. */
export function pricesIn(sockets: Pick<Sockets, 'world'>): Prices {
  const fixed = createFixedPrices({ fixed: { ETH: '2500', SOL: '150', BTC: '60000', EUR: '1.08' }, sources: 'fixed' });
  return {
    ...fixed,
    async rate(asset, currency) {
      const world = sockets.world.current;
      if (world?.prices.isDown) throw new TemporaryError('no price source answers');
      const rate = fixed.fixedRate(asset, currency);
      const minute = Math.floor((world?.now ?? BEGIN).getTime() / MINUTE_MS);
      return asset === 'ETH'
        ? { ...rate, numerator: (rate.numerator * BigInt(1_000 + ((minute * 7919) % 60))) / 1_000n }
        : rate;
    },
  };
}
