import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { createApi } from './api.ts';
import type { Config } from './config.ts';
import type { Context } from './context.ts';
import { createContractWalletVerifier } from './outside/chains/evm/contract-wallet.ts';
import { createChains } from './outside/chains/registry.ts';
import { createOutbound } from './outside/http/undici.ts';
import { createMailer } from './outside/mail/mailer.ts';
import { createFixedPrices } from './outside/prices/fixed.ts';
import type { Router } from './outside/routers/router.ts';
import type { Database } from './platform/db/db.ts';
import { startEmbeddedDatabase } from './platform/db/embedded/embedded.ts';
import { migrate } from './platform/db/migrate.ts';
import { openDatabase } from './platform/db/pool.ts';
import { createLimiter } from './platform/http/rate-limit.ts';
import { createLogger } from './platform/log.ts';
import { keepMasterKey } from './platform/master-key.ts';
import { createSecrets } from './platform/secrets.ts';
import { createCredentialStore } from './resources/accounts/credentials.ts';

export interface App {
  ctx: Context;
  server: FastifyInstance;
  /** Opens the doors of its role: requests, and behind them the chains and due work. Answers where requests are served. */
  open(options?: OpenOptions): Promise<string>;
  /** Takes nothing new, finishes what was taken, then closes everything in the order opposite to its making. */
  close(): Promise<void>;
}

export interface OpenOptions {
  /** In place of the configured one; 0 takes a free one. */
  port?: number;
  /** Whether chains are watched and due work is done; by the role unless said. */
  work?: boolean;
}

/** Builds the whole service and opens no door yet. Parts that are given are used as they are, and closed by whoever gave them. */
export async function createApp(config: Config, given: Partial<Context> = {}): Promise<App> {
  const closers: (() => Promise<unknown>)[] = [];
  /** Made here unless it was given; what is made here is closed here. */
  const part = async <T>(own: T | undefined, make: () => T | Promise<T>, close?: (made: T) => Promise<unknown>): Promise<T> => {
    if (own !== undefined) return own;
    const made = await make();
    if (close) closers.unshift(() => close(made));
    return made;
  };
  const closeAll = async () => {
    for (const close of closers.splice(0)) await close();
  };

  try {
    const log = await part(given.log, () => createLogger(config.logLevel));
    const db = await part(given.db, () => openMigratedDatabase(config, log, closers), (made) => made.close());
    const ctx: Context = {
      config, log, db,
      secrets: await part(given.secrets, async () => createSecrets(config.masterKey ?? await keepMasterKey(join(config.dataDir, 'master.key')))),
      mail: await part(given.mail, () => createMailer(config, log), (made) => made.close()),
      outbound: await part(given.outbound, () => createOutbound({ allowPrivate: config.webhookAllowPrivate, ownUrl: config.publicUrl }), (made) => made.close()),
      chains: await part(given.chains, () => createChains(config, log), (made) => Promise.all([...made.values()].map((chain) => chain.close()))),
      contractWallets: await part(given.contractWallets, () => createContractWalletVerifier((network) => config.networks[network].rpcUrls)),
      prices: await part(given.prices, () => createFixedPrices(config.prices), (made) => made.close()),
      routers: given.routers ?? [],
      sandboxRouter: given.sandboxRouter as Router,
    };
    const limiter = createLimiter({ requestsPerSecond: config.rateLimitPerSecond, redisUrl: config.redisUrl, log });
    closers.unshift(() => limiter.close());
    const server = await createApi(ctx, { credentials: createCredentialStore(db, log), limiter });
    closers.unshift(() => server.close());
    await server.ready();

    return {
      ctx,
      server,
      async open({ port = config.port, work = config.role !== 'api' } = {}) {
        const address = await server.listen({ host: config.host, port });
        if (work) {
          const { startWork } = await import('./work.ts');
          const working = startWork(ctx);
          closers.unshift(() => working.stop());
        }
        return address;
      },
      close: closeAll,
    };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

async function openMigratedDatabase(config: Config, log: Logger, closers: (() => Promise<unknown>)[]): Promise<Database> {
  let url = config.databaseUrl;
  if (!url) {
    const embedded = await startEmbeddedDatabase({ dataDir: config.dataDir, log });
    closers.unshift(() => embedded.stop());
    url = embedded.url;
  }
  await migrate({ url: config.databaseDirectUrl ?? url, log, strict: config.profile === 'production' });
  return openDatabase({ url, directUrl: config.databaseDirectUrl, log });
}
