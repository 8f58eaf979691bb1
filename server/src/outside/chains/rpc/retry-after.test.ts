import { expect, test } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '../../../platform/time.ts';
import { refusalWithoutEnvelope } from './errors.ts';
import { toRetryAfterMs } from './retry-after.ts';

const NOW_MS = Date.parse('2026-03-01T12:00:00Z');

test.each([
  ['90', 90_000],
  ['0.5', 500],
  ['1800', 30 * MINUTE_MS],
  ['86400', HOUR_MS],
  ['Sun, 01 Mar 2026 12:10:00 GMT', 10 * MINUTE_MS],
  ['Sunday, 01-Mar-26 12:10:00 GMT', 10 * MINUTE_MS],
  ['Sun, 08 Mar 2026 12:00:00 GMT', HOUR_MS],
  ['Sun, 01 Mar 2026 11:00:00 GMT', undefined],
  ['0', undefined],
  ['-5', undefined],
  ['', undefined],
  [' ', undefined],
  ['soon', undefined],
  ['Infinity', HOUR_MS],
  [undefined, undefined],
])('Retry-After %j asks to wait %j ms', (header, expected) => {
  expect(toRetryAfterMs(header, NOW_MS)).toBe(expected);
});

test.each([
  [{ Error: 'class java.lang.IllegalAccessException : lack of computing resources' }, undefined],
  [
    { Success: false, Error: 'The key exceeds the frequency limit(15), and the query server is suspended for 5s' },
    5_000,
  ],
  // No longer than a header may ask for.
  [{ Error: 'The key exceeds the frequency limit(15), and the query server is suspended for 9999s' }, HOUR_MS],
])('a refusal outside of JSON-RPC says why, and perhaps for how long: %j', (answer, retryAfterMs) => {
  expect(refusalWithoutEnvelope(answer)).toEqual({ why: answer.Error, retryAfterMs });
});

test.each([null, [], 'Error', {}, { error: { code: 1 } }, { Error: 5 }, { jsonrpc: '2.0', id: 1, result: {} }])(
  'not a refusal outside of JSON-RPC: %j',
  (answer) => expect(refusalWithoutEnvelope(answer)).toBeUndefined(),
);
