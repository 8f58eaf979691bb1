import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasValidChecksum, newLoginToken, newSecretKey } from '../../../src/platform/http/admission/credentials.ts';
import { newId } from '../../../src/platform/ids.ts';
import { type Ground, startGround } from './ground.ts';

let ground: Ground;

beforeAll(async () => {
  ground = await startGround();
});
afterAll(() => ground.stop());

const get = (authorization?: string, headers: Record<string, string> = {}) =>
  ground.call('GET', '/v1/notes', {
    headers: { ...(authorization === undefined ? {} : { authorization }), ...headers },
  });
const login = (headers: Record<string, string>, body?: unknown) =>
  ground.call('POST', '/v1/login-only', { headers, body });

describe('secret keys', () => {
  test('a key is its prefix, 30 characters and their checksum', () => {
    const key = newSecretKey(true);
    expect(key).toMatch(/^sk_live_[0-9A-Za-z]{36}$/);
    expect(newSecretKey(false)).toMatch(/^sk_test_/);
    expect(hasValidChecksum(key)).toBe(true);
    for (const wrong of [
      key.slice(0, -1),
      `${key}0`,
      key.replace('live', 'test'),
      key.slice(0, 20) + (key[20] === 'a' ? 'b' : 'a') + key.slice(21),
      '',
    ]) {
      expect(hasValidChecksum(wrong)).toBe(false);
    }
  });

  test.each<[string, string | undefined, string]>([
    ['no credential', undefined, 'authentication_required'],
    ['another scheme', 'Basic dXNlcjpwYXNz', 'authentication_required'],
    ['nothing after the scheme', 'Bearer', 'authentication_required'],
    ['an empty header', '', 'authentication_required'],
    ['no scheme', newSecretKey(true), 'authentication_required'],
    ['nonsense', 'Bearer nonsense', 'invalid_credentials'],
    ['a typo', `Bearer sk_live_${'a'.repeat(36)}`, 'invalid_credentials'],
    ['a short token', 'Bearer ses_abc', 'invalid_credentials'],
  ])('%s is 401 without a database query', async (_name, authorization, code) => {
    const before = ground.lookups.count;
    const answer = await get(authorization);
    expect([answer.status, answer.json.error.code, answer.json.error.param]).toEqual([401, code, null]);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    expect(answer.headers.get('x-ratelimit-limit')).toBe('10000');
    expect(ground.lookups.count).toBe(before);
  });

  test('an unknown and a revoked key are 401 at once', async () => {
    expect((await get(`Bearer ${newSecretKey(true)}`)).json.error.code).toBe('invalid_credentials');
    const key = ground.key();
    expect((await get(`bearer  ${key}`)).status).toBe(200);
    ground.revoke(key);
    expect((await get(`Bearer ${key}`)).json.error.code).toBe('invalid_credentials');
  });

  test('a secret key may not do what is for logins', async () => {
    const answer = await login({ authorization: `Bearer ${ground.key()}` });
    expect([answer.status, answer.json.error.code]).toEqual([403, 'forbidden']);
  });

  test('endpoints of test mode do not exist in live mode', async () => {
    expect((await ground.call('GET', '/v1/test-only', { as: ground.key({ livemode: false }) })).status).toBe(200);
    expect((await ground.call('GET', '/v1/test-only', { as: ground.key() })).json.error.code).toBe('not_found');
  });

  test('the credential is judged before the body', async () => {
    expect(
      (await ground.call('POST', '/v1/notes', { text: '{', headers: { 'content-type': 'application/json' } })).status,
    ).toBe(401);
  });
});

describe('login tokens', () => {
  test('the mode is a header, live without it', async () => {
    const authorization = `Bearer ${ground.token()}`;
    expect((await login({ authorization })).json.data).toMatchObject({ text: 'login', mood: 'live' });
    expect((await login({ authorization, 'service-mode': 'test' })).json.data.mood).toBe('test');
    const wrong = await login({ authorization, 'service-mode': 'Live' });
    expect([wrong.status, wrong.json.error.code, wrong.json.error.param]).toEqual([
      400,
      'invalid_request',
      'Service-Mode',
    ]);
  });

  test('an unknown token is 401', async () => {
    expect((await get(`Bearer ${newLoginToken()}`)).json.error.code).toBe('invalid_credentials');
  });
});

describe("the dashboard's cookie", () => {
  const json = { 'content-type': 'application/json' };
  const session = (extra: Record<string, string> = {}) => ({ cookie: `a=b; session=${ground.token()}`, ...extra });

  test('reads with it alone', async () => {
    expect((await get(undefined, session())).status).toBe(200);
    expect((await get(undefined, session({ 'sec-fetch-site': 'cross-site' }))).status).toBe(200);
  });

  test.each<[string, Record<string, string>, number]>([
    ['its own page', { ...json, 'sec-fetch-site': 'same-origin' }, 200],
    ['an old browser on its own page', { ...json, origin: 'http://localhost:3000' }, 200],
    ['another site', { ...json, 'sec-fetch-site': 'cross-site' }, 403],
    [
      'another site that names our origin',
      { ...json, 'sec-fetch-site': 'cross-site', origin: 'http://localhost:3000' },
      403,
    ],
    ['a sibling site', { ...json, 'sec-fetch-site': 'same-site' }, 403],
    ['another origin', { ...json, origin: 'http://localhost:3001' }, 403],
    ['an unknown place', json, 403],
    ['a form', { 'content-type': 'text/plain', 'sec-fetch-site': 'same-origin' }, 403],
  ])('a change from %s', async (_name, headers, status) => {
    expect((await login(session(headers), {})).status).toBe(status);
  });

  test('it is a login like a token, by cookie', async () => {
    expect(
      (await login(session({ ...json, 'sec-fetch-site': 'same-origin', 'service-mode': 'test' }), {})).json.data,
    ).toMatchObject({ text: 'cookie', mood: 'test' });
  });

  test('a wrong one is 401, and a bearer credential goes before it', async () => {
    expect((await get(undefined, { cookie: 'session=nonsense' })).json.error.code).toBe('invalid_credentials');
    expect((await get(`Bearer ${ground.key()}`, { cookie: 'session=nonsense' })).status).toBe(200);
    expect((await get(undefined, { cookie: `__Host-session=${ground.token()}` })).json.error.code).toBe(
      'authentication_required',
    );
  });

  test('over https its name is tied to the host', async () => {
    const secure = await startGround({ publicUrl: 'https://pay.example', profile: 'production' });
    const answer = await secure.call('GET', '/v1/notes', { headers: { cookie: `__Host-session=${secure.token()}` } });
    expect([answer.status, answer.headers.get('strict-transport-security')]).toEqual([
      200,
      'max-age=31536000; includeSubDomains',
    ]);
    expect((await secure.call('GET', '/v1/notes', { headers: { cookie: `session=${secure.token()}` } })).status).toBe(
      401,
    );
    await secure.stop();
  });
});

describe('guessing', () => {
  test('20 wrong credentials a minute, then 429 before the database, but for those who were right before', async () => {
    const guarded = await startGround({ profile: 'production' });
    const key = guarded.key({ id: newId('acc') });
    expect((await guarded.call('GET', '/v1/notes', { as: key })).status).toBe(200);
    for (let index = 0; index < 20; index += 1)
      expect((await guarded.call('GET', '/v1/notes', { as: newSecretKey(true) })).status).toBe(401);

    const before = guarded.lookups.count;
    const refused = await guarded.call('GET', '/v1/notes', { as: newSecretKey(true) });
    expect([refused.status, refused.json.error.code, guarded.lookups.count]).toEqual([429, 'rate_limited', before]);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(1);
    expect((await guarded.call('GET', '/v1/notes', { as: key })).status).toBe(200);
    await guarded.stop();
  });

  test('in the development profile this machine itself may err as often as it likes', async () => {
    const answers = await Promise.all(Array.from({ length: 30 }, () => get(`Bearer ${newSecretKey(true)}`)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]));
  });
});
