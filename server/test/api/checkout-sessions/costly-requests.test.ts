import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp, type TestApp } from '../../support/index.ts';

let app: TestApp;
const STRANGER = '203.0.113.9';
const HASH = `0x${'ab'.repeat(32)}`;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

async function session(): Promise<string> {
  return (await app.merchant.createSession()).id;
}

// Each of these asks a chain, a price source or a provider, or creates something, for anyone.
test.each([
  [
    'a transaction is pointed at',
    60,
    async () => ({ path: `/v1/public/checkout/sessions/${await session()}/transactions`, body: { tx_hash: HASH } }),
  ],
  [
    'something is chosen to pay with',
    60,
    async () => ({
      path: `/v1/public/checkout/sessions/${await session()}/pay`,
      body: { pay_asset: 'USDC', pay_network: 'base' },
    }),
  ],
  [
    'a transaction is built',
    60,
    async () => ({
      path: `/v1/public/checkout/sessions/${await session()}/transaction`,
      body: { sender: '0x52908400098527886E0F7030069857D2E4169EE7' },
    }),
  ],
  [
    'a test session is acted on',
    60,
    async () => ({ path: `/v1/public/checkout/sessions/${await session()}/test`, body: { action: 'add_block' } }),
  ],
  [
    'a link is opened',
    60,
    async () => ({ path: `/v1/public/payment-links/${(await app.merchant.createLink()).id}/open`, body: undefined }),
  ],
  [
    'a wallet logs in',
    60,
    async () => ({
      path: '/v1/auth/verify',
      body: { address: '0x52908400098527886E0F7030069857D2E4169EE7', signature: `0x${'11'.repeat(65)}` },
    }),
  ],
])('%s %i times a minute by one stranger, and no more', async (_, most, request) => {
  const { path, body } = await request();
  const ask = (from: string) => app.inject('POST', path, { from, ...(body && { body }) });
  for (let time = 0; time < most; time += 1) expect((await ask(STRANGER)).status).not.toBe(429);

  const refused = await ask(STRANGER);
  expect([refused.status, refused.body.error.code, Number(refused.headers['retry-after']) > 1]).toEqual([
    429,
    'rate_limited',
    true,
  ]);
  expect((await ask('198.51.100.7')).status).not.toBe(429);
  expect((await ask('127.0.0.1')).status).not.toBe(429);
});

test('the forms of the page are held to the same', async () => {
  const id = await session();
  const ask = (path: string, payload: string) =>
    app.server.inject({
      method: 'POST',
      url: `/checkout/${id}${path}`,
      remoteAddress: STRANGER,
      headers: { host: 'localhost', 'content-type': 'application/x-www-form-urlencoded' },
      payload,
    });
  for (let time = 0; time < 30; time += 1) {
    expect((await ask('/pay', 'option=USDC_BASE')).statusCode).toBe(303);
    expect((await ask('/transactions', `tx_hash=${HASH}`)).statusCode).toBe(303);
  }
  expect((await ask('/pay', 'option=USDC_BASE')).statusCode).toBe(429);
  expect((await ask('/transactions', `tx_hash=${HASH}`)).statusCode).toBe(429);
  expect((await ask('/test', 'action=add_block')).statusCode).toBe(429);
});
