import type { ReceiveNetwork } from '@quittance/contract';
import { getAddress } from 'viem';
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import type { Context } from '../../src/context.ts';
import type { Outbound } from '../../src/outside/http/outbound.ts';
import { createFixedPrices } from '../../src/outside/prices/fixed.ts';
import type { Prices } from '../../src/outside/prices/prices.ts';
import type { Database } from '../../src/platform/db/db.ts';
import { TemporaryFailure } from '../../src/platform/errors.ts';
import { later, MINUTE_MS } from '../../src/platform/time.ts';
import type { Inject } from '../support/inject.ts';
import { type Merchant, newMerchant } from '../support/merchant.ts';
import { createFakeChain, createProvider, type FakeChain } from './fake-chain.ts';
import { createFakeRouter, type FakeRouter } from './fake-router.ts';
import { createLedger, type Ledger } from './ledger.ts';
import { createRandom, type Random } from './random.ts';

type Data = any;
export type SimNetwork = Extract<ReceiveNetwork, 'ethereum' | 'base'>;

/** A session with what its customer was told, and what the simulator knows besides. */
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
  /** What was last shown of the direct way; null until it was chosen. */
  shown: { amountUnits: bigint; dueUnits: bigint; tag: Uint8Array | null } | null;
  /** Hashes of what was sent for it. */
  sent: string[];
  /** A single exact amount was sent, nothing else ever. */
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
  receivers: { failing: number };
  merchants: { merchant: Merchant; wallets: Data[] }[];
  customers: PrivateKeyAccount[];
  checkouts: Checkout[];
  /** Blocks that a reorganisation may replace at most; below what counts as final. */
  deepest: number;
  inject: Inject;
  /** Who sent each transaction. */
  senders: Map<string, string>;
  /** Sessions that may take a transaction's money beside those it was meant for: by a claim of its sender, or by hand. */
  allowed: Map<string, Set<string>>;
  /** Only this provider lies, leaves out or invents; null in a world of honest ones. */
  liar: string | null;
  /** Moves time; blocks are mined on the way. */
  pass(seconds: number): void;
}

/** The parts of the application that a world is plugged into, once for many worlds. */
export interface Sockets {
  ctx: Context;
  inject: Inject;
  chains: Map<ReceiveNetwork, FakeChain['chain']>;
  routers: FakeRouter['router'][];
  world: { current: World | null };
}

const CUSTOMERS = Array.from({ length: 6 }, (_, at) => privateKeyToAccount(`0x${String(at + 1).padStart(64, '7')}`));
const BEGIN = new Date('2026-03-01T12:00:00.000Z');
const BLOCK_SECONDS: Record<SimNetwork, number> = { ethereum: 30, base: 20 };

export async function createWorld(sockets: Sockets, seed: number): Promise<World> {
  const random = createRandom(seed);
  const confirmations = random.pick([3, 8, 20, 65, null]);
  const deepest = confirmations === null ? 9 : confirmations - 1;
  const hasSecond = random.chance(0.8);
  const networks = ['ethereum', 'base'] as const;
  const ledgers = Object.fromEntries(networks.map((network) => [network, createLedger(network, BEGIN, BLOCK_SECONDS[network], random, 0.7)])) as World['ledgers'];
  const chains = Object.fromEntries(networks.map((network) => {
    const providers = hasSecond ? [createProvider('one'), createProvider('two')] : [createProvider('one')];
    return [network, createFakeChain(ledgers[network], providers, { safe: 30, finalized: 66 }, random.pick([3, 8, 50, 400]), random)];
  })) as World['chains'];
  const router = createFakeRouter((network) => ledgers[network as SimNetwork], random);
  sockets.chains.clear();
  for (const network of networks) sockets.chains.set(network, chains[network].chain);
  sockets.routers.splice(0, sockets.routers.length, router.router);

  const config = { ...sockets.ctx.config, networks: { ...sockets.ctx.config.networks } };
  for (const network of networks) {
    config.networks[network] = { ...config.networks[network], confirmations, rpcUrls: hasSecond ? ['http://one.invalid', 'http://two.invalid'] : ['http://one.invalid'] };
  }
  const world: World = {
    ctx: { ...sockets.ctx, config }, random, now: later(BEGIN, 10 * MINUTE_MS), ledgers, chains, router,
    prices: { isDown: false }, receivers: { failing: 0 }, merchants: [], customers: CUSTOMERS, checkouts: [], deepest, inject: sockets.inject, senders: new Map(), allowed: new Map(), liar: hasSecond && random.chance(0.5) ? random.pick(['one', 'two']) : null,
    pass(seconds) {
      world.now = later(world.now, seconds * 1000);
      for (const network of networks) ledgers[network].mineUntil(world.now);
      for (const network of networks) chains[network].sync();
    },
  };
  sockets.world.current = world;
  world.pass(0);

  const shared = addressFrom(random);
  for (let at = 0; at < 2; at += 1) {
    const { live } = await newMerchant(sockets.ctx, sockets.inject, { email: `${random.hex(8)}@merchant.example` });
    const own = addressFrom(random);
    const wallets: Data[] = [];
    for (const [asset, network] of [['USDC', 'ethereum'], ['USDC', 'base'], ['ETH', 'ethereum'], ['USDT', 'ethereum']] as const) {
      wallets.push(await live.createWallet({ asset, network, address: asset === 'USDC' && network === 'ethereum' ? shared : own }));
    }
    await live.createEndpoint({ url: `https://merchant-${at}.example/hooks` });
    world.merchants.push({ merchant: live, wallets });
  }
  return world;
}

function addressFrom(random: Random): string {
  return getAddress(random.hex(20));
}

/** The database, living in the world's time, and never heard by anybody. */
export function inTimeOf(db: Database, sockets: Pick<Sockets, 'world'>): Database {
  const now = () => sockets.world.current?.now ?? BEGIN;
  const wrap = async (name: string, work: () => Promise<unknown[]>) => {
    if (name === 'read_clock') return [{ now: now() }];
    const rows = await work();
    for (const row of rows as Record<string, unknown>[]) if (row.real_now instanceof Date) row.real_now = now();
    return rows;
  };
  return {
    ...db,
    now: async () => now(),
    query: (name, sql, values) => wrap(name, () => db.query(name, sql, values)) as never,
    transaction: (work) => db.transaction((inner) => work({ ...inner, query: (name, sql, values) => wrap(name, () => inner.query(name, sql, values)) as never })),
    listen: async () => async () => {},
    notify: () => {},
  };
}

/** Prices that move each minute, and are not to be had now and then. */
export function pricesIn(sockets: Pick<Sockets, 'world'>): Prices {
  const fixed = createFixedPrices({ fixed: { ETH: '2500', SOL: '150', EUR: '1.08' }, sources: 'fixed' });
  return {
    ...fixed,
    async rate(asset, currency) {
      const world = sockets.world.current;
      if (world?.prices.isDown) throw new TemporaryFailure('no price source answers');
      const rate = fixed.fixedRate(asset, currency);
      const minute = Math.floor((world?.now ?? BEGIN).getTime() / MINUTE_MS);
      return asset === 'ETH' ? { ...rate, numerator: rate.numerator * BigInt(1_000 + (minute * 7919) % 60) / 1_000n } : rate;
    },
  };
}

/** Receivers that fail now and then. */
export function receiversIn(sockets: Pick<Sockets, 'world'>): Outbound {
  return {
    async post() {
      const world = sockets.world.current;
      await Promise.resolve();
      if (world?.random.chance(world.receivers.failing)) return { status: 500, body: 'no', error: null, durationMs: 5 };
      return { status: 200, body: '', error: null, durationMs: 5 };
    },
    objectTo: async () => null,
    drop() {},
    async close() {},
  };
}
