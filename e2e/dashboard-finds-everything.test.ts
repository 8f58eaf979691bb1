import type { Browser } from 'playwright-core';
import { expect, test } from 'vitest';
import type { Visit } from './support/browser.ts';
import { type DemoService, startDemo } from './support/demo-service.ts';
import { signIn } from './support/sign-in.ts';
import { beforeStories } from './support/stories.ts';

let demo: DemoService;
let browser: Browser;
let wide: Visit;
beforeStories(startDemo, async (...opened) => {
  [demo, browser] = opened;
  ({ wide } = await signIn(browser, demo));
});

test.each([
  ['workshop', /Fern care workshop/, '/dashboard/links', 'Payment links'],
  ['embed', /Allowed embed origins/, '/dashboard/settings', 'Settings'],
  ['create a pay', /Create a payment link/, '/dashboard/links', 'Create a payment link'],
])('the search finds %s, and leads there', async (text, name, path, heading) => {
  const { page } = wide;
  await page.goto(`${demo.url}/dashboard`);
  await page.getByRole('heading', { name: 'Home' }).waitFor();
  // Who knows the keys types on at once.
  await page.keyboard.press('Control+k');
  await page.keyboard.type(text);
  expect(await page.getByRole('combobox', { name: 'Search' }).inputValue()).toBe(text);
  await page.getByRole('option', { name }).first().click();
  await page.getByRole('heading', { name: heading }).first().waitFor();
  expect(new URL(page.url()).pathname).toBe(path);
});

test('a search and the filters narrow each other, and each stays when the other is changed', async () => {
  const { page } = wide;
  await page.goto(`${demo.url}/dashboard/payments?status=paid`);
  const [field, status] = [page.getByRole('searchbox', { name: 'Search payments' }), page.getByLabel('Status')];
  const badges = (name: string) => page.getByRole('row').getByText(name, { exact: true });
  await field.fill('order-');
  await page.waitForURL(/q=order-/);
  await page.getByRole('region', { name: 'Matching payments' }).waitFor();
  expect(await status.inputValue()).toBe('paid');
  expect(await badges('Needs a decision').count()).toBe(0);
  await status.selectOption('refund_required');
  await badges('Needs a decision').first().waitFor();
  await badges('Paid').waitFor({ state: 'detached' });
  expect(await field.inputValue()).toBe('order-');

  await status.selectOption('refunded');
  await field.fill('nothing at all');
  // Of all payments, a search reads the recent ones only.
  await page.getByText(/^Searches names, emails, descriptions and notes of recent payments/).waitFor();
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await page.getByText('No results for “nothing at all”').waitFor();
  await status.selectOption('refunded');
  await field.fill('');
  await page.getByRole('region', { name: 'Payments', exact: true }).waitFor();
  expect(await status.inputValue()).toBe('refunded');
});

test('payments are found while one types, by amount too', async () => {
  const { page } = wide;
  await page.goto(`${demo.url}/dashboard/payments`);
  await page.getByRole('searchbox', { name: 'Search payments' }).pressSequentially('112.50');
  await page.waitForURL(/q=/);
  await page.getByRole('table').getByText('order-1034').waitFor();
  await expect.poll(() => page.getByRole('row').count()).toBeLessThan(6);
});

test('a customer is found by name, and their payments open', async () => {
  const { page } = wide;
  const answer = await fetch(`${demo.url}/v1/payments?limit=100&status=paid`, {
    headers: { authorization: `Bearer ${demo.testKey}` },
  });
  const { data } = (await answer.json()) as { data: { customer: { name: string } | null }[] };
  const name = data.find(({ customer }) => customer?.name)?.customer?.name ?? '';
  await page.goto(`${demo.url}/dashboard`);
  await page.getByRole('heading', { name: 'Home' }).waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Search' }).fill(name.slice(0, 5));
  await page.getByRole('option', { name }).first().click();
  await page.getByRole('heading', { name }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/dashboard/customers/one');
  expect(wide.incidents).toEqual([]);
});
