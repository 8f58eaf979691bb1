import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';
import type { Merchant } from '../../support/merchant.ts';

let app: TestApp;
let merchant: Merchant;
beforeAll(async () => {
  app = await startApp();
  merchant = app.merchant;
  await merchant.createLink({ description: 'Fern workshop, 100% hands-on' });
  await merchant.createWallet({ network: 'polygon', label: 'Workshop takings' });
  await merchant.post('/webhook-endpoints', { url: 'https://shop.example.com/workshop', events: ['payment.paid'] });
  await merchant.dashboard.post('/api-keys', { mode: 'test', label: 'Workshop till' });
  const customer = { name: 'Kim Reyes', email: 'kim@example.com' };
  const { id } = await merchant.createSession({ customer });
  await merchant.pay(id);
});
afterAll(() => app.stop());

async function search(by: Merchant, q: string): Promise<{ kind: string; label: string; identity?: unknown }[]> {
  const answer = await app.inject('GET', '/dashboard/api/search', {
    query: { q },
    headers: { cookie: `session=${by.loginToken}`, 'service-mode': 'test' },
  });
  expect(answer.status).toBe(200);
  return answer.body.data.others;
}

test('a part of a name finds links, wallets, endpoints and keys, in any case', async () => {
  for (const text of ['workshop', 'WORKSHOP'])
    expect((await search(merchant, text)).map(({ kind }) => kind)).toEqual([
      'payment_link',
      'payout_wallet',
      'webhook_endpoint',
      'api_key',
    ]);
  expect(await search(merchant, '100%')).toMatchObject([{ kind: 'payment_link' }]);
  for (const text of ['%', '__', 'w', '\\\\']) expect(await search(merchant, text), text).toEqual([]);
});

test('a customer is found by the beginning of the name, with what identifies them', async () => {
  for (const text of ['Kim', 'kim r', 'kim@'])
    expect(await search(merchant, text), text).toMatchObject([
      { kind: 'customer', label: 'Kim Reyes', identity: { email: 'kim@example.com' } },
    ]);
});

test("nothing of another account is found, and nothing of the other mode's", async () => {
  const stranger = await app.newMerchant();
  for (const text of ['workshop', 'Kim', 'shop.example.com']) expect(await search(stranger, text)).toEqual([]);
  const live = await app.inject('GET', '/dashboard/api/search', {
    query: { q: 'workshop' },
    headers: { cookie: `session=${merchant.loginToken}`, 'service-mode': 'live' },
  });
  expect(live.body.data.others).toEqual([]);
});
