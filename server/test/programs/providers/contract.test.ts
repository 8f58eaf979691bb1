import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { Exchange } from './recorder.ts';
import { deviations, ONE_CLICK, RELAY } from './shapes.ts';

const COMMAND = fileURLToPath(new URL('./contract-test.ts', import.meta.url));

test('every promise holds against the doubles', () => {
  const { status, stdout, stderr } = run();
  expect([status, stdout.split('\n').filter((line) => line.startsWith('FAILED')), stderr]).toEqual([0, [], '']);
  expect(stdout).toMatch(/(\d+) of \1 promises hold against the doubles/);
});

test('without a network the tests against the real providers say so, and fail', () => {
  // An unused port stands in for an unreachable provider.
  const { status, stdout, stderr } = run(['--live'], {
    ROUTES_ONECLICK_URL: 'http://127.0.0.1:9',
    ROUTES_RELAY_URL: 'http://127.0.0.1:9',
  });
  expect([status, stdout]).toEqual([2, '']);
  expect(stderr).toContain('127.0.0.1:9 cannot be reached from here');
  expect(stderr).toContain('nothing was tested');
});

const QUOTE: Exchange = {
  method: 'POST',
  path: '/v0/quote',
  query: {},
  headers: {},
  status: 201,
  body: {
    dry: true,
    depositMode: 'SIMPLE',
    swapType: 'EXACT_OUTPUT',
    slippageTolerance: 100,
    originAsset: 'a',
    destinationAsset: 'b',
    depositType: 'ORIGIN_CHAIN',
    amount: '1',
    refundTo: 'c',
    refundType: 'ORIGIN_CHAIN',
    recipient: 'd',
    recipientType: 'DESTINATION_CHAIN',
    deadline: '2026-03-14T12:00:00.000Z',
    referral: 'quittance',
  },
  answer: { message: 'no' },
};

test.each<[string, Partial<Exchange>, RegExp]>([
  ['a number where text is documented', { body: { ...(QUOTE.body as object), amount: 1 } }, /is sent: \/amount/],
  [
    'a field that is not documented',
    { body: { ...(QUOTE.body as object), payoutAddress: 'x' } },
    /is sent: \/payoutAddress/,
  ],
  ['a field that is missing', { body: { ...(QUOTE.body as object), refundTo: undefined } }, /is sent: \/refundTo/],
  ['an answer of another shape', {}, /answers 201: \/quote/],
  ['a status that is not documented', { status: 418 }, /answers 418, which is not documented/],
  ['a call that is not documented', { path: '/v0/any' }, /not among the documented calls/],
  ['a query that is not documented', { query: { dry: 'true' } }, /is asked: \/dry/],
])('%s is noticed', (_, change, said) => {
  expect(deviations(ONE_CLICK, { ...QUOTE, ...change })).toEqual(expect.arrayContaining([expect.stringMatching(said)]));
});

test('a hint to Relay without its chain is noticed', () => {
  const hint: Exchange = {
    method: 'POST',
    path: '/transactions/deposit-address/reindex',
    query: {},
    headers: {},
    body: { depositAddress: 'x' },
    status: 200,
    answer: {},
  };
  expect(deviations(RELAY, hint)).toEqual(expect.arrayContaining([expect.stringMatching(/is sent: \/chainId/)]));
});

function run(args: string[] = [], env: Record<string, string> = {}) {
  return spawnSync(process.execPath, [COMMAND, ...args], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, ...env },
    timeout: 60_000,
  });
}
