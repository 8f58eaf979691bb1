import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';
import type { Merchant } from '../../support/merchant.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

const search = (merchant: Merchant, from: string) =>
  app.inject('GET', '/dashboard/api/search', {
    query: { q: '0x52908400098527886E0F7030069857D2E4169EE7' },
    token: merchant.loginToken,
    from,
  });

test('429 rate_limited: the sixty-first search of an account in a minute, from whichever client; other accounts search on', async () => {
  const other = await app.newMerchant();
  const statuses = [];
  for (let asked = 0; asked < 61; asked += 1)
    statuses.push((await search(app.merchant, `203.0.113.${asked + 1}`)).status);
  expect(statuses).toEqual([...Array(60).fill(200), 429]);
  const refused = await search(app.merchant, '203.0.113.200');
  expect(refused.body.error.code).toBe('rate_limited');
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  expect((await search(other, '203.0.113.1')).status).toBe(200);
});
