import { openApiDocument } from '@quittance/contract/openapi';
import { expect, test } from 'vitest';
import { assertConforms, deviations } from './conformance.ts';

const requestId = 'req_7pXq5WzNk2TvRb8LsMc4HdGf';
const headers = {
  'request-id': requestId,
  'content-type': 'application/json; charset=utf-8',
  'x-ratelimit-limit': '100',
  'x-ratelimit-remaining': '99',
  'x-ratelimit-reset': '1773480414',
};
const path = '/v1/payments/pay_8hBs3VxTn6KqRw4MzLc9JdGf';
const response = openApiDocument().paths['/payments/{id}']?.get?.responses['200'];
const answer =
  response && 'content' in response
    ? (response.content?.['application/json']?.examples?.answer?.value as { data: Record<string, unknown> })
    : undefined;
const error = { error: { code: 'not_found', message: 'Not found.', param: 'id' }, request_id: requestId };

test('an answer as documented has nothing wrong with it', () => {
  assertConforms('GET', '/v1/payments/{id}', { status: 200, headers, body: answer });
  expect(deviations('GET', path, { status: 200, headers, body: answer })).toEqual([]);
  expect(deviations('GET', path, { status: 404, headers, body: error })).toEqual([]);
});

test.each([
  [
    'a field of another type',
    200,
    headers,
    { ...answer, data: { ...answer?.data, amount: 49 } },
    /data\/amount must be string/,
  ],
  ['a missing field', 200, headers, { ...answer, data: {} }, /must have required property 'id'/],
  ['a missing request id', 200, { ...headers, 'request-id': undefined }, answer, /no Request-Id/],
  [
    'another request id',
    200,
    headers,
    { ...answer, request_id: 'req_000000000000000000000000' },
    /request_id is not that of the header/,
  ],
  ['a missing limit', 404, { ...headers, 'x-ratelimit-reset': undefined }, error, /no x-ratelimit-reset/],
  [
    'a status that is not documented',
    409,
    headers,
    { ...error, error: { ...error.error, code: 'link_disabled' } },
    /status is not documented/,
  ],
  [
    'a code that is not documented',
    400,
    headers,
    { ...error, error: { ...error.error, code: 'invalid_payout_wallet' } },
    /is not documented for its 400/,
  ],
  [
    'a code of another status',
    404,
    headers,
    { ...error, error: { ...error.error, code: 'invalid_request' } },
    /invalid_request is a 400/,
  ],
  [
    'an unavailability without Retry-After',
    503,
    headers,
    { ...error, error: { ...error.error, code: 'service_unavailable' } },
    /no Retry-After/,
  ],
  ['another content type', 200, { ...headers, 'content-type': 'text/plain' }, answer, /content type/],
])('%s is reported', (_what, status, given, body, expected) => {
  expect(deviations('GET', path, { status, headers: given, body }).join('\n')).toMatch(expected);
});

test('a path without parameters is not an object of the path beside it', () => {
  expect(
    deviations('GET', '/v1/events/stream', {
      status: 200,
      headers: { ...headers, 'content-type': 'text/event-stream' },
      body: '',
    }),
  ).toEqual([]);
});

test('a replay names the first request in its body', () => {
  const replayed = { ...headers, 'idempotent-replayed': 'true', 'original-request': 'req_000000000000000000000000' };
  const body = { ...answer, request_id: 'req_000000000000000000000000' };
  expect(deviations('GET', path, { status: 200, headers: replayed, body })).toEqual([]);
});
