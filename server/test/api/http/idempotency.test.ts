import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { pruneIdempotencyKeys } from '../../../src/platform/http/idempotency/idempotency-store.ts';
import { newId } from '../../../src/platform/ids.ts';
import { type Ground, startGround } from './ground.ts';

let ground: Ground;
let key: string;
let accountId: string;
let made = 0;

beforeAll(async () => {
  ground = await startGround();
});
afterAll(() => ground.stop());
beforeEach(() => {
  accountId = newId('acc');
  key = ground.key({ id: accountId });
  ground.hooks.inside = undefined;
});

const post = (idempotencyKey: string, body: unknown = { text: 'hello' }, { path = '/v1/notes', as = key } = {}) =>
  ground.call('POST', path, { as, body, headers: { 'idempotency-key': idempotencyKey } });
const count = async () =>
  (await ground.db.query('count_notes', 'select id from notes where account_id = $1', [accountId])).length;
const newKey = () => `order-${++made}`;

test('a repeat is answered with the same bytes, by a fresh request', async () => {
  const first = await post('repeat', { text: 'a', metadata: { b: '1', a: '2' } });
  const second = await ground.call('POST', '/v1/notes', {
    as: key,
    text: ' {"metadata": {"a":"2","b":"1"},"text":"a"}',
    headers: { 'idempotency-key': ' repeat ', 'content-type': 'application/json' },
  });

  expect([first.status, second.status, second.text]).toEqual([201, 201, first.text]);
  expect(first.headers.get('idempotent-replayed')).toBeNull();
  expect(second.headers.get('idempotent-replayed')).toBe('true');
  expect(second.headers.get('original-request')).toBe(first.headers.get('request-id'));
  expect(second.headers.get('request-id')).not.toBe(first.headers.get('request-id'));
  expect(second.headers.get('content-type')).toBe(first.headers.get('content-type'));
  expect(await count()).toBe(1);
});

test('another body, path or method with the same key is 409 idempotency_conflict', async () => {
  await post('conflict', { text: 'a' });
  for (const answer of [
    await post('conflict', { text: 'b' }),
    await post('conflict', { text: 7 }),
    await post('conflict', {}),
    await post('conflict', { text: 'a' }, { path: '/v1/prepared' }),
  ]) {
    expect([answer.status, answer.json.error.code, answer.json.error.param]).toEqual([
      409,
      'idempotency_conflict',
      'Idempotency-Key',
    ]);
  }
  expect(await count()).toBe(1);
});

test('a key belongs to its account and mode', async () => {
  const first = await post('scoped');
  const foreign = await post('scoped', undefined, { as: ground.key() });
  const otherMode = await post('scoped', undefined, { as: ground.key({ id: accountId, livemode: false }) });
  expect(new Set([first, foreign, otherMode].map(({ json }) => json.data.id)).size).toBe(3);
  const rotated = await post('scoped', undefined, { as: ground.key({ id: accountId }) });
  expect(rotated.text).toBe(first.text);
});

test('without an account a key belongs to the object in the path, however its path is written', async () => {
  const id = newId('tr');
  const open = (path: string) =>
    ground.call('POST', `/v1/public/notes/${path}/open`, { headers: { 'idempotency-key': 'public' } });
  const first = await open(id);
  const again = await open(`%74${id.slice(1)}`);
  const other = await open(newId('tr'));
  expect([first.status, again.text]).toEqual([201, first.text]);
  expect(other.json.data.id).not.toBe(first.json.data.id);
});

test('100 at once make one object and 100 identical answers', async () => {
  const answers = await Promise.all(Array.from({ length: 100 }, () => post('race')));

  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  expect(answers.filter(({ headers }) => headers.get('idempotent-replayed') === null)).toHaveLength(1);
  expect(new Set(answers.map(({ headers }) => headers.get('request-id'))).size).toBe(100);
  expect(await count()).toBe(1);
});

test('100 at once with two bodies: one object, the others replayed or in conflict', async () => {
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, index) => post('two-bodies', { text: index % 2 ? 'first' : 'second' })),
  );
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(50);
  expect(answers.filter(({ json }) => json.error?.code === 'idempotency_conflict')).toHaveLength(50);
  expect(await count()).toBe(1);
});

test('two servers over one database make one object', async () => {
  const other = await startGround({
    database: ground.db,
    credentials: { findByKeyHash: async () => ({ ...(await caller()) }), findByTokenHash: async () => undefined },
  });
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, index) =>
      index % 2
        ? post('two-servers')
        : other.call('POST', '/v1/notes', {
            as: ground.key(),
            body: { text: 'hello' },
            headers: { 'idempotency-key': 'two-servers' },
          }),
    ),
  );
  await other.stop();

  expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
  expect(answers[0]?.status).toBe(201);

  async function caller() {
    const now = await ground.db.now();
    return {
      id: accountId,
      livemode: true,
      via: 'key' as const,
      keyId: null,
      scopes: null,
      loginMethod: 'email' as const,
      defaults: {},
      now,
      realNow: now,
    };
  }
});

test('a rejected request is not stored: the same key works once the body is valid', async () => {
  expect((await post('mended', { text: 5 })).status).toBe(400);
  expect((await post('mended', { text: 'right' })).status).toBe(201);
});

test('a handler that fails leaves nothing, and the next request runs afresh', async () => {
  ground.hooks.inside = async () => {
    throw new Error('crash');
  };
  expect((await post('rolled-back')).status).toBe(500);
  expect(await count()).toBe(0);

  ground.hooks.inside = undefined;
  const again = await post('rolled-back');
  expect([again.status, again.headers.get('idempotent-replayed'), await count()]).toEqual([201, null, 1]);
});

test('of those that wait for one that fails, one runs and the others are given its answer', async () => {
  const arrived = Promise.withResolvers<void>();
  const opened = Promise.withResolvers<void>();
  let runs = 0;
  ground.hooks.inside = async () => {
    runs += 1;
    arrived.resolve();
    await opened.promise;
    if (runs === 1) throw new Error('crash');
  };
  const first = post('failing-first');
  await arrived.promise;
  const others = Array.from({ length: 20 }, () => post('failing-first'));
  opened.resolve();

  expect((await first).status).toBe(500);
  expect(new Set((await Promise.all(others)).map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
  expect([runs, await count()]).toEqual([2, 1]);
});

test('those that wait for one keep no other change of the account waiting', async () => {
  const arrived = Promise.withResolvers<void>();
  const opened = Promise.withResolvers<void>();
  ground.hooks.inside = async () => {
    arrived.resolve();
    await opened.promise;
  };
  const first = post('slow');
  await arrived.promise;
  const others = Array.from({ length: 8 }, () => post('slow'));
  // Refused by its handler at once, which shows that its turn came.
  ground.hooks.inside = async () => {
    throw new Error('crash');
  };
  const other = await Promise.race([post('quick'), Promise.race(others)]);
  opened.resolve();
  expect(other?.status).toBe(500);
  expect(new Set((await Promise.all([first, ...others])).map(({ status }) => status))).toEqual(new Set([201]));
});

test("an answer expires after 24 hours of the database's clock", async () => {
  const first = await post('expiring');
  const age = (interval: string) =>
    ground.db.query(
      `age_${interval}`,
      `update idempotency_keys set expires_at = expires_at - interval '${interval}' where account_id = $1`,
      [accountId],
    );
  await age('23 hours 59 minutes');
  expect((await post('expiring')).text).toBe(first.text);

  await age('2 minutes');
  const later = await Promise.all(Array.from({ length: 20 }, () => post('expiring', { text: 'another' })));
  expect(new Set(later.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
  expect(later[0]?.json.data.text).toBe('another');
  expect(await count()).toBe(2);
});

test('expired answers are deleted in batches', async () => {
  for (const name of ['x', 'y', 'z']) await post(name);
  await ground.db.query('expire_all', `update idempotency_keys set expires_at = '2020-01-01' where account_id = $1`, [
    accountId,
  ]);
  const now = await ground.db.now();
  expect(await pruneIdempotencyKeys(ground.db, now, 2)).toBe(2);
  expect(await pruneIdempotencyKeys(ground.db, now, 100)).toBe(1);
  expect(await pruneIdempotencyKeys(ground.db, now)).toBe(0);
});

test('a key held elsewhere for longer than the wait is 409 idempotency_in_progress', { timeout: 15_000 }, async () => {
  const claimed = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const holder = ground.db
    .transaction(async (db) => {
      await db.query(
        'hold_key',
        `insert into idempotency_keys (account_id, livemode, key, fingerprint, request_id, expires_at)
          values ($1, true, 'held', '', 'req', now() + interval '1 day')`,
        [accountId],
      );
      claimed.resolve();
      await release.promise;
      throw new Error('given up');
    })
    .catch(() => {});
  await claimed.promise;

  const answer = await post('held');
  expect([answer.status, answer.json.error.code, answer.headers.get('retry-after')]).toEqual([
    409,
    'idempotency_in_progress',
    '1',
  ]);
  release.resolve();
  await holder;
  expect((await post('held')).status).toBe(201);
});

test('the answer of a secret is stored sealed and replayed plain', async () => {
  const first = await post('sealed', undefined, { path: '/v1/secrets' });
  const second = await post('sealed', undefined, { path: '/v1/secrets' });
  expect([first.json.data.text, second.text]).toEqual(['whsec_secret', first.text]);
  const [row] = await ground.db.query<{ body: Buffer; sealed: boolean }>(
    'stored',
    'select body, sealed from idempotency_keys where account_id = $1',
    [accountId],
  );
  expect([row?.sealed, row?.body.includes('whsec_')]).toEqual([true, false]);
});

test('a call to an external service before the transaction happens once per answer', async () => {
  let visits = 0;
  ground.hooks.inside = async () => {
    visits += 1;
  };
  const name = newKey();
  const first = await post(name, { text: 'x' }, { path: '/v1/prepared' });
  const second = await post(name, { text: 'x' }, { path: '/v1/prepared' });
  expect(first.json.data.text).toBe('prepared x');
  expect(second.text).toBe(first.text);
  // Once before the transaction and once inside it.
  expect(visits).toBe(2);
});

test('a public key belongs to the object in the path', async () => {
  const path = `/v1/public/notes/${newId('tr')}/open`;
  const open = (target: string) => ground.call('POST', target, { headers: { 'idempotency-key': 'click' } });
  const [first, second, other] = [
    await open(path),
    await open(path),
    await open(`/v1/public/notes/${newId('tr')}/open`),
  ];
  expect(second.text).toBe(first.text);
  expect(other.json.data.id).not.toBe(first.json.data.id);
});

describe('keys', () => {
  test('one character and 255 are taken, any legal bytes', async () => {
    for (const name of ['a', 'b'.repeat(255), 'ü ÿ"\'{}']) {
      const [first, second] = [await post(name), await post(name)];
      expect([first.status, second.text]).toEqual([201, first.text]);
    }
  });

  test('an empty one and one of 256 are refused', async () => {
    for (const name of ['', '   ', 'c'.repeat(256)]) {
      const answer = await post(name);
      expect([answer.status, answer.json.error.code, answer.json.error.param]).toEqual([
        400,
        'invalid_request',
        'Idempotency-Key',
      ]);
    }
  });

  test('a revoked credential gets no replay', async () => {
    await post('revoked');
    ground.revoke(key);
    expect((await post('revoked')).status).toBe(401);
  });

  test('reads do not look at it', async () => {
    expect((await ground.call('GET', '/v1/notes', { as: key, headers: { 'idempotency-key': '' } })).status).toBe(200);
  });
});
