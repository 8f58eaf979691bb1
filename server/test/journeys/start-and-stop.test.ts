import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startEmbeddedDatabase } from '../../src/platform/db/embedded/embedded.ts';
import { createLogger } from '../../src/platform/log.ts';
import { newDataDirectory } from '../support/data-directory.ts';
import { createTestDatabase, refuseWrites } from '../support/database.ts';
import { listen } from '../support/listen.ts';
import { bundledService } from '../support/service-bundle.ts';
import { endProcess } from '../support/service-process.ts';
import { QUIET } from '../support/settings.ts';

// Whole processes are started and killed here.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

let dataDir: string;
let services: ChildProcess[];

beforeEach(async () => {
  dataDir = await newDataDirectory();
  services = [];
});
afterEach(async () => {
  await Promise.all(services.map((service) => endProcess(service, 'SIGKILL')));
  // Takes over a database without an owner, to stop it.
  if (existsSync(join(dataDir, 'postgres/cluster/postmaster.pid')))
    await (await startEmbeddedDatabase({ dataDir, log: createLogger('silent') })).stop();
  await rm(dataDir, { recursive: true, force: true });
});

test('a first start makes a demo account whose key works at once, and a later one prints the same key with its data', async () => {
  await rm(dataDir, { recursive: true });
  await mkdir(dataDir);
  const first = await start();
  const session = await first.createSession();
  expect(session).toMatchObject({ status: 201, body: { data: { status: 'created', livemode: false } } });
  expect(await endProcess(first.process, 'SIGTERM')).toBe(0);

  const second = await start();
  expect(second.key).toBe(first.key);
  expect(await second.get(`/v1/checkout/sessions/${session.body.data.id}`)).toMatchObject({
    status: 200,
    body: { data: { id: session.body.data.id } },
  });
});

test.each<[string, Record<string, string>]>([
  ['http://shop.localhost:0', {}],
  ['http://[::1]:0', { HOST: '::1' }],
])('the demo receives its webhooks with PUBLIC_URL=%s', async (publicUrl, env) => {
  const service = await start({ PUBLIC_URL: publicUrl, ...env }, ['--demo']);
  expect(service.url).toBe(publicUrl.replace(/:0$/, `:${new URL(service.url).port}`));
  expect(service.printed).toContain('Webhook secret');
  // Node does not resolve names below localhost; browsers do.
  const inbox = async () => (await fetch(`${service.url.replace('shop.localhost', '127.0.0.1')}/dev/webhooks`)).text();
  await expect.poll(inbox, { timeout: 30_000 }).toContain('payment.paid');
});

test('a demo receiver that is not allowed does not keep the service from starting', async () => {
  const service = await start({ PUBLIC_URL: 'http://127.0.0.1:0', WEBHOOK_ALLOW_PRIVATE: 'false' }, ['--demo']);
  expect(service.printed).not.toContain('Webhook secret');
  expect(service.printed).toContain('Checkout');
});

test('a demo account that cannot be read does not keep the service from starting', async () => {
  await writeFile(join(dataDir, 'demo.json'), '{"accountId":');
  const service = await start({}, ['--demo']);
  expect(await service.createSession()).toMatchObject({ status: 201 });
});

test('secrets kept in the data directory are for its owner only', async () => {
  await start();
  for (const file of ['master.key', 'demo.json', 'postgres/password'])
    expect((await stat(join(dataDir, file))).mode & 0o777).toBe(0o600);
  expect(await readFile(join(dataDir, 'master.key'), 'utf8')).toMatch(/^[0-9a-f]{64}\n$/);
});

test('settings that do not fit are named all at once, without a stack', async () => {
  const { code, errors } = await refused({ PROFILE: 'production', PORT: 'eighty', ROLE: 'everything' });
  // systemd's unit does not start it again after this code, which is EX_CONFIG of sysexits.h.
  expect(code).toBe(78);
  for (const name of ['PUBLIC_URL', 'MASTER_KEY', 'PORT', 'ROLE']) expect(errors).toContain(`- ${name} `);
  expect(errors).not.toMatch(/^\s+at /m);
});

test('a database that accepts no writes, such as a standby, is refused in one line', async () => {
  const database = await createTestDatabase();
  try {
    await refuseWrites(database.url);
    const { code, errors } = await refused({ DATABASE_URL: database.url });
    expect(code).toBe(1);
    expect(errors.trim().split('\n')).toEqual([expect.stringMatching(/accepts no writes: it is a standby .*primary/)]);
  } finally {
    await database.drop();
  }
});

test.each(['PORT', 'METRICS_PORT'])('a %s in use is named before a database is made', async (setting) => {
  await rm(dataDir, { recursive: true });
  await using taken = await listen(createServer());
  const { port } = taken;
  const { code, errors } = await refused({ [setting]: String(port) });
  expect(code).toBe(1);
  expect(errors).toMatch(new RegExp(`^Port ${port} is already in use .* another ${setting}\\.$`, 'm'));
  expect(existsSync(dataDir)).toBe(false);
});

test('a production start prints a setup link while there is no account, and each start prints another', async () => {
  const links = new Set<string>();
  for (let starts = 0; starts < 2; starts += 1) {
    const service = await run({
      PROFILE: 'production',
      PUBLIC_URL: 'https://pay.example.com',
      MASTER_KEY: '11'.repeat(32),
      DATABASE_URL: 'embedded',
      LOG_LEVEL: 'info',
    });
    let printed = '';
    for await (const chunk of service.stdout as NodeJS.ReadableStream) {
      printed += chunk;
      if (printed.includes('"server started"')) break;
    }
    const [link] = /https:\/\/pay\.example\.com\/dashboard\/sign-in#invitation=\w{43}/.exec(printed) ?? [];
    links.add(link ?? printed);
    expect(await endProcess(service, 'SIGTERM')).toBe(0);
  }
  expect([...links]).toEqual([expect.stringMatching(/^https/), expect.stringMatching(/^https/)]);
});

test.runIf(process.getuid?.() === 0)('root on a machine without `unshare` gets instructions', async () => {
  const { code, errors } = await refused({ PATH: '/nonexistent' });
  expect(code).toBe(1);
  expect(errors).toMatch(/unshare.*DATABASE_URL/s);
});

interface Service {
  process: ChildProcess;
  url: string;
  key: string;
  printed: string;
  get(path: string): Promise<{ status: number; body: any }>;
  createSession(): Promise<{ status: number; body: any }>;
}

async function run(env: Record<string, string>, args: string[] = []): Promise<ChildProcess> {
  const service = spawn(process.execPath, [(await bundledService()).main, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...QUIET,
      PATH: process.env.PATH,
      DATA_DIR: dataDir,
      PORT: '0',
      ...env,
    },
  });
  services.push(service);
  return service;
}

/** Starts the real process and reads what it prints. */
async function start(env: Record<string, string> = {}, args: string[] = []): Promise<Service> {
  const service = await run(env, args);
  let printed = '';
  for await (const chunk of service.stdout as NodeJS.ReadableStream) {
    printed += chunk;
    // The greeting's last line.
    if (printed.includes('Signed in as')) break;
  }
  const [, url] = /API\s+(http:\S+)\/v1/.exec(printed) ?? [];
  const [key] = /sk_test_\w+/.exec(printed) ?? [];
  if (!url || !key)
    throw new Error(`the service printed: ${printed} ${await text(service.stderr as NodeJS.ReadableStream)}`);

  const call = async (method: string, path: string, body?: object) => {
    const response = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.json() };
  };
  return {
    process: service,
    url,
    key,
    printed,
    get: (path) => call('GET', path),
    createSession: () => call('POST', '/v1/checkout/sessions', { amount: '49.00', currency: 'USD' }),
  };
}

async function refused(env: Record<string, string>): Promise<{ code: number | null; errors: string }> {
  const service = await run(env);
  const errors = text(service.stderr as NodeJS.ReadableStream);
  const [code] = (await once(service, 'exit')) as [number | null];
  return { code, errors: await errors };
}
