import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database } from '../../../src/platform/db/db.ts';
import { freePort } from '../../../src/platform/db/embedded/postmaster.ts';
import { createTestDatabase } from '../database.ts';
import { type Inject, injectOver } from '../inject.ts';
import { type Merchant, newMerchant } from '../merchant.ts';
import { installClock } from '../movable-clock.ts';
import { bundledService } from '../service-bundle.ts';
import { type ServiceProcess, startServiceProcess } from '../service-process.ts';
import { QUIET } from '../settings.ts';

/** The whole service in its own process, which can be killed and started again on the same database. */
export interface KillableService extends AsyncDisposable {
  db: Database;
  merchant: Merchant;
  inject: Inject;
  kills: number;
  /** Kills it at once, whatever it is doing. */
  kill(): Promise<void>;
  /** Starts it again once the dead one's leases have expired. */
  start(): Promise<void>;
  /** Moves its clock to when each order is due to be looked at. */
  passLook(): Promise<void>;
}

/** Longer than the leases of networks, claims, route orders and deliveries. Mails have a longer one. */
const LEASES_MS = 61_000;
/** Longer than between two looks at an order that is under way. */
const LOOK_MS = 10_000;

export async function startService(env: Record<string, string>): Promise<KillableService> {
  const stack = new AsyncDisposableStack();
  const database = await createTestDatabase();
  stack.defer(() => database.drop());
  const clock = await installClock(database.url);
  stack.defer(() => clock.close());
  const dataDir = await mkdtemp(join(tmpdir(), 'quittance-killed-'));
  stack.defer(() => rm(dataDir, { recursive: true, force: true }));
  const { main } = await bundledService();
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  let running: ServiceProcess | undefined;
  stack.defer(() => running?.end('SIGKILL'));

  async function run(): Promise<void> {
    running = await startServiceProcess(main, {
      ...QUIET,
      PORT: String(port),
      DATA_DIR: dataDir,
      DATABASE_URL: database.url,
      ...env,
    });
  }

  const inject = injectOver(url);
  await run();
  const service: KillableService = {
    db: database.db,
    merchant: (await newMerchant({ db: database.db }, inject)).live,
    inject,
    kills: 0,
    async kill() {
      service.kills += 1;
      await running?.end('SIGKILL');
    },
    async start() {
      await clock.pass(LEASES_MS);
      await run();
    },
    passLook: () => clock.pass(LOOK_MS),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
  return service;
}
