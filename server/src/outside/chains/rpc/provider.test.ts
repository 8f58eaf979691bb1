import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { RateLimitError, UnansweredError } from './errors.ts';
import { type Call, createProvider, type Provider } from './provider.ts';
import { Stop } from './stop.ts';

interface Request {
  id: number;
  method: string;
}

let server: Server;
let provider: Provider;
/** The methods of each request. */
const asked: string[][] = [];
let answer: { status: number; headers: Record<string, string>; result: (method: string) => unknown };
/** What is answered to this many calls in one request, instead of their results. */
let refusal: (calls: number, all: readonly Request[]) => unknown = () => undefined;

beforeAll(async () => {
  server = createServer(async (request, response) => {
    const body = JSON.parse((await request.toArray()).join('')) as Request | Request[];
    asked.push([body].flat().map(({ method }) => method));
    const answers = [body].flat().map(({ id, method }) => ({ jsonrpc: '2.0', id, result: answer.result(method) }));
    const refused = Array.isArray(body) ? refusal(body.length, body) : undefined;
    const sent = refused ?? (Array.isArray(body) ? answers : answers[0]);
    response.writeHead(answer.status, answer.headers).end(JSON.stringify(sent));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
beforeEach(() => {
  refusal = () => undefined;
  provider = createProvider(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, {
    pin: { method: 'chain', expected: 'ours', parse: String },
  });
});
afterEach(() => provider.close());
afterAll(() => server.close());

const read = (method: string): Call<string> => ({ method, params: [], parse: String });
const large: Call<string> = { ...read('block'), isLarge: true };
const serve = (result: (method: string) => unknown, status = 200, headers = {}) => {
  asked.length = 0;
  answer = { status, headers, result };
};
const ours = (method: string) => (method === 'chain' ? 'ours' : method);

test('large answers share a request only as far as their bytes allow, by what the last ones had', async () => {
  serve((method) => (method === 'chain' ? 'ours' : 'x'.repeat(5_000_000)));
  for (let turn = 0; turn < 3; turn += 1) await provider.attempt(Array(2).fill(large));
  asked.length = 0;
  await provider.attempt(Array(3).fill(large));
  expect(asked.map((methods) => methods.length)).toEqual([2, 1]);
  serve(ours);
  for (let turn = 0; turn < 20; turn += 1) await provider.attempt(Array(2).fill(large));
  asked.length = 0;
  await provider.attempt(Array(20).fill(large));
  expect(asked.map((methods) => methods.length)).toEqual([20]);
});

test('a proof of the chain costs no request of its own, and nothing is believed without it', async () => {
  serve(ours);
  expect(await provider.proven.call(read('head'))).toBe('head');
  expect(await provider.proven.batch([read('head'), read('logs')])).toEqual(['head', 'logs']);
  expect(asked).toEqual([
    ['head', 'chain'],
    ['head', 'logs', 'chain'],
  ]);
  serve((method) => (method === 'chain' ? 'theirs' : method));
  await expect(provider.proven.call(read('head'))).rejects.toThrow('is on chain theirs, not ours');
});

test.each([
  [429, '120', 120_000],
  [503, '120', 120_000],
  [503, undefined, undefined],
])('status %i with Retry-After %s asks to wait', async (status, header, expected) => {
  serve(() => 'no', status, header ? { 'retry-after': header } : {});
  const error = await provider.call(read('head')).catch((failure: unknown) => failure);
  expect(error).toMatchObject({ retryAfterMs: expected });
  expect(error instanceof UnansweredError).toBe(expected !== undefined);
});

/** How many calls each request has to which these were split. */
async function requestsFor(calls: readonly Call<string>[]): Promise<number[]> {
  asked.length = 0;
  await provider.attempt(calls);
  return asked.map((methods) => methods.length);
}

const TWENTY = Array.from({ length: 20 }, () => read('head'));
const LIMITS: [string, number, unknown][] = [
  ['status 429', 429, undefined],
  [
    'a refusal without an envelope',
    200,
    { Error: 'class java.lang.IllegalAccessException : lack of computing resources' },
  ],
  [
    'one error for all calls',
    200,
    { jsonrpc: '2.0', id: null, error: { code: -32_005, message: 'rate limit exceeded' } },
  ],
  [
    'one error for all calls in a list',
    200,
    [{ jsonrpc: '2.0', id: null, error: { code: -32_005, message: 'rate limit exceeded' } }],
  ],
];

test.each(LIMITS)(
  'a rate limit by %s is a matter of pace: as many calls are sent together afterwards',
  async (_, status, body) => {
    serve(ours);
    expect(await requestsFor(TWENTY)).toEqual([1, 20]);
    serve(ours, status);
    refusal = () => body;
    await expect(provider.attempt(TWENTY)).rejects.toBeInstanceOf(RateLimitError);
    expect(asked.length).toBe(1);
    serve(ours);
    refusal = () => undefined;
    expect(await requestsFor(TWENTY)).toEqual([20]);
  },
);

test('a rate limit that meets the same number of calls again and again is one of their number too', async () => {
  serve(ours);
  await provider.attempt(TWENTY);
  // Of 20 calls a second, it takes 15.
  refusal = (calls) => (calls > 15 ? LIMITS[2]?.[2] : undefined);
  for (let turn = 0; turn < 3; turn += 1) {
    expect(await requestsFor(TWENTY.slice(0, 4))).toEqual([4]);
    await expect(provider.attempt(TWENTY)).rejects.toBeInstanceOf(RateLimitError);
  }
  expect(await requestsFor(TWENTY)).toEqual([5, 5, 5, 5]);
});

test.each([
  'Batch size 20 exceeds the limit of 15',
  'batch limit 15 exceeded',
  'Batch of more than 15 requests is not allowed',
])('a provider that names how many calls it takes together is sent so many: %s', async (message) => {
  serve(ours);
  refusal = (calls) => (calls > 15 ? { error: { code: -32_005, message } } : undefined);
  expect(await requestsFor(TWENTY)).toEqual([1, 20, 15, 5]);
});

const TOO_MANY: [string, (calls: readonly Request[]) => unknown][] = [
  [
    'for the first call alone, as geth',
    ([first]) => [{ jsonrpc: '2.0', id: first?.id, error: { code: -32_600, message: 'batch too large' } }],
  ],
  ['for no call', () => [{ jsonrpc: '2.0', id: null, error: { code: -32_600, message: 'too many calls' } }]],
  [
    'for each call',
    (calls) =>
      calls.map(({ id }) => ({ jsonrpc: '2.0', id, error: { code: 31, message: 'Batch of more is not free' } })),
  ],
];

test.each(TOO_MANY)('a refusal of so many calls %s is of their number, and of no call', async (_, refusalOf) => {
  serve(ours);
  refusal = (calls, all) => (calls > 5 ? refusalOf(all) : undefined);
  expect(await requestsFor(TWENTY)).toEqual([1, 20, 5, 5, 5, 5]);
  expect(await provider.proven.batch(TWENTY.slice(0, 9))).toEqual(Array(9).fill('head'));
});

test('the number is also read where a node names it beside its message', async () => {
  serve(ours);
  const error = { code: -32_010, message: 'The batch request was too large', data: 'Exceeded max limit of 15' };
  refusal = (calls) => (calls > 15 ? { error } : undefined);
  expect(await requestsFor(TWENTY)).toEqual([1, 20, 15, 5]);
});

test('a provider that took one call at a time for a while is asked for more together again', async () => {
  serve(ours);
  refusal = (calls) => ({ error: { code: -32_005, message: `Batch size ${calls} exceeds the limit` } });
  expect(await requestsFor(TWENTY)).toEqual([1, 20, 5, ...TWENTY.map(() => 1)]);
  let refused = 0;
  for (let turn = 0; turn < 100; turn += 1) refused += (await requestsFor(TWENTY)).filter((calls) => calls > 1).length;
  expect(refused).toBeLessThanOrEqual(20);
  refusal = () => undefined;
  let requests = 0;
  for (let turn = 0; turn < 50; turn += 1) requests += (await requestsFor(TWENTY)).length;
  expect(requests).toBeLessThan(500);
  expect(await requestsFor(TWENTY)).toEqual([20]);
});

test.each(['plain', 'proven'] as const)('work that is stopped sends no further request: %s', async (which) => {
  serve(ours);
  refusal = () => ({ error: { code: -32_600, message: 'no batches' } });
  await requestsFor(TWENTY);
  asked.length = 0;
  const stop = new Stop();
  serve((method) => {
    if (asked.length === 7) stop.beforeNext(new UnansweredError('too long'));
    return ours(method);
  });
  const own = which === 'plain' ? provider : provider.proven;
  await expect(stop.over(() => own.attempt(TWENTY))).rejects.toThrow('too long');
  expect(asked.length).toBe(7);
  await expect(stop.over(() => own.call(read('head')))).rejects.toThrow('too long');
  expect(asked.length).toBe(7);
  expect(await provider.call(read('head'))).toBe('head');
});
