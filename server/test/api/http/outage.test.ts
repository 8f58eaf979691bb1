import { connect, createServer, type Server, type Socket } from 'node:net';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Database } from '../../../src/platform/db/db.ts';
import { openDatabase } from '../../../src/platform/db/pool.ts';
import { newId } from '../../../src/platform/ids.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { listen } from '../../support/listen.ts';
import { type Answer, type Ground, startGround } from './ground.ts';

const log = pino({ level: 'silent' });

/** A proxy between the service and its database that cuts the next connection that commits. */
interface Cutter {
  url: string;
  cut: 'before' | 'after' | null;
  close(): void;
}

let direct: TestDatabase;
let cutter: Cutter;
let database: Database;
let ground: Ground;
const accountId = newId('acc');

beforeAll(async () => {
  direct = await createTestDatabase();
  await direct.db.query(
    'make_notes',
    'create table notes (id text primary key, account_id text, livemode boolean, text text, created_at timestamptz(3))',
  );
  cutter = await startCutter(direct.url);
  database = openDatabase({ url: cutter.url, log, connections: 4 });
  ground = await startGround({ database });
});
afterAll(async () => {
  await ground.stop();
  await database.close();
  cutter.close();
  await direct.drop();
});

const post = (as: string, idempotencyKey: string): Promise<Answer> =>
  ground.call('POST', '/v1/notes', { as, body: { text: 'x' }, headers: { 'idempotency-key': idempotencyKey } });
const count = async () =>
  (await direct.db.query('count_notes', 'select id from notes where account_id = $1', [accountId])).length;

describe('a connection lost while committing', () => {
  test.each(['before', 'after'] as const)(
    'cut %s the commit took place: 503, and the retry settles it',
    async (moment) => {
      const as = ground.key({ id: accountId });
      const before = await count();
      cutter.cut = moment;
      const first = await post(as, `cut-${moment}`);
      expect([first.status, first.json.error.code, first.headers.get('retry-after')]).toEqual([
        503,
        'service_unavailable',
        '1',
      ]);
      expect(await count()).toBe(before + (moment === 'after' ? 1 : 0));

      const second = await post(as, `cut-${moment}`);
      expect([second.status, second.headers.get('idempotent-replayed')]).toEqual([
        201,
        moment === 'after' ? 'true' : null,
      ]);
      expect((await post(as, `cut-${moment}`)).text).toBe(second.text);
      expect(await count()).toBe(before + 1);
    },
  );

  test('100 at once of which the first is cut: one object all the same', async () => {
    const as = ground.key({ id: accountId });
    const before = await count();
    cutter.cut = 'after';
    const answers = await Promise.all(Array.from({ length: 100 }, () => post(as, 'cut-race')));
    expect(answers.filter(({ status }) => status === 503)).toHaveLength(1);
    expect(new Set(answers.filter(({ status }) => status === 201).map(({ text }) => text)).size).toBe(1);
    expect(await count()).toBe(before + 1);
  });
});

test('an unreachable database is 503 with all headers, for every caller', async () => {
  const gone = openDatabase({ url: 'postgres://nobody@127.0.0.1:1/none', log });
  const own = await startGround({
    database: gone,
    credentials: {
      findByKeyHash: () => gone.query('find_key', 'select 1') as never,
      findByTokenHash: async () => undefined,
    },
  });
  for (const answer of [
    await own.call('GET', '/v1/notes', { as: own.key() }),
    await own.call('POST', `/v1/public/notes/${newId('tr')}/open`),
  ]) {
    expect([answer.status, answer.json.error.code, answer.headers.get('retry-after')]).toEqual([
      503,
      'service_unavailable',
      '1',
    ]);
    expect(answer.headers.get('x-ratelimit-limit')).toBe('10000');
    expect(answer.headers.get('request-id')).toBe(answer.json.request_id);
  }
  expect((await own.call('GET', '/healthz')).status).toBe(200);
  await own.stop();
  await gone.close();
});

async function startCutter(databaseUrl: string): Promise<Cutter> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  const server: Server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket
        .on('error', () => {})
        .on('close', () => {
          client.destroy();
          upstream.destroy();
        });
    }
    let isCutting = false;
    client.on('data', (chunk) => {
      if (cutter.cut && chunk.includes('commit\0')) {
        isCutting = cutter.cut === 'after';
        cutter.cut = null;
        if (!isCutting) {
          client.destroy();
          return;
        }
      }
      upstream.write(chunk);
    });
    upstream.on('data', (chunk) => (isCutting ? client.destroy() : client.write(chunk)));
  });
  const { port } = await listen(server);
  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String(port);
  return {
    url: url.href,
    cut: null,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
