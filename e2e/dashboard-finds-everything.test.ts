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
