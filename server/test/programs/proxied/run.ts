import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingHttpHeaders, type IncomingMessage, get } from 'node:http';
import { request } from 'node:https';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { startEmbeddedDatabase } from '../../../src/platform/db/embedded/embedded.ts';
import { openDatabase } from '../../../src/platform/db/pool.ts';
import { newId } from '../../../src/platform/ids.ts';
import { createApiKey } from '../../../src/resources/accounts/api-keys.ts';
import { findOrCreateEmailAccount } from '../../../src/resources/accounts/store.ts';
import { QUIET } from '../../support/settings.ts';
import { haveSystemPackages } from '../../support/system-packages.ts';
import { startRelease } from '../side-by-side/process.ts';
import { startNginx } from './nginx.ts';

/**
 * The production profile behind a real nginx with the example of deploy/nginx and a self-signed certificate: what the
 * example promises, one row each.
 *
 *     npm run program -- proxied
 */
const SKIPPED = 75;
const NAME = 'pay.example.com';
const RATE_LIMIT = 10;
const MAX_FIRST_BYTE_MS = 2_000;
/** A heartbeat comes every 15 seconds. */
const HEARTBEAT_TIMEOUT_MS = 25_000;

if (!haveSystemPackages({ '/usr/sbin/nginx': 'nginx', '/usr/bin/openssl': 'openssl' })) process.exit(SKIPPED);
const root = fileURLToPath(new URL('../../../../', import.meta.url));
await using stack = new AsyncDisposableStack();
const dataDir = await mkdtemp(join(tmpdir(), 'quittance-proxied-'));
stack.defer(() => rm(dataDir, { recursive: true, force: true }));
const database = await startEmbeddedDatabase({ dataDir, log: pino({ level: 'silent' }) });
stack.defer(() => database.stop());
const service = await startRelease('the service', root, {
  ...QUIET,
  PROFILE: 'production',
  PUBLIC_URL: `https://${NAME}`,
  TRUSTED_PROXIES: '127.0.0.1',
  DATA_DIR: dataDir,
  DATABASE_URL: database.url,
  MASTER_KEY: randomBytes(32).toString('hex'),
  LOG_LEVEL: 'error',
  RATE_LIMIT_PER_SECOND: String(RATE_LIMIT),
});
stack.defer(() => service.stop());
const nginx = stack.use(await startNginx(root, Number(new URL(service.url).port)));
const key = await createKey();

const rows: [promise: string, seen: string, isKept: boolean][] = [];
const session = await createSession();
await checkPaths();
await checkBodies();
await checkAddresses();
await checkStream();
for (const [promise, seen, isKept] of rows)
  console.log(`${isKept ? 'ok     ' : 'FAILED '} ${promise.padEnd(62)} ${seen}`);
for (const line of service.errors) console.error(`FAILED: the service logged ${line}`);
if (rows.some(([, , isKept]) => !isKept) || service.errors.length > 0) process.exitCode = 1;

interface Call {
  method?: string;
  body?: string;
  headers?: Record<string, string>;
  /** The client's own address on the loopback network. */
  from?: string;
}

interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

async function open(path: string, { method = 'GET', body, headers, from = '127.0.0.1' }: Call = {}) {
  const sent = request({
    host: '127.0.0.1',
    port: nginx.tlsPort,
    servername: NAME,
    localAddress: from,
    // It signed itself.
    rejectUnauthorized: false,
    agent: false,
    path,
    method,
    headers: { host: NAME, ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
  });
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return response;
}

async function call(path: string, options: Call = {}): Promise<Answer> {
  const response = await open(path, options);
  return { status: response.statusCode ?? 0, headers: response.headers, body: await text(response) };
}

async function createKey(): Promise<string> {
  const db = openDatabase({ url: database.url, log: pino({ level: 'silent' }) });
  try {
    const now = await db.now();
    return await db.transaction(async (tx) => {
      const id = await findOrCreateEmailAccount(tx, { id: newId('acc'), email: 'proxied@merchant.example', now });
      return (await createApiKey(tx, { id, realNow: now }, { livemode: false, label: null })).secret;
    });
  } finally {
    await db.close();
  }
}

async function createSession(): Promise<string> {
  const headers = { authorization: `Bearer ${key}` };
  const post = (path: string, body: object) => call(path, { method: 'POST', headers, body: JSON.stringify(body) });
  const address = '0x52908400098527886E0F7030069857D2E4169EE7';
  await post('/v1/payout-wallets', { asset: 'USDC', network: 'base', address });
  const made = await post('/v1/checkout/sessions', { amount: '49.00' });
  rows.push(['a session is created over TLS', String(made.status), made.status === 201]);
  return (JSON.parse(made.body) as { data: { id: string } }).data.id;
}

async function checkPaths(): Promise<void> {
  const page = await call(`/checkout/${session}`);
  const hsts = String(page.headers['strict-transport-security']);
  rows.push([
    'the checkout page is served, with HSTS',
    `${page.status}, ${hsts}`,
    page.status === 200 && hsts.includes('max-age'),
  ]);
  const metrics = await call('/metrics', { headers: { 'x-forwarded-for': '10.0.0.1' } });
  rows.push([
    '/metrics does not exist, also for a forged private address',
    String(metrics.status),
    metrics.status === 404,
  ]);
  const ready = await call('/readyz');
  rows.push(['/readyz is there for a monitor outside', String(ready.status), ready.status === 200]);
  const plain = await new Promise<IncomingMessage>((resolve, reject) => {
    get(
      { host: '127.0.0.1', port: nginx.plainPort, path: '/docs?a=1', headers: { host: NAME }, agent: false },
      resolve,
    ).on('error', reject);
  });
  plain.resume();
  const to = plain.headers.location;
  rows.push([
    'plain HTTP is redirected to the same address',
    `${plain.statusCode}, ${to}`,
    to === `https://${NAME}/docs?a=1`,
  ]);
}

async function checkBodies(): Promise<void> {
  const post = (bytes: number) =>
    call('/v1/checkout/sessions', {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-length': String(bytes) },
      body: JSON.stringify({ description: 'x'.repeat(bytes - '{"description":""}'.length) }),
    });
  const [small, large] = [await post(200 * 1024), await post(300 * 1024)];
  rows.push(['a body of 200 kB reaches the service, which judges it', String(small.status), small.status === 400]);
  rows.push(['a body of 300 kB is refused', String(large.status), large.status === 413]);
}

/** One client exceeds its limit, with forged headers, while another one does not. */
async function checkAddresses(): Promise<void> {
  const path = `/v1/public/checkout/sessions/${session}`;
  const burst = Array.from({ length: RATE_LIMIT * 8 }, (_, at) =>
    call(path, { from: '127.0.0.2', headers: { 'x-forwarded-for': `203.0.113.${at}` } }),
  );
  const other = Array.from({ length: RATE_LIMIT / 2 }, () => call(path, { from: '127.0.0.3' }));
  const statuses = (await Promise.all(burst)).map(({ status }) => status);
  const others = (await Promise.all(other)).map(({ status }) => status);
  const refused = statuses.filter((status) => status === 429).length;
  rows.push([
    'a client is limited by its own address, not by a forged one',
    `${refused} of ${statuses.length} refused`,
    refused > 0,
  ]);
  const served = others.filter((status) => status === 200).length;
  rows.push(['another client is served meanwhile', `${served} of ${others.length}`, served === others.length]);
}

async function checkStream(): Promise<void> {
  const startedAt = performance.now();
  const stream = await open(`/v1/public/checkout/sessions/${session}/events`, { from: '127.0.0.4' });
  const waited = () => Math.round(performance.now() - startedAt);
  const type = String(stream.headers['content-type']);
  let firstMs: number | undefined;
  let heartbeatMs: number | undefined;
  const timeout = setTimeout(() => stream.destroy(), HEARTBEAT_TIMEOUT_MS);
  try {
    for await (const chunk of stream) {
      firstMs ??= waited();
      if (/^:\n/m.test(String(chunk)) && waited() > MAX_FIRST_BYTE_MS) heartbeatMs = waited();
      if (heartbeatMs !== undefined) break;
    }
  } catch {
    // Destroyed by the timeout: no heartbeat came.
  }
  clearTimeout(timeout);
  rows.push([
    'the first byte of an event stream passes at once',
    `${firstMs} ms, ${type}`,
    firstMs !== undefined && firstMs < MAX_FIRST_BYTE_MS && type.startsWith('text/event-stream'),
  ]);
  rows.push(['its heartbeat passes', `after ${heartbeatMs} ms`, heartbeatMs !== undefined]);
}
