import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createFacilitator } from './x402.ts';

let server: Server;
let answer: { status: number; body: string };

beforeAll(async () => {
  server = createServer((_request, response) => response.writeHead(answer.status).end(answer.body));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

const facilitator = () => {
  const { port } = server.address() as AddressInfo;
  return createFacilitator({ url: `http://127.0.0.1:${port}`, token: null }, pino({ level: 'silent' }));
};
const HASH = `0x${'ab'.repeat(32)}`;

test.each<[string, number, unknown, unknown]>([
  ['success', 200, { success: true, transaction: HASH }, { type: 'sent', txHash: HASH }],
  ['success without a hash', 200, { success: true }, { type: 'sent', txHash: null }],
  ['an invalid hash', 200, { success: true, transaction: 'a\u0000b' }, { type: 'sent', txHash: null }],
  [
    'a refusal',
    200,
    { success: false, errorReason: 'insufficient_funds' },
    { type: 'refused', reason: 'insufficient_funds' },
  ],
  ['a reason with other characters', 400, { errorReason: 'no\n<b>' }, { type: 'refused', reason: 'no__b_' }],
  [
    'pending',
    500,
    { success: false, errorReason: 'settlement_pending', transaction: HASH },
    { type: 'unknown', reason: 'http_500' },
  ],
  ['success with a 5xx', 503, { success: true, transaction: HASH }, { type: 'unknown', reason: 'http_503' }],
  ['not an object', 200, null, { type: 'refused', reason: 'http_200' }],
])('%s is parsed correctly', async (_name, status, body, report) => {
  answer = { status, body: JSON.stringify(body) };
  expect(await facilitator().settle({}, {})).toEqual(report);
});

test('an unreadable response is unknown, never a rejection', async () => {
  answer = { status: 200, body: '<html>' };
  expect(await facilitator().settle({}, {})).toEqual({ type: 'unknown', reason: 'no_answer' });
});

test('only valid kinds of version 2 are listed', async () => {
  const kind = { x402Version: 2, scheme: 'exact', network: 'eip155:1' };
  const kinds = [
    kind,
    { ...kind, x402Version: 1 },
    { ...kind, network: 7 },
    null,
    'exact',
    { ...kind, extra: { feePayer: 'none' } },
  ];
  answer = { status: 200, body: JSON.stringify({ kinds }) };
  const listed = { scheme: 'exact', network: 'eip155:1', feePayer: null };
  expect(await facilitator().kinds()).toEqual([listed, listed]);
  for (const body of ['{}', '[]', '{"kinds":7}', 'no json']) {
    answer = { status: 200, body };
    expect(await facilitator().kinds()).toEqual([]);
  }
});
