import type { Browser, Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { visit, type Visit } from './support/browser.ts';
import { type DemoService, startDemo } from './support/demo-service.ts';
import { beforeStories } from './support/stories.ts';

let demo: DemoService;
let browser: Browser;
let merchant: Visit;
beforeStories(startDemo, async (...opened) => {
  [demo, browser] = opened;
  await demo.seeded();
  merchant = await visit(browser, demo.url);
  await merchant.page.goto(demo.dashboardUrl);
  await merchant.page.getByRole('heading', { name: 'Home' }).waitFor();
});

// In every form of the dashboard.
describe('a value that the service refuses is shown once, at its field, in the words of its label, and nothing beside it moves', () => {
  test('a payment link with a wrong amount', async () => {
    const { page } = merchant;
    await open(page, '/links?new=true', 'Create link');
    await page.getByLabel('Description').fill('A pot of moss');
    const amount = page.getByLabel('Amount');
    // With or without thousands: it could be either.
    await amount.fill('1.250');
    await refusedAt(amount, page.getByRole('button', { name: 'Create link' }), /^Unclear: /);
    await amount.fill('0');
    await refusedAt(amount, page.getByRole('button', { name: 'Create link' }), /^At least 0\.01$/);
  });

  test('a payment link with a wrong address under “More”, which was closed again', async () => {
    const { page } = merchant;
    await open(page, '/links?new=true', 'Create link');
    await page.getByLabel('Description').fill('A pot of moss');
    await page.getByLabel('Amount').fill('21.50');
    await page.getByText('More', { exact: true }).click();
    const redirect = page.getByLabel('Redirect after payment (optional)');
    await redirect.fill('http://shop.example.com/thanks');
    await page.getByText('More', { exact: true }).click();
    await page.getByRole('button', { name: 'Create link' }).click();
    await isRefused(redirect, /^“Redirect after payment \(optional\)” must be https\./);
  });

  test('a payment link in German', async () => {
    await using window = await visit(browser, demo.url, { locale: 'de-DE' });
    await window.context.addCookies(await merchant.context.cookies());
    const { page } = window;
    await open(page, '/links?new=true', 'Link erstellen');
    await page.getByLabel('Beschreibung').fill('Ein Topf Moos');
    const amount = page.getByLabel('Betrag', { exact: true });
    await amount.fill('21,50 Euro');
    await refusedAt(
      amount,
      page.getByRole('dialog').getByRole('button', { name: 'Link erstellen' }),
      /^Geben Sie eine Zahl wie 12,50 ein\.$/,
    );
  });

  test('a webhook endpoint without https', async () => {
    const { page } = merchant;
    await open(page, '/webhooks?new=true', 'Add the endpoint');
    const address = page.getByLabel('Address');
    await address.fill('ftp://shop.example.com/hook');
    await refusedAt(
      address,
      page.getByRole('button', { name: 'Add the endpoint' }),
      /^The URL must begin with https:\/\/\.$/,
    );
  });

  test('a refund with a wrong amount, and one with a wrong transaction', async () => {
    const { page } = merchant;
    const openForm = async () => {
      await page.getByRole('button', { name: 'Refund', exact: true }).click();
      // Without an address, the amount is recorded by word.
      await page.getByLabel(/^To \(/).fill('');
      await page.getByRole('button', { name: 'I’ve sent it' }).click();
    };
    await open(page, '/payments?status=paid&route=direct', 'Export CSV');
    await page.getByRole('row').nth(2).getByRole('link').click();
    await openForm();
    const amount = page.getByLabel('Amount (USD)');
    await amount.fill('1.234');
    await refusedAt(amount, page.getByRole('button', { name: 'Record the refund' }), /^Unclear: /);
    await page.reload();
    await page.getByRole('button', { name: 'Refund', exact: true }).click();
    await page.getByLabel(/^To \(/).waitFor();
    await page.getByRole('button', { name: 'I’ve sent it' }).click();
    const transaction = page.getByLabel('Transaction (optional)');
    await transaction.fill('0x12');
    await refusedAt(
      transaction,
      page.getByRole('button', { name: 'Check transaction' }),
      /^Not a valid transaction hash\./,
    );
  });

  test('a sign-in with an address that gets no mail, and with a wrong code, in English and in German', async () => {
    for (const [locale, send, code, enter, refusal] of [
      [
        'en-US',
        'Send a code',
        'Code',
        'Sign in',
        /^The code is wrong, was already used, or has expired\. Request a new one\.$/,
      ],
      ['de-DE', 'Code senden', 'Code', 'Anmelden', /^Dieser Code ist falsch oder abgelaufen\.The code is wrong/],
    ] as const) {
      await using window = await visit(browser, demo.url, { locale });
      const { page } = window;
      await page.goto(`${demo.url}/dashboard/sign-in`);
      const email = page.locator('input[name=email]');
      await email.fill('kim@shop');
      await refusedAt(
        email,
        page.getByRole('button', { name: send }),
        /^(“Email” must be an email address\.|Prüfen Sie „E-Mail“)/,
      );
      await email.fill(`kim-${locale}@shop.example`);
      await page.getByRole('button', { name: send }).click();
      const field = page.getByLabel(code, { exact: true });
      await field.fill('WRONG1');
      await refusedAt(field, page.getByRole('button', { name: enter, exact: true }), refusal);
      expect(await page.getByText('Request ID').count()).toBe(0);
    }
  });

  test('a payout wallet with a wrong address', async () => {
    const { page } = merchant;
    await open(page, '/wallets?new=true', 'Save wallet');
    const address = page.getByRole('dialog').getByLabel('Address');
    await address.fill('0x8617E340B3D01FA5F11F306F4090FD50E238070');
    await isRefused(address, /^Not a valid address on Base\. It must be 0x and 40 digits and letters from a to f\.$/);
  });

  test('a payout wallet with a recovery phrase, which stays in the browser', async () => {
    const { page } = merchant;
    await open(page, '/wallets?new=true', 'Save wallet');
    const sent: string[] = [];
    page.on('request', (request) => sent.push(request.url() + request.postData()));
    const dialog = page.getByRole('dialog');
    const address = dialog.getByLabel('Address');
    await address.fill('0x52908400098527886E0F7030069857D2E4169EE7');
    const save = dialog.getByRole('button', { name: 'Save wallet' });
    await dialog.getByRole('status').filter({ hasText: '0x529084' }).waitFor();
    await address.fill('abandon ability able about above absent absorb abstract absurd abuse access accident');
    await isRefused(address, /^This looks like a recovery phrase\. Never paste it anywhere: /);
    expect(await save.isDisabled()).toBe(true);
    // The next address is judged, and the phrase before it was not.
    await address.fill('0x8617E340B3D01FA5F11F306F4090FD50E238070');
    await dialog.getByText('Not a valid address on Base.').waitFor();
    expect(sent.filter((one) => /abandon|accident/.test(one))).toEqual([]);
  });

  test('a proof of a payout wallet with a wrong signature', async () => {
    const { page } = merchant;
    await open(page, '/wallets', 'Solana takings');
    await page.getByRole('button', { name: 'Verify ownership' }).first().click();
    const signature = page.getByLabel('Paste a signature');
    await signature.fill('0x1234');
    const verify = page.getByRole('dialog').getByRole('button', { name: 'Verify', exact: true });
    await refusedAt(signature, verify, /^The signature does not match a message issued for this wallet/);
  });

  test('an invitation to an address that gets no mail', async () => {
    const { page } = merchant;
    await open(page, '/settings', 'Create an invitation link');
    const email = page.getByLabel('Email', { exact: true });
    await email.fill('kim@shop');
    await refusedAt(
      email,
      page.getByRole('button', { name: 'Create an invitation link' }),
      /^“Email” must be an email address\.$/,
    );
  });

  test('a wrong address of support, which the browser would refuse in its own way', async () => {
    const { page } = merchant;
    await open(page, '/settings', 'Create an invitation link');
    const email = page.getByLabel('Support email');
    await email.fill('kim@');
    await refusedAt(email, page.getByRole('button', { name: 'Save' }), /^“Support email” must be an email address\.$/);
    await page.getByRole('button', { name: 'Discard' }).click();
  });

  test('a tolerance above the limit', async () => {
    const { page } = merchant;
    // The card of invitations asks by itself, and is the last to come.
    await open(page, '/settings', 'Create an invitation link');
    const tolerance = page.getByLabel('Underpayment tolerance (%)');
    await tolerance.fill('7');
    await refusedAt(tolerance, page.getByRole('button', { name: 'Save' }), /^At most 5%$/);
    await page.getByRole('button', { name: 'Discard' }).click();
  });
});

async function open(page: Page, path: string, text: string): Promise<void> {
  await page.goto(`${demo.url}/dashboard${path}`);
  await page.getByText(text, { exact: true }).first().waitFor();
}

/** Submits, and compares every control before and after: neither those above the field move nor those beside it. */
async function refusedAt(field: Locator, submit: Locator, message: RegExp): Promise<void> {
  await field.scrollIntoViewIfNeeded();
  const before = await boxesAround(field);
  await submit.click();
  await isRefused(field, message);
  expect(await boxesAround(field)).toEqual(before);
}

async function isRefused(field: Locator, message: RegExp): Promise<void> {
  const alerts = field.page().getByRole('alert').filter({ hasText: /./ });
  await alerts.first().waitFor();
  expect(await alerts.allTextContents()).toEqual([expect.stringMatching(message)]);
  expect(await field.getAttribute('aria-invalid')).toBe('true');
  const description = (await field.getAttribute('aria-describedby')) ?? '';
  expect(description.split(' ')).toContain(await alerts.first().getAttribute('id'));
  await alerts.first().waitFor({ state: 'visible' });
}

/** The place and size of each control that is shown. Those below the field may move down. */
function boxesAround(field: Locator): Promise<unknown[]> {
  return field.evaluate((element) => {
    const scope = element.closest('dialog, main') as Element;
    const scrolled = scope.matches('dialog') ? scope.scrollTop : window.scrollY;
    const { bottom } = element.getBoundingClientRect();
    const controls = [...scope.querySelectorAll('input, select, textarea, button')].filter((one) =>
      one.checkVisibility(),
    );
    return controls.map((other) => {
      const { x, y, width, height } = other.getBoundingClientRect();
      const top = y >= bottom ? 'below' : (y + scrolled).toFixed(1);
      // Without the seconds of a countdown.
      const name = other.textContent?.slice(0, 20).replace(/\d+/, '');
      return [name, x.toFixed(1), top, width.toFixed(1), height.toFixed(1)];
    });
  });
}
