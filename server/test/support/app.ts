import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { type App, createApp } from '../../src/app.ts';
import { type Config, readConfig } from '../../src/config.ts';
import type { Context } from '../../src/context.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { type Inject, injector } from './inject.ts';
import { installClock } from './movable-clock.ts';
import { type Merchant, newMerchant, type NewMerchantOptions } from './merchant.ts';
import { QUIET } from './settings.ts';

export type { Inject, InjectInput, TestAnswer } from './inject.ts';

export interface TestAppOptions {
  /** Settings in addition to those of an isolated service: no providers, silent, embedded in a temporary directory. */
  env?: Record<string, string>;
  /** Parts that replace the real ones: `{ chains, mail, outbound, … }`. */
  overrides?: Partial<Context>;
  /** Listens on a free port; `url` is set then. Without it requests are injected. */
  listen?: boolean;
  /** Runs the worker's jobs and the watchers as the real service does. Without it tests call the verbs. */
  work?: boolean;
  /** The caller's database, dropped with the service; by default a new one. */
  database?: TestDatabase;
  /** Whether the database's clock, which everything uses, can be moved. */
  movableClock?: boolean;
}

export interface TestApp {
  app: App;
  ctx: Context;
  config: Config;
  server: FastifyInstance;
  /** The address without a trailing slash; empty without `listen`. */
  url: string;
  /** One merchant, created on the first use, with its test-mode key. */
  merchant: Merchant;
  newMerchant(options?: NewMerchantOptions): Promise<Merchant>;
  inject: Inject;
  /** Moves the clock, if it can be moved. */
  pass(seconds: number): Promise<void>;
  /** How far the clock is ahead. */
  aheadMs(): number;
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** The whole service on a new database. Stop it in `afterAll`, or hold it with `await using`. */
export async function startApp(options: TestAppOptions = {}): Promise<TestApp> {
  const database = options.database ?? (await createTestDatabase());
  const clock = options.movableClock ? await installClock(database.url) : undefined;
  const dataDir = await mkdtemp(join(tmpdir(), 'quittance-app-'));
  const settings = readConfig({
    ...QUIET,
    PROFILE: 'development',
    PORT: '0',
    DATABASE_URL: database.url,
    DATA_DIR: dataDir,
    ...options.env,
  });
  const log = pino({ level: settings.logLevel });
  const app = await createApp(settings, { log, db: database.db, ...options.overrides });
  const url = options.listen || options.work ? await app.open({ work: options.work === true }) : '';
  const inject = injector(app.server);
  const first = await newMerchant(app.ctx, inject);

  const stop = async () => {
    await app.close();
    await clock?.close();
    await database.drop();
    await rm(dataDir, { recursive: true, force: true });
  };
  return {
    app,
    url,
    inject,
    stop,
    pass: (seconds) => clock?.pass(seconds * 1000) ?? Promise.reject(new Error('the clock of this service stands')),
    aheadMs: () => clock?.aheadMs() ?? 0,
    ctx: app.ctx,
    config: app.ctx.config,
    server: app.server,
    merchant: first,
    newMerchant: (input) => newMerchant(app.ctx, inject, input),
    [Symbol.asyncDispose]: stop,
  };
}
