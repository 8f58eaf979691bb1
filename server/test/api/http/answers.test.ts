import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../../src/platform/ids.ts';
import { type Answer, type Ground, startGround } from './ground.ts';

let ground: Ground;
let key: string;

beforeAll(async () => {
  ground = await startGround();
  key = ground.key();
});
afterAll(() => ground.stop());

const create = (body: unknown) => ground.call('POST', '/v1/notes', { as: key, body });

function expectError(answer: Answer, status: number, code: string, param: string | null = null): void {
  expect([answer.status, answer.json.error.code, answer.json.error.param], answer.text).toEqual([status, code, param]);
  expect(answer.json.error.message).toMatch(/\S/);
  expect(answer.headers.get('request-id')).toBe(answer.json.request_id);
  expectHeaders(answer);
}

function expectHeaders({ headers }: Answer): void {
  expect(headers.get('request-id')).toMatch(/^req_[0-9A-Za-z]{24}$/);
  for (const name of ['limit', 'remaining', 'reset']) expect(headers.get(`x-ratelimit-${name}`)).toMatch(/^\d+$/);
  expect(headers.get('x-content-type-options')).toBe('nosniff');
}

describe('answers', () => {
  test('a single object is wrapped with the request id, and undeclared fields are left out', async () => {
    const answer = await create({ text: 'hello', payout_address: '0x1' });

    expect(answer.status).toBe(201);
    expect(answer.json).toEqual({
      data: { id: expect.stringMatching(/^tr_/), text: 'hello', mood: null },
      request_id: answer.headers.get('request-id'),
    });
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expectHeaders(answer);
  });

  test('pages and health checks carry the headers too', async () => {
    const page = await ground.call('GET', '/page');
    expectHeaders(page);
    expect(page.headers.get('content-security-policy')).toBe("default-src 'self'");
    expectHeaders(await ground.call('GET', '/healthz'));
    expectHeaders(await ground.call('HEAD', '/page'));
  });

  test('an error outside the API is drawn for a person and enveloped for a program', async () => {
    const page = await ground.call('GET', '/nowhere', { headers: { accept: 'text/html' } });
    expect([page.status, page.text]).toEqual([404, '<h1>404</h1>']);
    expectHeaders(page);
    expectError(await ground.call('GET', '/nowhere'), 404, 'not_found');
    expectError(await ground.call('GET', '/v1/nowhere', { headers: { accept: 'text/html' } }), 404, 'not_found');
    const failed = await ground.call('GET', '/bad-page');
    expectError(failed, 500, 'internal_error');
    expect(failed.text).not.toContain('secret detail');
  });
});

describe('paths and methods', () => {
  test('an unknown path is 404 and a wrong method is 405 with Allow, before credential and body', async () => {
    expectError(
      await ground.call('POST', '/v1/nowhere', { text: '{', headers: { 'content-type': 'application/json' } }),
      404,
      'not_found',
    );
    const answer = await ground.call('DELETE', '/v1/notes', {
      text: '{',
      headers: { 'content-type': 'application/json' },
    });
    expectError(answer, 405, 'method_not_allowed');
    expect(answer.headers.get('allow')).toBe('GET, HEAD, POST');
    expectError(await ground.call('PROPFIND', '/page'), 405, 'method_not_allowed');
    expectError(await ground.call('GET', '/v1/notes/'), 401, 'authentication_required');
  });

  test('OPTIONS lists the methods and allows no other origin, except for public paths', async () => {
    const own = await ground.call('OPTIONS', '/v1/notes', {
      headers: { origin: 'https://shop.example', 'access-control-request-method': 'POST' },
    });
    expect([own.status, own.headers.get('allow'), own.headers.get('access-control-allow-origin')]).toEqual([
      204,
      'GET, HEAD, POST',
      null,
    ]);
    expectHeaders(own);

    const open = await ground.call('OPTIONS', `/v1/public/notes/${newId('tr')}/open`, {
      headers: { origin: 'https://shop.example', 'access-control-request-method': 'POST' },
    });
    expect(open.status).toBe(204);
    expect(open.headers.get('access-control-allow-origin')).toBe('*');
    expect(open.headers.get('access-control-allow-methods')).toBe('POST');
    expect(open.headers.get('access-control-allow-credentials')).toBeNull();
    expectHeaders(open);
  });

  test('public paths answer any origin, errors included; others none', async () => {
    const open = await ground.call('POST', `/v1/public/notes/${newId('tr')}/open`);
    expect([open.status, open.headers.get('access-control-allow-origin')]).toEqual([201, '*']);
    const malformed = await ground.call('POST', '/v1/public/notes/x/open');
    expectError(malformed, 404, 'not_found', 'id');
    expect(malformed.headers.get('access-control-allow-origin')).toBe('*');
    expect(
      (await ground.call('GET', '/v1/notes', { as: key, headers: { origin: 'https://shop.example' } })).headers.get(
        'access-control-allow-origin',
      ),
    ).toBeNull();
  });

  test('missing, foreign and malformed ids are one answer', async () => {
    const { json } = await create({ text: 'mine' });
    const own = await ground.call('GET', `/v1/notes/${json.data.id}`, { as: key });
    expect(own.status).toBe(200);

    const others = await Promise.all([
      ground.call('GET', `/v1/notes/${json.data.id}`, { as: ground.key() }),
      ...[
        newId('tr'),
        'x',
        newId('cs'),
        `${newId('tr')}x`,
        "'; drop table notes",
        'tr_',
        '%F0%9F%92%A9',
        'a%2Fb',
        'x'.repeat(400),
      ].map((id) => ground.call('GET', `/v1/notes/${id}`, { as: key })),
    ]);
    for (const answer of others) expectError(answer, 404, 'not_found', 'id');
    expect(new Set(others.map(({ text }) => text.replace(/req_\w+/, ''))).size).toBe(1);
  });

  test('bad encodings, NUL and overlong addresses are refused', async () => {
    expectError(await ground.call('GET', '/v1/notes/%zz', { as: key }), 400, 'invalid_request');
    expectError(await ground.call('GET', '/v1/notes/%ED%A0%80', { as: key }), 400, 'invalid_request');
    expectError(await ground.call('GET', '/v1/notes/tr_%00', { as: key }), 400, 'invalid_checkout_session', 'id');
    expectError(await ground.call('GET', '/v1/notes?text=a%00b', { as: key }), 400, 'invalid_list_request', 'text');
    expectError(await ground.call('GET', `/v1/notes/${'x'.repeat(5_000)}`, { as: key }), 404, 'not_found', 'id');
    expectError(await ground.call('GET', `/v1/notes?text=${'x'.repeat(9_000)}`, { as: key }), 414, 'uri_too_long');
  });
});

describe('bodies', () => {
  test.each<[string, unknown, string, string | null]>([
    ['a missing field', {}, 'invalid_checkout_session', 'text'],
    ['a number for a string', { text: 49 }, 'invalid_checkout_session', 'text'],
    ['null for a string', { text: null }, 'invalid_checkout_session', 'text'],
    ['an array for a string', { text: ['5'] }, 'invalid_checkout_session', 'text'],
    ['true for a string', { text: true }, 'invalid_checkout_session', 'text'],
    ['too long a text', { text: 'x'.repeat(21) }, 'invalid_checkout_session', 'text'],
    ['one of a few', { text: 'x', mood: 'so so' }, 'invalid_checkout_session', 'mood'],
    [
      'a field in an array',
      { text: 'x', lines: [{ count: 1 }, { count: 1.5 }] },
      'invalid_checkout_session',
      'lines[1].count',
    ],
    ['a missing field in an array', { text: 'x', lines: [{}] }, 'invalid_checkout_session', 'lines[0].count'],
    ['a string for a number', { text: 'x', lines: [{ count: '1' }] }, 'invalid_checkout_session', 'lines[0].count'],
    ['a key of metadata', { text: 'x', metadata: { order: 5 } }, 'invalid_checkout_session', 'metadata.order'],
    [
      'a long value of metadata',
      { text: 'x', metadata: { 'a/b~c': 'toolong' } },
      'invalid_checkout_session',
      'metadata.a/b~c',
    ],
    ['a union with null', { text: 'x', limit: 5 }, 'invalid_checkout_session', 'limit'],
    ['NUL in a text', { text: 'a\u0000' }, 'invalid_checkout_session', 'text'],
    ['NUL in an unknown field', { text: 'a', other: ['\u0000'] }, 'invalid_checkout_session', 'other[0]'],
    ['NUL in a key', { text: 'a', metadata: { 'a\u0000': 'x' } }, 'invalid_checkout_session', 'metadata.a\uFFFD'],
    ['null', null, 'invalid_request', null],
    ['an array', [], 'invalid_request', null],
    ['a text', 'text', 'invalid_request', null],
    ['a number', 5, 'invalid_request', null],
  ])('%s is a 400 that names the field', async (_name, body, code, param) => {
    expectError(await create(body), 400, code, param);
  });

  test('the sentence says what would be right', async () => {
    expect((await create({ text: 49 })).json.error.message).toBe('`text` must be a string, not a number.');
    expect((await create({ text: 'x', mood: 'so so' })).json.error.message).toBe(
      '`mood` must be one of `good`, `bad`.',
    );
    expect((await create({ text: 'x', limit: 5 })).json.error.message).toBe(
      '`limit` must be a string or null, not a number.',
    );
    expect((await create({})).json.error.message).toBe('`text` is required.');
  });

  const json = { 'content-type': 'application/json' };
  test.each<[string, string | Uint8Array, number, string, string | null]>([
    [
      'a number beyond all others',
      '{"text":"a","metadata":{"a":[1e309]}}',
      400,
      'invalid_checkout_session',
      'metadata.a[0]',
    ],
    ['a number below all others', '{"text":-1e309}', 400, 'invalid_checkout_session', 'text'],
    ['unparsable JSON', '{"text":', 400, 'invalid_request', null],
    ['lone surrogates', '{"text":"\\ud800"}', 400, 'invalid_checkout_session', 'text'],
    ['a lone surrogate in a key', '{"metadata":{"\\udc00":"x"}}', 400, 'invalid_checkout_session', 'metadata.\uFFFD'],
    ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]), 400, 'invalid_request', null],
    ['__proto__', '{"text":"x","__proto__":{"a":1}}', 400, 'invalid_checkout_session', '__proto__'],
    [
      'constructor.prototype',
      '{"text":"x","metadata":{"constructor":{"prototype":{}}}}',
      400,
      'invalid_checkout_session',
      'metadata.constructor',
    ],
    ['17 levels', `${'{"a":'.repeat(17)}1${'}'.repeat(17)}`, 400, 'invalid_request', null],
    ['100,000 levels', `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, 400, 'invalid_request', null],
    ['more than 256 KiB', `{"text":"${'x'.repeat(300_000)}"}`, 413, 'payload_too_large', null],
  ])('%s', async (_name, text, status, code, param) => {
    expectError(await ground.call('POST', '/v1/notes', { as: key, text, headers: json }), status, code, param);
  });

  test('a byte order mark, which some platforms send first, is ignored', async () => {
    const text = '\ufeff{"text":"x"}';
    expect((await ground.call('POST', '/v1/notes', { as: key, text, headers: json })).json.data.text).toBe('x');
  });

  test('16 levels are read', async () => {
    const text = `{"text":"x","a":${'['.repeat(15)}${']'.repeat(15)}}`;
    expect((await ground.call('POST', '/v1/notes', { as: key, text, headers: json })).status).toBe(201);
  });

  test.each([
    ['no content type', undefined],
    ['text', 'text/plain'],
    ['a form', 'application/x-www-form-urlencoded'],
    ['another charset', 'application/json; charset=latin1'],
    ['no type at all', 'nonsense'],
  ])('a body with %s is 415', async (_name, type) => {
    const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type };
    expectError(
      await ground.call('POST', '/v1/notes', { as: key, text: Buffer.from('{"text":"x"}'), headers }),
      415,
      'unsupported_media_type',
    );
  });

  test('a compressed body is 415', async () => {
    expectError(
      await ground.call('POST', '/v1/notes', {
        as: key,
        text: Buffer.from([1, 2, 3]),
        headers: { ...json, 'content-encoding': 'gzip' },
      }),
      415,
      'unsupported_media_type',
    );
  });

  test('a POST without a body is fine with any content type or none, and may carry an unread one', async () => {
    const path = `/v1/notes/${newId('tr')}/touch`;
    for (const options of [
      {},
      { headers: json, text: '' },
      { headers: { 'content-type': 'text/plain' }, text: '' },
      { body: {} },
      { body: { any: 1 } },
    ]) {
      expect((await ground.call('POST', path, { as: key, ...options })).status).toBe(200);
    }
    expectError(await ground.call('POST', path, { as: key, headers: json, text: '{' }), 400, 'invalid_request');
    expect((await ground.call('POST', '/v1/notes', { as: key })).json.error.param).toBe('text');
  });

  test('the form of the body is judged before the object is looked for', async () => {
    expectError(
      await ground.call('POST', '/v1/notes/x/touch', { as: key, headers: json, text: '{' }),
      400,
      'invalid_request',
    );
  });
});

describe('queries', () => {
  test.each([
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['limit=abc', 'limit'],
    ['limit=', 'limit'],
    ['limit=1.5', 'limit'],
    ['limit=1e1', 'limit'],
    ['limit=0x10', 'limit'],
    ['limit=%205', 'limit'],
    ['limit=1&limit=2', 'limit'],
    ['flag=yes', 'flag'],
    ['limit=99999999999999999999', 'limit'],
  ])('%s is a 400', async (query, param) => {
    expectError(await ground.call('GET', `/v1/notes?${query}`, { as: key }), 400, 'invalid_list_request', param);
  });

  test('whole numbers and booleans are read, unknown parameters ignored', async () => {
    expect((await ground.call('GET', '/v1/notes?limit=100&flag=true&other=1', { as: key })).status).toBe(200);
  });
});

describe('failures', () => {
  test('an unexpected error is a 500 without its details', async () => {
    const answer = await ground.call('GET', '/v1/broken/bug');
    expectError(answer, 500, 'internal_error');
    expect(answer.text).not.toContain('secret detail');
  });

  test('a database that cancels, refuses or drops connections is a 503 with Retry-After', async () => {
    ground.hooks.inside = async () => {
      ground.hooks.inside = undefined;
      setTimeout(
        () =>
          void ground.db
            .query(
              'kill',
              `select pg_terminate_backend(pid) from pg_stat_activity where query like '%pg_sleep(60)%' and pid <> pg_backend_pid()`,
            )
            .catch(() => {}),
        100,
      );
    };
    const answer = await ground.call('GET', '/v1/broken/sleep');
    expectError(answer, 503, 'service_unavailable');
    expect(answer.headers.get('retry-after')).toBe('1');
  });
});
