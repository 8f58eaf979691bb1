import { connect } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '../../../src/platform/ids.ts';
import { type Ground, startGround } from './ground.ts';

let ground: Ground;
let key: string;

beforeAll(async () => {
  ground = await startGround({ timeouts: { requestMs: 200, headersMs: 200, keepAliveMs: 200, checkMs: 20 } });
  key = ground.key();
});
afterAll(() => ground.stop());

const RUNS = Number(process.env.FUZZ_RUNS ?? 400);

/** Sends bytes and reads until the server closes. */
function send(bytes: Buffer): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(Number(new URL(ground.url).port), '127.0.0.1', () => socket.write(bytes));
    socket
      .on('data', (chunk) => {
        text += chunk.toString('latin1');
      })
      .on('error', () => {})
      .on('close', () => resolve(text));
  });
}

// Mostly well-formed, so that the fuzz passes the parser; the noise covers the rest.
const segment = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 30 }).map(encodeURIComponent),
  fc.constantFrom(
    'tr_',
    newId('tr'),
    newId('tr'),
    newId('pay'),
    '%00',
    'tr_%00',
    '%zz',
    '%',
    '..',
    '',
    'a%2fb',
    '%F0%9F%92%A9',
    'x'.repeat(600),
  ),
);
const path = fc.oneof(
  fc.constantFrom(
    '/v1/notes',
    '/v1/prepared',
    '/v1/secrets',
    '/v1/login-only',
    '/v1/test-only',
    '/page',
    '/healthz',
    '*',
    '',
  ),
  segment.map((text) => `/v1/notes/${text}`),
  segment.map((text) => `/v1/notes/${text}/touch`),
  segment.map((text) => `/v1/public/notes/${text}/open`),
  fc.webQueryParameters().map((query) => `/v1/notes?${query}`),
  fc
    .tuple(fc.constantFrom('limit', 'cursor', 'starting_after', 'text', 'flag'), segment)
    .map(([name, text]) => `/v1/notes?${name}=${text}`),
);
const body = fc.oneof(
  fc.json({ maxDepth: 20 }),
  fc
    .record(
      { text: fc.anything(), mood: fc.anything(), lines: fc.anything(), metadata: fc.anything(), limit: fc.anything() },
      { requiredKeys: [] },
    )
    .map((object) => JSON.stringify(object, (_, inner) => (typeof inner === 'bigint' ? String(inner) : inner))),
  fc.string({ unit: 'binary', maxLength: 50 }),
  fc.constantFrom(
    '',
    'null',
    '{"text":"x"}',
    '{"text":"x","mood":"good"}',
    '{"text":"y"}',
    '{"text":"\\u0000"}',
    '{"__proto__":1}',
    '['.repeat(200),
  ),
);
const value = fc.stringMatching(/^[!-~]{0,20}$/);
const header = fc.oneof(
  fc.tuple(
    fc.constantFrom(
      'idempotency-key',
      'service-mode',
      'content-encoding',
      'origin',
      'cookie',
      'sec-fetch-site',
      'expect',
      'x-forwarded-for',
      'range',
      'accept',
    ),
    value,
  ),
  fc.constantFrom<[string, string]>(
    ['idempotency-key', 'one'],
    ['idempotency-key', 'two'],
    ['idempotency-key', 'x'.repeat(256)],
    ['transfer-encoding', 'chunked'],
    ['upgrade', 'websocket'],
    ['expect', '100-continue'],
    ['host', 'evil.example'],
  ),
  fc.tuple(fc.stringMatching(/^[a-z-]{1,10}$/), value),
);
const request = fc.record({
  method: fc.constantFrom(
    'GET',
    'POST',
    'POST',
    'POST',
    'PATCH',
    'DELETE',
    'OPTIONS',
    'HEAD',
    'PUT',
    'TRACE',
    'SEARCH',
    'BREW',
  ),
  path,
  body,
  headers: fc.array(header, { maxLength: 3 }),
  as: fc.constantFrom('key', 'key', 'key', 'nonsense', 'none'),
  type: fc.constantFrom('application/json', 'application/json', 'application/json; charset=utf-8', 'text/plain', ''),
  noise: fc.oneof(
    { arbitrary: fc.constant(null), weight: 9 },
    { arbitrary: fc.tuple(fc.nat(200), fc.integer({ min: 0, max: 255 })), weight: 1 },
  ),
});

test('whatever is sent, the answer has the headers and is not a 5xx', { timeout: 600_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(request, async ({ method, path: target, body: text, headers, as, type, noise }) => {
      const lines = [
        `${method} ${target} HTTP/1.1`,
        'host: localhost',
        'connection: close',
        `content-length: ${Buffer.byteLength(text)}`,
        ...(type === '' ? [] : [`content-type: ${type}`]),
        ...(as === 'none' ? [] : [`authorization: Bearer ${as === 'key' ? key : as}`]),
        ...headers.map((pair) => pair.join(': ')),
      ];
      const bytes = Buffer.from(`${lines.join('\r\n')}\r\n\r\n${text}`);
      if (noise && noise[0] < bytes.length) bytes[noise[0]] = noise[1];

      const answer = await send(bytes);
      expect(answer).not.toBe('');
      const answers = answer.split(/(?=^HTTP\/1\.1 \d{3} )/m).filter((part) => !part.startsWith('HTTP/1.1 100'));
      for (const part of answers) {
        const [head = ''] = part.split('\r\n\r\n', 1);
        expect(head).toMatch(/^HTTP\/1\.1 [234]\d\d /);
        for (const name of ['request-id', 'x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'])
          expect(head.toLowerCase()).toContain(`\r\n${name}: `);
      }
    }),
    { numRuns: RUNS },
  );
});
