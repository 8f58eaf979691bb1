import { readFile, writeFile } from 'node:fs/promises';
import { connect as connectSocket } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { generateTestHeader } from '@quittance/sdk/webhooks';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../src/platform/db/embedded/postmaster.ts';
import { type Project, startProject } from '../support/guides.ts';
import { createTestDatabase, startApp, type TestApp, type TestDatabase } from '../support/index.ts';

// The servers of the guides, when a request, a handler or a process fails.
const MIB = 1024 * 1024;
const SECRET = 'whsec_test';
let app: TestApp;
let database: TestDatabase;
let project: Project;
let port: number;

beforeAll(async () => {
  database = await createTestDatabase();
  app = await startApp({ database, listen: true });
  port = await freePort();
  project = await startProject({ url: app.url, key: '', port });
});
afterAll(async () => {
  await project?.[Symbol.asyncDispose]();
  await app?.stop();
});

test.each(['receiver.mjs', 'public-key.mjs', 'chat.mjs', 'instead-of-commerce.mjs'])(
  '%s goes on after a closed connection, an endless body and a wrong signature',
  async (file) => {
    await using shop = await startProject({
      url: app.url,
      key: '',
      port,
      env: {
        WEBHOOK_SECRET: SECRET,
        CHAT_URL: 'http://localhost:9/slack',
        JWKS_URL: `${app.url}/.well-known/jwks.json`,
        WEBHOOK_ENDPOINT: 'we_1',
      },
    });
    await shop.serve(file).line(/localhost/);
    for (let times = 0; times < 3; times += 1) await closeEarly();
    expect((await post('x'.repeat(MIB + 1))).status).toBe(400);
    const header = await generateTestHeader('{}', 'whsec_other');
    expect((await post('{}', { 'service-signature': header })).status).toBe(400);
  },
);

test.each([
  ['shop.mjs', 'POST', '/orders', '/thanks'],
  ['own-page.mjs', 'GET', '/', '/checkout'],
])('%s asks for patience if the service refuses a session, and goes on', async (file, method, path, other) => {
  await using shop = await startProject({ url: app.url, key: `sk_test_${'0'.repeat(36)}`, port });
  await shop.serve(file).line(/^http:/);
  const refused = await fetch(`http://localhost:${port}${path}`, { method });
  expect([refused.status, await refused.text()]).toEqual([503, 'Please try again in a minute.']);
  expect((await fetch(`http://localhost:${port}${other}`)).status).toBe(200);
});

test('the longest event that requests can make is far below what a receiver reads', async () => {
  // No character that a text may have takes more bytes.
  const long = (length: number) => '😀'.repeat(length);
  await app.merchant.createWallet();
  const metadata = Object.fromEntries(
    Array.from({ length: 50 }, (_, number) => [`${long(38)}${10 + number}`, long(500)]),
  );
  const { id } = await app.merchant.post('/checkout/sessions', {
    amount: '49.00',
    order_id: long(200),
    metadata,
    customer: { email: `${'a'.repeat(60)}@example.com`, name: 'n'.repeat(200), reference: long(200) },
  });
  const { data } = await app.merchant.get('/events?limit=1');
  expect(data[0].data.session).toBe(id);
  const bytes = Buffer.byteLength(JSON.stringify(data[0]));
  expect(bytes).toBeGreaterThan(100_000);
  expect(bytes).toBeLessThan(120_000);
});

test('an event is handled in the transaction of its mark: again after a rollback, once by two processes at the same time', async () => {
  const printed = join(project.folder, 'handle-once.mjs');
  const { handleOnce } = (await import(pathToFileURL(printed).href)) as {
    handleOnce(db: pg.ClientBase, event: object, update: (db: pg.ClientBase) => unknown): Promise<boolean>;
  };
  const [one, two] = [await connect(), await connect()];
  try {
    const [, table = ''] = /^\/\/ (create table .*)$/m.exec(await readFile(printed, 'utf8')) ?? [];
    await one.query(table);
    await one.query('create table fulfilled (payment text)');
    const fulfill = (db: pg.ClientBase) => db.query(`insert into fulfilled values ('pay_1')`);

    const failing = transaction(one, async () => {
      await handleOnce(one, EVENT, fulfill);
      throw new Error('The commit failed.');
    });
    await expect(failing).rejects.toThrow('The commit failed.');
    expect((await one.query('select from fulfilled')).rowCount).toBe(0);

    const both = [one, two].map((db) => transaction(db, () => handleOnce(db, EVENT, fulfill)));
    expect((await Promise.all(both)).toSorted()).toEqual([false, true]);
    expect(await transaction(two, () => handleOnce(two, EVENT, fulfill))).toBe(false);
    expect((await one.query('select from fulfilled')).rowCount).toBe(1);
  } finally {
    await one.end();
    await two.end();
  }
});

test('an event is handled once in one process, and again after its handler failed', async () => {
  const text = project.block('webhooks.md', 'import { newestEvents }');
  const [imported = '', ...lines] = text.split('\n');
  const [made = '', ...each] = lines.filter(Boolean);
  await writeFile(
    join(project.folder, 'in-memory.mjs'),
    [imported, made, `export async function handle(event, fulfill) { ${each.join('\n')}\n}`].join('\n'),
  );
  const { handle } = (await import(pathToFileURL(join(project.folder, 'in-memory.mjs')).href)) as {
    handle(event: object, fulfill: (type: string, data: object) => void): Promise<void>;
  };
  const fulfilled: string[] = [];
  const failing = handle(EVENT, () => {
    throw new Error('The shop is closed.');
  });
  await expect(failing).rejects.toThrow('The shop is closed.');
  for (let times = 0; times < 2; times += 1) await handle(EVENT, (type) => void fulfilled.push(type));
  expect(fulfilled).toEqual(['payment.paid']);
});

const EVENT = {
  id: 'evt_1',
  type: 'payment.paid',
  created: '2026-03-14T09:26:53Z',
  data: { id: 'pay_1', order_id: 'order-1001', sequence: 3, created_at: '2026-03-14T09:20:00Z' },
};

function post(body: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`http://localhost:${port}/webhooks`, { method: 'POST', body, headers });
}

/** Ends a request in the middle of its body, as a stranger would. */
async function closeEarly(): Promise<void> {
  const socket = connectSocket(port, 'localhost');
  await new Promise((resolve) => {
    socket.write('POST / HTTP/1.1\r\nHost: shop\r\nExpect: 100-continue\r\nContent-Length: 100\r\n\r\n{', resolve);
  });
  // The answer to Expect says that the receiver has the request.
  await new Promise((resolve) => socket.once('data', resolve));
  socket.resetAndDestroy();
}

async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  return client;
}

async function transaction<T>(db: pg.Client, work: () => Promise<T>): Promise<T> {
  await db.query('begin');
  try {
    const result = await work();
    await db.query('commit');
    return result;
  } catch (error) {
    await db.query('rollback');
    throw error;
  }
}
