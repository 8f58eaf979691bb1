import { base58 } from '@scure/base';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ReceiveNetwork } from '@quittance/contract';
import type { Chain } from '../../../src/outside/chains/chain.ts';
import type { Stranger } from '../../../src/platform/http/admission/client.ts';
import { TemporaryError } from '../../../src/platform/errors.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import type { Merchant } from '../../support/merchant.ts';

const ADDRESS = '0x52908400098527886E0F7030069857D2E4169EE7';
const LIMIT = 60;
let app: TestApp;
let asked = 0;
const strangers: (string | undefined)[] = [];
beforeAll(async () => {
  const base = {
    accountKindOf: async () => {
      asked += 1;
      return null;
    },
    close: async () => {},
  } as Partial<Chain> as Chain;
  const solana = {
    ...base,
    accountKindOf: async (_address: string, stranger?: Stranger) => {
      strangers.push(stranger?.client?.narrow);
      throw new TemporaryError('the budget is used up');
    },
  };
  const chains = new Map<ReceiveNetwork, Chain>([
    ['base', base],
    ['solana', solana],
  ]);
  app = await startApp({ overrides: { chains } });
});
afterAll(() => app.stop());

const save = (merchant: Merchant, from: string) =>
  merchant.live.request('POST', '/payout-wallets', {
    body: { asset: 'USDC', network: 'base', address: ADDRESS },
    from,
  });
const check = (merchant: Merchant, from: string) =>
  app.inject('GET', '/dashboard/api/address-check', {
    query: { asset: 'USDC', network: 'base', address: ADDRESS },
    headers: { 'service-mode': 'live' },
    token: merchant.loginToken,
    from,
  });

test('429 rate_limited: the sixty-first address of an account in a minute is not looked up, saved or checked; other accounts go on', async () => {
  const other = await app.newMerchant();
  const statuses = [];
  for (let made = 0; made < LIMIT; made += 1)
    statuses.push((await (made % 2 ? check : save)(app.merchant, `203.0.113.${made + 1}`)).status);
  expect(new Set(statuses)).toEqual(new Set([201, 200]));
  expect(asked).toBe(LIMIT);

  for (const refused of [await save(app.merchant, '203.0.113.200'), await check(app.merchant, '203.0.113.201')]) {
    expect([refused.status, refused.body.error.code]).toEqual([429, 'rate_limited']);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  }
  expect(asked).toBe(LIMIT);
  expect((await save(other, '203.0.113.1')).status).toBe(201);
});

test('what a test asks for in a minute stops nothing that is live', async () => {
  const merchant = await app.newMerchant();
  const body = { asset: 'USDC', network: 'base', address: ADDRESS };
  const test = (made: number) => merchant.request('POST', '/payout-wallets', { body, from: `203.0.113.${made}` });
  for (let made = 0; made < LIMIT; made += 1) await test(made);
  expect((await test(LIMIT)).status).toBe(429);
  expect((await save(merchant, '203.0.113.1')).status).toBe(201);
});

test('429 rate_limited: refunds that ask the chain share this quota of the account', async () => {
  const merchant = await app.newMerchant();
  const refund = (path: 'check-refund' | 'refund-transaction', body: object) =>
    app.inject('POST', `/dashboard/api/payments/pay_000000000000000000000000/${path}`, {
      body,
      headers: { 'service-mode': 'live' },
      token: merchant.loginToken,
      from: '203.0.113.1',
    });
  const send = (made: number) =>
    made % 2
      ? refund('check-refund', { tx_hash: `0x${'1'.repeat(64)}`, address: ADDRESS })
      : refund('refund-transaction', { from: ADDRESS, to: ADDRESS, amount: '1' });
  for (let made = 0; made < LIMIT; made += 1) expect((await send(made)).status).toBe(404);
  expect([(await send(0)).status, (await send(1)).status]).toEqual([429, 429]);
});

test('the address that a customer names for a refund is looked up from the share of their client, and accepted beyond it', async () => {
  const { id } = await app.merchant.live.createSession();
  const refused = await app.inject('POST', `/v1/public/checkout/sessions/${id}/pay`, {
    body: { pay_asset: 'SOL', pay_network: 'solana', refund_address: base58.encode(new Uint8Array(32).fill(7)) },
    from: '203.0.113.9',
  });
  // The address is accepted, and nothing converts here.
  expect(refused.body.error.message).toMatch(/cannot be converted/);
  expect(strangers).toEqual(['client:203.0.113.9']);
});
