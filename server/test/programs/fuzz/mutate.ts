import fc from 'fast-check';
import type { Draft } from './requests.ts';
import { nasty } from './values.ts';

/** An error that is put into a request. False if the request has no place for it. */
export interface Mutation {
  name: string;
  change: (draft: Draft) => unknown;
}

const pick = fc.nat({ max: 1000 });

const field: fc.Arbitrary<Mutation> = fc.tuple(pick, nasty).map(([at, value]) => ({
  name: `a field became ${short(value)}`,
  change: ({ body }) =>
    atSomePlace(body, at, (holder, key) => {
      holder[key] = value;
    }),
}));

const missingField: fc.Arbitrary<Mutation> = pick.map((at) => ({
  name: 'a field was left out',
  change: ({ body }) =>
    atSomePlace(body, at, (holder, key) => {
      delete holder[key];
    }),
}));

const strangeField: fc.Arbitrary<Mutation> = fc
  .tuple(
    pick,
    fc.constantFrom(
      '__proto__',
      'constructor',
      'prototype',
      'toString',
      'hasOwnProperty',
      'payout_address',
      'status',
      'livemode',
      'id',
      '',
      '\u0000',
      '\ud800',
      'x'.repeat(300),
    ),
    nasty,
  )
  .map(([at, key, value]) => ({
    name: `a field "${key.slice(0, 20)}" with ${short(value)} was added`,
    change: ({ body }) =>
      atSomePlace(body, at, (holder) =>
        Object.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true }),
      ),
  }));

const wholeBody: fc.Arbitrary<Mutation> = fc.oneof(nasty, fc.constantFrom([], {}, null, 'text', 7)).map((value) => ({
  name: `the body became ${short(value)}`,
  change: (draft) => {
    draft.body = value;
  },
}));

const rawBody: fc.Arbitrary<Mutation> = fc
  .constantFrom<[string, (json: Buffer) => Buffer]>(
    ['was cut in half', (json) => json.subarray(0, json.length / 2)],
    ['was empty', () => Buffer.alloc(0)],
    ['was not UTF-8', (json) => Buffer.concat([json, Buffer.from([0xff, 0xfe])])],
    ['held a broken character', () => Buffer.from([0x7b, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x3a, 0x31, 0x7d])],
    ['began with a byte order mark', (json) => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), json])],
    ['was 300 KiB', () => Buffer.from(JSON.stringify({ description: 'x'.repeat(300 * 1024) }))],
    ['was a thousand brackets', () => Buffer.from('['.repeat(1000) + ']'.repeat(1000))],
    ['was a hundred thousand brackets', () => Buffer.from('['.repeat(100_000) + ']'.repeat(100_000))],
    ['named a key twice', () => Buffer.from('{"amount":"1.00","amount":{"a":1}}')],
    ['held the prototype', () => Buffer.from('{"__proto__":{"amount":"1.00"},"constructor":{"prototype":{"x":1}}}')],
    ['held a huge number', () => Buffer.from('{"amount":"1.00","expires_in":1e400}')],
    ['held a number with a thousand digits', () => Buffer.from(`{"amount":"1.00","expires_in":${'9'.repeat(1000)}}`)],
    ['was a form', () => Buffer.from('amount=49.00&currency=USD')],
    ['was only spaces', () => Buffer.from('   \n  ')],
    ['held a comment', () => Buffer.from('{"amount":"1.00"/* one */}')],
    ['was NaN', () => Buffer.from('NaN')],
  )
  .map(([what, write]) => ({
    name: `the body ${what}`,
    change: (draft) => {
      draft.rawBody = write(Buffer.from(JSON.stringify(draft.body ?? {}) ?? ''));
      draft.headers['content-type'] ??= 'application/json';
    },
  }));

const contentType: fc.Arbitrary<Mutation> = fc
  .constantFrom(
    undefined,
    '',
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/json; charset=utf-16',
    'application/json;charset="utf-8"',
    'APPLICATION/JSON',
    'application/merge-patch+json',
    'application/jsonx',
    ';;;',
    'application/json, text/plain',
    '*/*',
  )
  .map((value) => ({
    name: `the content type was ${value ?? 'left out'}`,
    change: ({ headers }) => {
      if (value === undefined) delete headers['content-type'];
      else headers['content-type'] = value;
    },
  }));

const pathId: fc.Arbitrary<Mutation> = fc
  .oneof(
    fc.constantFrom(
      '%00',
      '%ff',
      '%ED%A0%80',
      '%',
      '%zz',
      '..',
      '.',
      '%2e%2e%2f',
      '%2F',
      'a'.repeat(499),
      'a'.repeat(501),
      'a'.repeat(5000),
      'pay_',
      'null',
      'undefined',
      '*',
      '__proto__',
      'stream',
      'pay_000000000000000000000000',
      'PAY_000000000000000000000000',
      'pay_00000000000000000000000%00',
      'cs_00000000000000000000000%0a',
      '%F0%9F%98%80',
      "'%20or%201=1--",
    ),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 30 }).map((text) => encodeURIComponent(text.toWellFormed())),
  )
  .map((text) => ({
    name: `an id became ${text.slice(0, 30)}`,
    change: (draft) => {
      const [name] = Object.keys(draft.params);
      if (name === undefined) return false;
      draft.params[name] = { raw: text };
      return true;
    },
  }));

const anotherId: fc.Arbitrary<Mutation> = fc
  .tuple(fc.constantFrom('pay', 'cs', 'pp', 'pl', 'we', 'evt', 'tr', 'key', 'dlv'), pick)
  .map(([prefix, at]) => ({
    name: `the id of another kind, ${prefix}`,
    change: (draft) => {
      const [name] = Object.keys(draft.params);
      if (name === undefined) return false;
      draft.params[name] = { $id: prefix, pick: at };
      return true;
    },
  }));

const strangersId: fc.Arbitrary<Mutation> = pick.map((at) => ({
  name: "the id of a stranger's object",
  change: (draft) => {
    const [name] = Object.keys(draft.params);
    const slot = name === undefined ? undefined : (draft.params[name] as { $id?: string });
    if (name === undefined || !slot?.$id || draft.operation.isPublic) return false;
    draft.params[name] = { $id: slot.$id, pick: at, stranger: true };
    return true;
  },
}));

const query: fc.Arbitrary<Mutation> = fc
  .tuple(
    fc.constantFrom(
      'limit',
      'cursor',
      'starting_after',
      'status',
      'route',
      'created_after',
      'created_before',
      'unattributed',
      'amount',
      'session',
      'pay_asset',
      'type',
      'payment',
      'mode',
      'limit[]',
      '__proto__',
      '%00',
      '',
    ),
    fc.oneof(
      fc.constantFrom(
        '0',
        '101',
        '-1',
        '1e2',
        '0x10',
        '1.0',
        '',
        ' 5',
        '%00',
        '%ED%A0%80',
        '%',
        'cur_',
        'cur_!!!',
        `cur_${'A'.repeat(400)}`,
        'x'.repeat(3000),
        'true',
        'null',
        '[object Object]',
        '2026-02-30',
        '275761-01-01',
        '0001-01-01T00:00:00Z',
        '9999-12-31T23:59:59.999Z',
        '2026-01-01T00:00:00+14:00',
      ),
      nasty,
    ),
  )
  .map(([name, value]) => ({
    name: `${name}=${short(value)} in the query`,
    change: (draft) => {
      draft.query.push([name, { raw: typeof value === 'string' ? value.toWellFormed() : JSON.stringify(value) }]);
    },
  }));

const header: fc.Arbitrary<Mutation> = fc
  .constantFrom<[string, string]>(
    ['idempotency-key', ''],
    ['idempotency-key', ' '],
    ['idempotency-key', 'x'.repeat(256)],
    ['idempotency-key', 'x'.repeat(8000)],
    ['idempotency-key', 'ключ'],
    ['idempotency-key', '\u00ff\u00fe'],
    ['service-mode', 'live'],
    ['service-mode', 'LIVE'],
    ['service-mode', 'sandbox'],
    ['service-mode', ''],
    ['authorization', 'Bearer'],
    ['authorization', 'Bearer '],
    ['authorization', 'Basic YTpi'],
    ['authorization', `Bearer sk_test_${'0'.repeat(36)}`],
    ['authorization', `Bearer ses_${'0'.repeat(43)}`],
    ['authorization', `Bearer ${'x'.repeat(5000)}`],
    ['authorization', 'bearer  x'],
    ['last-event-id', 'x'.repeat(500)],
    ['last-event-id', '-1'],
    ['last-event-id', '9'.repeat(30)],
    ['last-event-id', 'evt_000000000000000000000000'],
    ['x-forwarded-for', '1.2.3.4'],
    ['x-forwarded-for', 'not an address'],
    ['host', 'evil.example'],
    ['accept', 'text/html'],
    ['accept', 'application/xml'],
    ['origin', 'https://evil.example'],
    ['cookie', '__Host-session=ses_x; a=b; ='],
    ['cookie', '%%%;;;==='],
    ['content-encoding', 'gzip'],
    ['if-none-match', '*'],
    ['range', 'bytes=0-1'],
    ['x-http-method-override', 'DELETE'],
  )
  .map(([name, value]) => ({
    name: `${name}: ${value.slice(0, 30)}`,
    change: ({ headers }) => {
      headers[name] = Buffer.from(value, 'utf8').toString('latin1');
    },
  }));

const method: fc.Arbitrary<Mutation> = fc
  .constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS')
  .map((name) => ({
    name: `the method was ${name}`,
    change: (draft) => {
      draft.method = name;
    },
  }));

export const mutations: fc.Arbitrary<Mutation> = fc.oneof(
  { weight: 8, arbitrary: field },
  { weight: 3, arbitrary: missingField },
  { weight: 3, arbitrary: strangeField },
  { weight: 1, arbitrary: wholeBody },
  { weight: 2, arbitrary: rawBody },
  { weight: 1, arbitrary: contentType },
  { weight: 3, arbitrary: pathId },
  { weight: 1, arbitrary: anotherId },
  { weight: 1, arbitrary: strangersId },
  { weight: 4, arbitrary: query },
  { weight: 2, arbitrary: header },
  { weight: 1, arbitrary: method },
);

/** Applies it to one of the body's fields, including nested ones. */
function atSomePlace(
  body: unknown,
  at: number,
  change: (holder: Record<string, unknown>, key: string) => void,
): boolean {
  const places = placesOf(body);
  const place = places[at % Math.max(1, places.length)];
  if (!place) return false;
  change(...place);
  return true;
}

function placesOf(value: unknown): [Record<string, unknown>, string][] {
  if (typeof value !== 'object' || value === null || '$id' in value) return [];
  return Object.entries(value).flatMap(([key, inner]) => [
    [value as Record<string, unknown>, key] as [Record<string, unknown>, string],
    ...placesOf(inner),
  ]);
}

function short(value: unknown): string {
  return (JSON.stringify(value) ?? 'undefined').slice(0, 40);
}
