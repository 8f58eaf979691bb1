import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { readVectors } from '../../scripts/vectors.ts';
import {
  AuthenticationError,
  ConflictError,
  ConnectionError,
  constructEvent,
  InvalidRequestError,
  NotFoundError,
  PermissionError,
  Quittance,
  QuittanceError,
  RateLimitError,
  readEvent,
  ReceiptVerificationError,
  ServerError,
  verifyReceipt,
} from '../src/index.ts';
import { Requester } from '../src/request.ts';

const KINDS = {
  invalid_request: InvalidRequestError,
  authentication: AuthenticationError,
  permission: PermissionError,
  not_found: NotFoundError,
  conflict: ConflictError,
  rate_limit: RateLimitError,
  server: ServerError,
  connection: ConnectionError,
};

test.each(readVectors('webhooks'))('a webhook: $name', async ({ headers, body, secret, now, expect: expected }) => {
  const options = { now: new Date(now * 1_000) };
  const request = new Request('http://shop.example', { method: 'POST', headers, body });
  for (const read of [
    () => constructEvent(body, headers['service-signature'], secret, options),
    () => readEvent(request, secret, options),
  ])
    if ('event' in expected) expect((await read()).id).toBe(expected.event);
    else await expect(read()).rejects.toMatchObject({ status: expected.status });
});

describe('an answer', () => {
  // The waits between attempts.
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
  afterEach(() => void vi.useRealTimers());

  test.each(readVectors('errors'))('is an error: $name', async ({ request, answer, keyed, expect: expected }) => {
    const keys: (string | null)[] = [];
    const fetch = async (_: unknown, init: RequestInit) => {
      keys.push(new Headers(init.headers).get('idempotency-key'));
      if (answer.status === 0) throw new TypeError('fetch failed');
      return new Response(answer.body, answer);
    };
    const requester = new Requester('sk_test_1', { fetch: fetch as typeof globalThis.fetch });
    const sent = requester.object({ ...request, once: request.method === 'POST' && !keyed }).catch((error) => error);
    await vi.runAllTimersAsync();
    const error = await sent;
    expect(error).toBeInstanceOf(KINDS[expected.kind]);
    if (error instanceof QuittanceError)
      expect([error.code, error.param, error.requestId, error.retryAfterSeconds]).toEqual([
        expected.code,
        expected.param,
        expected.request_id,
        expected.retry_after_seconds,
      ]);
    expect(keys).toHaveLength(expected.attempts);
    expect(new Set(keys).size).toBe(1);
    expect(keys[0] === null).toBe(!keyed);
  });
});

test.each(readVectors('pagination'))('a list: $name', async ({ query, pages, expect: expected }) => {
  const asked: unknown[] = [];
  const fetch = async (url: URL) => {
    asked.push(Object.fromEntries(url.searchParams));
    return Response.json(pages[asked.length - 1]?.answer);
  };
  const quittance = new Quittance('sk_test_1', { fetch: fetch as unknown as typeof globalThis.fetch });
  const ids: string[] = [];
  for await (const { id } of quittance.payments.list(query)) ids.push(id);
  expect(ids).toEqual(expected);
  expect(asked).toEqual(pages.map((page) => page.query));
});

const { jwks, cases } = readVectors('receipts');
test.each(cases)('a receipt: $name', async ({ receipt, keys, payee, issuer, allow_test_mode, expect: expected }) => {
  const verdict = verifyReceipt(receipt, {
    jwks: jwks[keys] as never,
    payee,
    ...(issuer !== undefined && { issuer }),
    ...(allow_test_mode && { allowTestMode: true }),
  });
  if ('payment' in expected) expect((await verdict).payment).toBe(expected.payment);
  else await expect(verdict).rejects.toBeInstanceOf(ReceiptVerificationError);
});
