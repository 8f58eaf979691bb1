import type { Browser } from 'playwright-core';
import { expect, test } from 'vitest';
import type { Shop } from './support/shop.ts';
import { visitAsMerchant } from './support/sign-in.ts';
import { beforeStories, openTestShop } from './support/stories.ts';

let shop: Shop;
let browser: Browser;
beforeStories(openTestShop, (...opened) => void ([shop, browser] = opened));

test('a merchant makes a key that may do two things, and it may do nothing else', async () => {
  await using window = await visitAsMerchant(browser, shop, { mode: 'test' });
  const { page } = window;
  await page.goto(`${shop.url}/dashboard/keys?new=true`);
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name (optional)').fill('Agent');
  expect(await dialog.getByRole('radio', { name: 'Everything' }).isChecked()).toBe(true);
  await dialog.getByRole('radio', { name: 'Only these' }).check();
  expect(await dialog.getByRole('button', { name: 'Create', exact: true }).isDisabled()).toBe(true);
  await dialog.getByLabel('payments:read').check();
  await dialog.getByLabel('sessions:write').check();
  await dialog.getByRole('button', { name: 'Create', exact: true }).click();
  const secret = await page
    .getByText(/^sk_test_\w{36}$/)
    .first()
    .textContent();
  const ask = (path: string) => fetch(`${shop.url}${path}`, { headers: { authorization: `Bearer ${secret}` } });
  expect((await ask('/v1/payments')).status).toBe(200);
  expect((await ask('/v1/transfers')).status).toBe(403);

  await page.goto(`${shop.url}/dashboard/keys`);
  await page.getByRole('row', { name: /Agent/ }).getByText('payments:read sessions:write').waitFor();
  expect(window.incidents).toEqual([]);
});

test('a merchant asks for webhooks that a public key verifies', async () => {
  await using window = await visitAsMerchant(browser, shop, { mode: 'test', phone: true });
  const { page } = window;
  await page.goto(`${shop.url}/dashboard/webhooks?new=true`);
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Address').fill('http://127.0.0.1:9/signed');
  await dialog.getByLabel('Also sign with Ed25519 (v1a)').check();
  await dialog.getByRole('button', { name: 'Add the endpoint' }).click();
  await page
    .getByText(/whsec_/)
    .first()
    .waitFor();
  const jwks = new RegExp(`^${shop.url}/\\.well-known/jwks/acc_\\w+/test\\.json$`);
  await dialog.getByText(jwks).waitFor();
  const endpoints: any[] = await shop.service.call('GET', '/v1/webhook-endpoints', undefined, shop.key);
  const signed = endpoints.find(({ url }) => url.endsWith('/signed'));
  expect(signed).toMatchObject({ asymmetric_signature: true });
  await page.goto(`${shop.url}/dashboard/webhooks/${signed.id}`);
  await page.getByText(jwks).waitFor();
  expect(window.incidents).toEqual([]);
});
