import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { UnansweredError } from './errors.ts';
import { type Call, createProvider, type Provider } from './provider.ts';

interface Request {
  id: number;
  method: string;
}

let server: Server;
let provider: Provider;
/** The methods of each request. */
const asked: string[][] = [];
let answer: { status: number; headers: Record<string, string>; result: (method: string) => unknown };

beforeAll(async () => {
  server = createServer(async (request, response) => {
    const body = JSON.parse((await request.toArray()).join('')) as Request | Request[];
    asked.push([body].flat().map(({ method }) => method));
    const answers = [body].flat().map(({ id, method }) => ({ jsonrpc: '2.0', id, result: answer.result(method) }));
    response.writeHead(answer.status, answer.headers).end(JSON.stringify(Array.isArray(body) ? answers : answers[0]));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  provider = createProvider(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, {
    pin: { method: 'chain', expected: 'ours', parse: String },
  });
});
afterAll(async () => {
  await provider.close();
  server.close();
});

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
