import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Merchant, startApp, type TestApp } from '../../support/index.ts';

// The limits of all clients together on one link, and of an account on route providers.
let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

test('429 rate_limited: strangers from twenty client addresses do not use up the openings of a payment link', async () => {
  const [link, other] = [await app.merchant.createLink(), await app.merchant.createLink()];
  const open = (id: string, client: number) =>
    app.inject('POST', `/v1/public/payment-links/${id}/open`, { from: `203.0.113.${client}` });
  const count = async () =>
    (
      await app.ctx.db.query<{ count: number }>(
        'test_opened',
        'select count(*)::integer as count from checkout_sessions where payment_link_id = $1',
        [link.id],
      )
    )[0]?.count;
  for (let client = 1; client <= 20; client += 1)
    await Promise.all(Array.from({ length: 60 }, () => open(link.id, client)));
  expect(await count()).toBeLessThan(900);

  let answer = await open(link.id, 21);
  while (answer.status === 201) answer = await open(link.id, 21);
  const [refused, opened] = [answer, await count()];
  await open(link.id, 21);
  expect(refused).toMatchObject({ status: 429, body: { error: { code: 'rate_limited' } } });
  expect(refused.body.error.message).toContain('This client address has opened the payment link too often');
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  expect(await count()).toBe(opened);
  expect((await open(link.id, 100)).status).toBe(201);
  expect((await open(other.id, 100)).status).toBe(201);
});

test('429 rate_limited: the six hundred and first quote of an account in a minute; other accounts go on', async () => {
  const wallet = await app.merchant.createWallet();
  const ask = (merchant: Merchant) =>
    merchant.request('GET', '/routes/quote', {
      query: { pay_asset: 'USDC', pay_network: 'base', amount: '1.00', payout_wallet_id: wallet.id },
      from: '203.0.113.9',
    });
  const statuses = [];
  for (let asked = 0; asked < 601; asked += 1) statuses.push((await ask(app.merchant)).status);
  expect((await ask(app.merchant)).body.error.message).toContain('600 quotes within a minute');
  expect(new Set(statuses.slice(0, 600)).has(429)).toBe(false);
  expect(statuses[600]).toBe(429);
  expect((await ask(await app.newMerchant())).status).not.toBe(429);
});
