import type { Browser, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { visit, type Visit } from './support/browser.ts';
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

test('a link is edited: it asks for a name, the customer decides the amount, and it ends', async () => {
  const { page } = wide;
  await page.goto(`${demo.url}/dashboard/links`);
  const row = page.getByRole('row', { name: /Fern care workshop/ });
  await row.getByRole('button', { name: 'Edit' }).click();
  const dialog = page.getByRole('dialog');
  expect(await dialog.getByLabel('Payout wallet').isDisabled()).toBe(true);
  await dialog.getByLabel('Amount').fill('20');
  await dialog.getByText('you can’t see who paid').waitFor();
  // What was typed is not lost by a key, nor by the second press of it.
  for (let press = 0; press < 2; press++) {
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'Leave without saving?' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'Leave without saving?' }).waitFor({ state: 'detached' });
  }
  expect(await dialog.getByLabel('Amount').inputValue()).toBe('20');
  await dialog.getByLabel('Name', { exact: true }).check();
  await dialog.getByText('More', { exact: true }).click();
  await dialog.getByText('Checkouts that are already open can still be paid').waitFor();
  await dialog.getByLabel('Customers decide how much they pay').check();
  expect(await dialog.getByLabel('Suggested amount (optional)').inputValue()).toBe('20');
  // What the customer will see.
  await dialog.getByText('Continue to payment').waitFor();
  expect(await dialog.getByText('Amount20', { exact: true }).count()).toBe(1);
  await dialog.getByLabel('At least').fill('30');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByRole('alert').filter({ hasText: 'At least 30' }).waitFor();
  const most = dialog.getByLabel('At most (optional)', { exact: true });
  await most.fill('25');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect.poll(() => most.getAttribute('aria-invalid')).toBe('true');
  await dialog.getByRole('alert').filter({ hasText: 'At least 30' }).waitFor();
  await most.fill('');
  await dialog.getByLabel('At least').fill('5');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });

  await row.getByRole('button', { name: 'Share' }).click();
  await dialog.getByRole('button', { name: 'Copy link' }).click();
  await dialog.getByRole('button', { name: 'Copied' }).waitFor();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/\/pay\/pl_/);
  await page.keyboard.press('Escape');

  const url = await row.getByRole('button', { name: /^Copy/ }).getAttribute('aria-label');
  await using customer = await visit(browser, demo.url);
  const address = /https?:\S+/.exec(url ?? '')?.[0] ?? '';
  await customer.page.goto(address);
  await customer.page.getByLabel('Your name').waitFor();
  expect(await customer.page.getByLabel('Amount in').inputValue()).toBe('20.00');

  await row.getByRole('button', { name: 'Edit' }).click();
  expect(await dialog.getByLabel('Name', { exact: true }).isChecked()).toBe(true);
  // Without a suggestion the customer's field is empty, and so is this one when the link is edited again.
  await dialog.getByLabel('Suggested amount (optional)').fill('');
  await dialog.getByLabel('Order number (optional)').fill('workshop-8');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });
  await customer.page.reload();
  await customer.page.getByText('At least 5.00 USD').waitFor();
  expect(await customer.page.getByLabel('Amount in').inputValue()).toBe('');

  await row.getByRole('button', { name: 'Edit' }).click();
  expect(await dialog.getByLabel('Suggested amount (optional)').inputValue()).toBe('');
  expect(await dialog.getByLabel('Order number (optional)').inputValue()).toBe('workshop-8');
  await dialog.getByLabel('Last day (optional)').fill('2020-01-31');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByRole('alert').filter({ hasText: 'This day is over' }).waitFor();
  await dialog.getByLabel('Last day (optional)').fill('');
  await payOnce(customer.page);
  await dialog.getByLabel('Payments at most (optional)').fill('1');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await row.getByText('Ended').waitFor();
  await row.getByText('Limit reached').waitFor();
  await customer.page.goto(address);
  await customer.page.getByRole('heading', { name: 'This payment link is no longer active' }).waitFor();
  expect([...wide.incidents, ...customer.incidents]).toEqual([]);
});

test('an address of another family offers to switch the network, and the recommended coin comes first', async () => {
  const { page } = wide;
  await page.goto(`${demo.url}/dashboard/wallets`);
  await page.getByRole('button', { name: 'Add a wallet' }).first().click();
  const dialog = page.getByRole('dialog');
  const assets = dialog.getByLabel('Asset and network');
  expect(await assets.locator('option').first().textContent()).toBe(
    'USDC · Base (recommended: a dollar coin with low network fees)',
  );
  await dialog.getByLabel('Address').fill('7vfCXTUXx5WJV5JADk17DUJ4ksgau7utNKj4b963voxs');
  await dialog.getByText('This is a Solana address.').waitFor();
  await dialog.getByRole('button', { name: 'Switch to USDC · Solana' }).click();
  expect(await assets.inputValue()).toBe('USDC_SOLANA');
  await dialog.getByRole('status').filter({ hasText: '7vfCXTUX' }).waitFor();
  await dialog.getByLabel('Address').fill('0x52908400098527886E0F7030069857D2E4169EE7');
  await dialog.getByRole('button', { name: 'Switch to USDC · Base' }).waitFor();
});

async function payOnce(page: Page): Promise<void> {
  await page.getByLabel('Amount in').fill('7');
  await page.getByLabel('Your name').fill('Kim Reyes');
  await page.getByRole('button', { name: 'Continue to payment' }).click();
  await page.getByRole('button', { name: 'Continue with' }).click();
  await page.getByRole('button', { name: 'Pay exact amount' }).click();
  await page.getByRole('heading', { name: 'Paid' }).waitFor();
}
