import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { startAlarms } from './alarms/start.ts';
import { type Api, createApi } from './api.ts';
import { createCaches } from './caches.ts';
import type { Config } from './config.ts';
import type { Context } from './context.ts';
import { createLines } from './lines.ts';
import { createContractWalletVerifier } from './outside/chains/evm/contract-wallet.ts';
import { createChains } from './outside/chains/registry.ts';
import { createFacilitators } from './outside/facilitators/x402.ts';
import { createPictures } from './outside/http/pictures.ts';
import { createOutbound } from './outside/http/undici.ts';
import { createMailer } from './outside/mail/mailer.ts';
import { createPrices } from './outside/prices/create-prices.ts';
import { createRouters } from './outside/routers/create-routers.ts';
import { createSandboxRouter } from './outside/routers/sandbox/sandbox.ts';
import type { Database } from './platform/db/db.ts';
import { createFeeds } from './platform/db/feed.ts';
import { startEmbeddedDatabase } from './platform/db/embedded/embedded.ts';
import { freePort } from './platform/db/embedded/postmaster.ts';
import { migrate } from './platform/db/migrate.ts';
import { refuseUnfitPooler } from './platform/db/pooler.ts';
import { openDatabase } from './platform/db/pool.ts';
import { Pace } from './platform/http/admission/pace.ts';
import { createLimiter } from './platform/http/admission/rate-limit.ts';
import { listen, requireFreePort } from './platform/http/server/listen.ts';
import { createLogger } from './platform/log.ts';
import { keepMasterKey } from './platform/master-key.ts';
import { createSecrets } from './platform/secrets.ts';
import { createCredentialStore } from './resources/accounts/credentials.ts';
import { printSetupLink } from './resources/accounts/invitations/setup-link.ts';
import { createConversions } from './resources/checkout-sessions/conversion-budget.ts';
import { LookBudget } from './resources/outgoing-transfers/look-budget.ts';
import { requireOffered } from './resources/payout-wallets/require-offered.ts';
import { checkMasterKey } from './check-master-key.ts';
import { startWatching } from './watch.ts';
import { startWork } from './work.ts';

export interface App {
  ctx: Context;
  server: FastifyInstance;
  /**
   * Opens the entry points of its role: requests, and behind them the chains and due work. Returns where requests are
   * served.
   */
  open(options?: OpenOptions): Promise<string>;
  /** Takes nothing new, finishes what was taken, then closes everything in reverse order of construction. */
  close(): Promise<void>;
}

export interface OpenOptions {
  /** Whether chains are watched and due work is done; defaults to the role. */
  work?: boolean;
}

/** Fails if a port of its settings is taken, before a database is made or changed for a service that cannot serve. */
export async function requireFreePorts({ host, port, metricsPort }: Config): Promise<void> {
  await requireFreePort({ host, port }, 'PORT');
  if (metricsPort !== null) await requireFreePort({ host, port: metricsPort }, 'METRICS_PORT');
}

/**
 * Builds the whole service and opens no entry point yet. Given parts are used as they are, and closed by their owner.
 */
export async function createApp(settings: Config, given: Partial<Context> = {}): Promise<App> {
  const config = await withPort(settings);
  const parts = new Parts();
  try {
    const ctx = await createContext(config, given, parts);
    await checkMasterKey(ctx.db, ctx.secrets);
    await requireOffered(ctx.db);
    const { db, log } = ctx;
    const limiter = createLimiter({ requestsPerSecond: config.rateLimitPerSecond, redisUrl: config.redisUrl, log });
    parts.closeLater(() => limiter.close());
    const api = createApi(ctx, { credentials: createCredentialStore(db, log), limiter });
    await api.server.ready();
    return withDoors(ctx, api, parts);
  } catch (error) {
    await parts.close();
    throw error;
  }
}

async function createContext(config: Config, given: Partial<Context>, parts: Parts): Promise<Context> {
  const close = (made: { close(): Promise<unknown> }) => made.close();
  const raisedAlarms = given.raisedAlarms ?? new Map();
  const log = await parts.use(given.log, () => createLogger(config.logLevel, { raised: raisedAlarms }));
  const db = await parts.use(given.db, () => openMigratedDatabase(config, log, parts), close);
  const prices = await parts.use(given.prices, () => createPrices(config.prices, log), close);
  const rules = { allowPrivate: config.webhookAllowPrivate, ownUrl: config.publicUrl };
  return {
    config,
    log,
    db,
    prices,
    secrets: await parts.use(given.secrets, async () =>
      createSecrets(config.masterKey ?? (await keepMasterKey(join(config.dataDir, 'master.key')))),
    ),
    mail: await parts.use(given.mail, () => createMailer(config, log), close),
    outbound: await parts.use(given.outbound, () => createOutbound(rules), close),
    pictures: await parts.use(given.pictures, () => createPictures(rules, log), close),
    chains: await parts.use(
      given.chains,
      () => createChains(config, log),
      (made) => Promise.all([...made.values()].map(close)),
    ),
    facilitators: given.facilitators ?? createFacilitators(config.facilitators, log),
    contractWallets: await parts.use(given.contractWallets, () =>
      createContractWalletVerifier((network) => config.networks[network].rpcUrls),
    ),
    routers: given.routers ?? createRouters(config.routes, config.profile, log),
    sandboxRouter: given.sandboxRouter ?? createSandboxRouter(db, prices),
    caches: given.caches ?? createCaches(),
    feeds: given.feeds ?? createFeeds(),
    pace: given.pace ?? new Pace(),
    lines: given.lines ?? createLines(),
    conversions: given.conversions ?? createConversions(),
    lookBudget: given.lookBudget ?? new LookBudget(),
    raisedAlarms,
  };
}

/** The parts that were constructed here, which are also closed here, in reverse order. */
class Parts {
  readonly #closers: (() => Promise<unknown>)[] = [];

  /** Constructed here unless it was given. */
  async use<T>(given: T | undefined, make: () => T | Promise<T>, close?: (made: T) => Promise<unknown>): Promise<T> {
    if (given !== undefined) return given;
    const made = await make();
    if (close) this.closeLater(() => close(made));
    return made;
  }

  closeLater(close: () => Promise<unknown>): void {
    this.#closers.unshift(close);
  }

  async close(): Promise<void> {
    // A failed close must not keep the others open: the database is the last of them.
    for (const close of this.#closers.splice(0)) await close().catch((error) => process.emitWarning(error as Error));
  }
}

function withDoors(ctx: Context, { server, monitoring }: Api, parts: Parts): App {
  const { config, log } = ctx;
  const doors: (() => Promise<unknown>)[] = [() => server.close(), async () => monitoring?.close()];
  return {
    ctx,
    server,
    async open({ work = config.role !== 'api' } = {}) {
      const address = await listen(server, config, 'PORT');
      if (monitoring && config.metricsPort !== null)
        await listen(monitoring, { host: config.host, port: config.metricsPort }, 'METRICS_PORT');
      if (config.role !== 'worker') await printSetupLink(ctx);
      if (work) {
        for (const start of [startWork, startWatching]) {
          const door = start(ctx);
          doors.push(() => door.stop());
        }
      }
      const alarms = startAlarms(ctx);
      doors.push(() => alarms.stop());
      return address;
    },
    async close() {
      log.info('server closing');
      await Promise.all(doors.splice(0).map((close) => close()));
      await parts.close();
    },
  };
}

/** Port 0 means any free port. It is chosen first, because the public URL contains it. */
async function withPort(config: Config): Promise<Config> {
  if (config.port !== 0) return config;
  const port = await freePort();
  return Object.freeze({ ...config, port, publicUrl: config.publicUrl.replace(/:0$/, `:${port}`) });
}

async function openMigratedDatabase(config: Config, log: Logger, parts: Parts): Promise<Database> {
  let url = config.databaseUrl;
  if (!url) {
    const embedded = await startEmbeddedDatabase({ dataDir: config.dataDir, log });
    parts.closeLater(() => embedded.stop());
    url = embedded.url;
  }
  await migrate({ url: config.databaseDirectUrl ?? url, log, strict: config.profile === 'production' });
  if (config.databaseUrl) await refuseUnfitPooler(config.databaseUrl);
  return openDatabase({ url, directUrl: config.databaseDirectUrl, log });
}
