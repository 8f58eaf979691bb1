import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sha256 } from '../../../src/platform/secrets.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import type { Merchant } from '../../support/merchant.ts';

let app: TestApp;
let owner: Merchant;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

const newOwner = async () => (owner = (await app.newMerchant()).dashboard);
const create = (body: unknown, token = owner.loginToken) => app.inject('POST', '/v1/api-keys', { token, body });
const rotate = (id: string, token = owner.loginToken, body?: unknown) =>
  app.inject('POST', `/v1/api-keys/${id}/rotate`, { token, body });
const remove = (id: string, token = owner.loginToken) => app.inject('DELETE', `/v1/api-keys/${id}`, { token });
const list = (query?: Record<string, string | number>) =>
  app.inject('GET', '/v1/api-keys', { token: owner.loginToken, query });
/** As if the overlap had begun a week earlier. */
const endOverlap = (id: string) =>
  app.ctx.db.query(
    'end_overlap',
    `update api_keys set previous_expires_at = previous_expires_at - interval '7 days' where id = $1`,
    [id],
  );
const works = async (secret: string) => (await app.inject('GET', '/v1/account', { token: secret })).status === 200;

describe('POST /v1/api-keys', () => {
  beforeAll(newOwner);

  test.each(['live', 'test'])('201: a key of %s mode, with its secret this once', async (mode) => {
    const answer = await create({ mode, label: 'Web shop' });

    expect(answer.status).toBe(201);
    expect(answer.headers['cache-control']).toBe('no-store');
    const key = answer.body.data;
    expect(key).toEqual({
      id: expect.stringMatching(/^key_[0-9A-Za-z]{24}$/),
      object: 'api_key',
      livemode: mode === 'live',
      label: 'Web shop',
      last4: key.secret.slice(-4),
      created_at: expect.any(String),
      last_used_at: null,
      secret: expect.stringMatching(mode === 'live' ? /^sk_live_[0-9A-Za-z]{36}$/ : /^sk_test_[0-9A-Za-z]{36}$/),
    });
    const account = await app.inject('GET', '/v1/account', { token: key.secret });
    expect(account.body.data).toMatchObject({ id: owner.accountId, livemode: mode === 'live' });
  });

  test('201: without a label; two keys never have one secret', async () => {
    const [one, two] = [await create({ mode: 'test' }), await create({ mode: 'test', label: '  ' })];
    expect([one.body.data.label, two.body.data.label]).toEqual([null, null]);
    expect(one.body.data.secret).not.toBe(two.body.data.secret);
  });

  test('the secret is kept as a hash only', async () => {
    const { secret } = (await create({ mode: 'live' })).body.data;
    const [row] = await app.ctx.db.query<{ dump: string }>(
      'dump_keys',
      `
      select (select string_agg(k::text, ' ') from api_keys k) || coalesce((select string_agg(i::text, ' ')
        from idempotency_keys i), '') as dump`,
    );
    expect(row?.dump).not.toContain(secret.slice(8, 38));
    expect(row?.dump).toContain(sha256(secret).toString('hex'));
  });

  test('an Idempotency-Key is ignored, because nothing may store the secret', async () => {
    const ask = () =>
      app.inject('POST', '/v1/api-keys', {
        token: owner.loginToken,
        body: { mode: 'test' },
        headers: { 'idempotency-key': 'same' },
      });
    const [one, two] = [await ask(), await ask()];
    expect([one.status, two.status]).toEqual([201, 201]);
    expect(two.body.data.secret).not.toBe(one.body.data.secret);
  });

  test.each([
    ['mode', {}],
    ['mode', { mode: null }],
    ['mode', { mode: 'LIVE' }],
    ['mode', { mode: 'sandbox' }],
    ['mode', { mode: true }],
    ['label', { mode: 'test', label: 5 }],
    ['label', { mode: 'test', label: 'x'.repeat(101) }],
    ['label', { mode: 'test', label: 'a\u0000' }],
    ['label', { mode: 'test', label: '\udfff' }],
  ])('400 invalid_request: %s of %j', async (param, body) => {
    expect(await create(body)).toMatchObject({ status: 400, body: { error: { code: 'invalid_request', param } } });
  });

  test('401 without a login, 403 forbidden with a secret key', async () => {
    for (const [method, path] of [
      ['POST', ''],
      ['GET', ''],
      ['POST', '/key_9mJd3RxVt7KqWn5ZbLc2HsPf/rotate'],
      ['DELETE', '/key_9mJd3RxVt7KqWn5ZbLc2HsPf'],
    ] as const) {
      const body = method === 'POST' && path === '' ? { mode: 'live' } : undefined;
      expect((await app.inject(method, `/v1/api-keys${path}`, { body })).status).toBe(401);
      for (const token of [owner.liveKey, owner.testKey]) {
        expect(await app.inject(method, `/v1/api-keys${path}`, { token, body })).toMatchObject({
          status: 403,
          body: { error: { code: 'forbidden' } },
        });
      }
    }
  });
});

describe('GET /v1/api-keys', () => {
  beforeAll(newOwner);

  test('200: newest first, in pages, without secrets, of both modes or of one', async () => {
    const made: string[] = [];
    for (let count = 0; count < 5; count += 1)
      made.unshift((await create({ mode: count % 2 ? 'live' : 'test' })).body.data.id);

    const all = await list();
    expect(all.body.data.map((key: { id: string }) => key.id).slice(0, 5)).toEqual(made);
    expect(all.raw).not.toContain('sk_');
    const first = await list({ limit: 2 });
    expect(first.body.pagination).toEqual({ cursor: expect.stringMatching(/^cur_/), has_more: true });
    const second = await list({ limit: 2, cursor: first.body.pagination.cursor });
    const byId = await list({ limit: 2, starting_after: first.body.data[1].id });
    expect(second.body.data.map((key: { id: string }) => key.id)).toEqual(made.slice(2, 4));
    expect(byId.body.data).toEqual(second.body.data);
    const test = await list({ mode: 'test' });
    expect(test.body.data.every((key: { livemode: boolean }) => !key.livemode)).toBe(true);
  });

  test('200: a use is noted, a revoked key is left out', async () => {
    const key = (await create({ mode: 'test' })).body.data;
    await works(key.secret);
    await expect.poll(async () => (await list()).body.data[0].last_used_at).not.toBeNull();
    await remove(key.id);
    expect((await list()).body.data.map((one: { id: string }) => one.id)).not.toContain(key.id);
  });

  test.each<Record<string, string | number>>([
    { limit: 0 },
    { limit: 101 },
    { limit: 'ten' },
    { cursor: 'cur_forged' },
    { cursor: 'key_9mJd3RxVt7KqWn5ZbLc2HsPf' },
    { mode: 'sandbox' },
  ])('400 invalid_list_request: %j', async (query) => {
    expect(await list(query)).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_list_request', param: Object.keys(query)[0] } },
    });
  });
});

describe('POST /v1/api-keys/{id}/rotate', () => {
  beforeAll(newOwner);

  test('200: a new secret, and the old one is refused from that moment', async () => {
    const key = (await create({ mode: 'live', label: 'Shop' })).body.data;
    expect(await works(key.secret)).toBe(true);

    const answer = await rotate(key.id);

    expect(answer.status).toBe(200);
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(answer.body.data).toMatchObject({
      id: key.id,
      livemode: true,
      label: 'Shop',
      last4: answer.body.data.secret.slice(-4),
    });
    expect(answer.body.data.secret).not.toBe(key.secret);
    expect(await works(key.secret)).toBe(false);
    expect(await works(answer.body.data.secret)).toBe(true);
  });

  test('200: with an overlap both secrets work until it ends, and the key says when', async () => {
    const key = (await create({ mode: 'live' })).body.data;
    const rotated = (await rotate(key.id, owner.loginToken, { overlap_seconds: 3600 })).body.data;
    expect(Date.parse(rotated.previous_expires_at) - Date.now()).toBeGreaterThan(3_590_000);
    expect([await works(key.secret), await works(rotated.secret)]).toEqual([true, true]);

    await endOverlap(key.id);
    expect([await works(key.secret), await works(rotated.secret)]).toEqual([false, true]);
    expect((await list()).body.data.find(({ id }: { id: string }) => id === key.id)).not.toHaveProperty(
      'previous_expires_at',
    );
  });

  test('a rotation without an overlap, another rotation and a deletion each end a running overlap', async () => {
    const overlapping = async () => {
      const key = (await create({ mode: 'test' })).body.data;
      await rotate(key.id, owner.loginToken, { overlap_seconds: 600 });
      expect(await works(key.secret)).toBe(true);
      return key;
    };
    const [cut, replaced, removed] = [await overlapping(), await overlapping(), await overlapping()];
    await rotate(cut.id);
    await rotate(replaced.id, owner.loginToken, { overlap_seconds: 600 });
    await remove(removed.id);
    for (const key of [cut, replaced, removed]) expect(await works(key.secret)).toBe(false);
  });

  test('only the use of the new secret is noted', async () => {
    const key = (await create({ mode: 'test' })).body.data;
    const rotated = (await rotate(key.id, owner.loginToken, { overlap_seconds: 600 })).body.data;
    const lastUsed = async () =>
      (await list()).body.data.find(({ id }: { id: string }) => id === key.id).last_used_at as string | null;
    expect(await works(key.secret)).toBe(true);
    expect(await works(rotated.secret)).toBe(true);
    await expect.poll(lastUsed).not.toBeNull();
  });

  test.each([-1, 604_801, 1.5, '60', null])('400 invalid_request: an overlap of %j', async (overlap) => {
    const key = (await create({ mode: 'test' })).body.data;
    expect(await rotate(key.id, owner.loginToken, { overlap_seconds: overlap })).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_request', param: 'overlap_seconds' } },
    });
    expect(await works(key.secret)).toBe(true);
  });

  test('of many rotations at once only the last secret works', async () => {
    const key = (await create({ mode: 'test' })).body.data;
    const answers = await Promise.all(Array.from({ length: 20 }, () => rotate(key.id)));
    const working = (await Promise.all(answers.map((answer) => works(answer.body.data.secret)))).filter(Boolean);
    expect(answers.every((answer) => answer.status === 200)).toBe(true);
    expect(working).toHaveLength(1);
    expect(await works(key.secret)).toBe(false);
  });

  test('404: foreign, missing, revoked and malformed ids, with one answer', async () => {
    const foreign = (await create({ mode: 'live' }, (await app.newMerchant()).loginToken)).body.data;
    const revoked = (await create({ mode: 'live' })).body.data;
    await remove(revoked.id);
    for (const id of [
      foreign.id,
      revoked.id,
      'key_9mJd3RxVt7KqWn5ZbLc2HsPf',
      'key_1',
      'nonsense',
      'pp_9mJd3RxVt7KqWn5ZbLc2HsPf',
      '%00',
    ]) {
      for (const answer of [await rotate(id), await remove(id)]) {
        expect(answer.status, id).toBe(id === '%00' ? 400 : 404);
        if (answer.status === 404)
          expect(answer.body.error).toEqual({ code: 'not_found', message: expect.any(String), param: 'id' });
      }
    }
    expect(await works(foreign.secret)).toBe(true);
  });
});

describe('DELETE /v1/api-keys/{id}', () => {
  beforeAll(newOwner);

  test('200: the key is refused from that moment, the others are not', async () => {
    const [one, two] = [(await create({ mode: 'live' })).body.data, (await create({ mode: 'live' })).body.data];

    const answer = await remove(one.id);

    expect(answer).toMatchObject({ status: 200, body: { data: { id: one.id, deleted: true } } });
    expect(await works(one.secret)).toBe(false);
    expect(await works(two.secret)).toBe(true);
    expect((await remove(one.id)).status).toBe(404);
  });
});
