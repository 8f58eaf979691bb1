import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { ethereumGround } from '../programs/chaos/ethereum-ground.ts';
import { createTestDatabase } from '../support/database.ts';
import { injector } from '../support/inject.ts';
import { newMerchant } from '../support/merchant.ts';
import { installClock } from '../support/movable-clock.ts';
import { randomFrom } from '../support/random.ts';
import { bundledService } from '../support/service-bundle.ts';
import { type ServiceProcess, startServiceProcess } from '../support/service-process.ts';
import { QUIET } from '../support/settings.ts';

/** The operator knows within a minute. */
const MAX_ALARM_MS = 60_000;
/** Less than the time without progress after which a network is stalled, so that the last of it is waited for. */
const PASSED_MS = 25_000;
const STALLED = /^quittance_network_stalled\{network="base"\} (\d)$/m;
const ALARMS = /^quittance_alarms_total\{alarm="network_stalled"\} (\d+)$/m;

test('the only worker is killed with an open session: the API process raises the alarm within 60 s, and it stays', async () => {
  await using stack = new AsyncDisposableStack();
  const database = await createTestDatabase();
  stack.defer(() => database.drop());
  const clock = await installClock(database.url);
  stack.defer(() => clock.close());
  const dataDir = await mkdtemp(join(tmpdir(), 'quittance-dead-'));
  stack.defer(() => rm(dataDir, { recursive: true, force: true }));
  const ground = stack.use(await ethereumGround(randomFrom(1)));
  const env: Record<string, string> = {
    ...QUIET,
    ...ground.env,
    RPC_ETHEREUM_URLS: ',',
    DATABASE_URL: database.url,
    DATA_DIR: dataDir,
    LOG_LEVEL: 'error',
  };
  const { main } = await bundledService();
  const start = async (role: string) => {
    const started = await startServiceProcess(main, { ...env, ROLE: role });
    stack.defer(() => started.end('SIGKILL'));
    return started;
  };
  const api = await start('api');
  const worker = await start('worker');
  const db = await openSession(env, stack);

  await expect.poll(blockRead, { timeout: 60_000 }).not.toBeNull();
  await expect.poll(() => metric(api, STALLED), { timeout: 20_000 }).toBe('0');

  await worker.end('SIGKILL');
  const killedAt = performance.now();
  const sinceKill = () => performance.now() - killedAt + clock.aheadMs();
  const left = () => MAX_ALARM_MS - sinceKill();
  expect(await metric(api, STALLED)).toBe('0');
  await clock.pass(PASSED_MS);
  await expect.poll(() => metric(api, STALLED), { timeout: left(), interval: 250 }).toBe('1');
  await expect.poll(() => metric(api, ALARMS), { timeout: left(), interval: 250 }).toBe('1');
  expect(sinceKill()).toBeLessThan(MAX_ALARM_MS);
  expect(api.lines).toEqual([expect.objectContaining({ alarm: 'network_stalled', network: 'base' })]);

  // An hour later, by the database's rows: the lease has long expired.
  await db.query(
    'test_an_hour_later',
    `
    update chain_cursors
       set lease_until = lease_until - interval '1 hour', progressed_at = progressed_at - interval '1 hour',
         block_time = block_time - interval '1 hour'`,
    [],
  );
  expect(await metric(api, STALLED)).toBe('1');
  expect(await metric(api, /^quittance_network_behind_seconds\{network="base"\} (\d+)$/m)).toMatch(/^3[6-9]\d\d$/);
  const readyz = await (await fetch(`${api.url}/readyz`)).json();
  expect(readyz).toMatchObject({ networks: { base: { stalled: true } } });

  // It ends when a process reads the network again.
  await start('worker');
  await expect.poll(() => metric(api, STALLED), { timeout: 30_000, interval: 250 }).toBe('0');

  async function blockRead(): Promise<bigint | null> {
    const [row] = await db.query<{ block: bigint | null }>(
      'test_block_read',
      `select block_number as block from chain_cursors where network = 'base' and pass = 'first'`,
      [],
    );
    return row?.block ?? null;
  }
}, 300_000);

/** A customer can pay on base, in live mode. Returns the database of the service. */
async function openSession(env: Record<string, string>, stack: AsyncDisposableStack) {
  const app = await createApp(readConfig({ ...env, ROLE: 'api', PORT: '0' }), { log: pino({ level: 'silent' }) });
  stack.defer(() => app.close());
  const merchant = (await newMerchant(app.ctx, injector(app.server))).live;
  const wallet = await merchant.createWallet({
    asset: 'USDC',
    network: 'base',
    address: '0x52908400098527886E0F7030069857D2E4169EE7',
  });
  await merchant.createSession({ payout_wallet_id: wallet.id });
  return app.ctx.db;
}

async function metric(process: ServiceProcess, line: RegExp): Promise<string | undefined> {
  const page = await (await fetch(`${process.url}/metrics`)).text();
  return line.exec(page)?.[1];
}
