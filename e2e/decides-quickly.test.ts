import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Browser, Locator, Page } from 'playwright-core';
import { shownAmount } from './support/shop.ts';
import { openBrowser, visit } from './support/browser.ts';
import { type Service, startService } from './support/service.ts';
import { serveStates } from './states/serve.ts';
import { STATES } from './states/states.ts';

const SMALL = { viewport: { width: 390, height: 700 }, isMobile: true, hasTouch: true };

let service: Service;
let browser: Browser;
beforeAll(async () => {
  [service, browser] = await Promise.all([startService(), openBrowser()]);
});
afterAll(async () => {
  await browser?.close();
  await service?.[Symbol.asyncDispose]();
});

function session(): Promise<{ id: string; checkout_url: string }> {
  return service.call(
    'POST',
    '/v1/checkout/sessions',
    {
      amount: '54.00',
      description: 'Two ferns, a pot and everything that goes with them, delivered on Thursday',
      line_items: [
        { name: 'Fern, potted', quantity: 2, unit_amount: '24.50', amount: '49.00' },
        { name: 'Clay pot', quantity: 1, unit_amount: '10.00', amount: '10.00' },
        { name: 'Spring discount', quantity: 1, amount: '-5.00' },
      ],
    },
    service.testKey,
  );
}

/** Whether all of it is visible when the page opens, without scrolling. */
async function isInSight(page: Page, place: Locator): Promise<boolean> {
  const box = await place.boundingBox();
  const height = page.viewportSize()?.height ?? 0;
  return (await page.evaluate(() => scrollY)) === 0 && box !== null && box.y >= 0 && box.y + box.height <= height;
}

describe('on a phone of 390 by 700', () => {
  test.each(['en', 'de', 'ar', 'ja'])('the first action of each step is in sight (%s)', async (lang) => {
    const { id, checkout_url: url } = await session();
    await using window = await visit(browser, service.url, SMALL);
    const { page } = window;
    await page.goto(`${url}?lang=${lang}`);
    expect(await isInSight(page, page.locator('.choose button.primary'))).toBe(true);
    expect(await isInSight(page, page.locator('.summary-head .countdown'))).toBe(true);
    expect(await page.locator('.items:visible').count()).toBe(0);

    await page.locator('.choose button.primary').click();
    // The test wallet, in the place of the wallets.
    const open = page.locator('.wallets .primary');
    await open.waitFor();
    await page.evaluate(() => scrollTo(0, 0));
    expect(await isInSight(page, open)).toBe(true);

    await service.call('POST', `/v1/public/checkout/sessions/${id}/test`, { action: 'underpaid' });
    await page.locator('.warning').waitFor();
    expect(await page.locator('.message:visible, .error:visible').count()).toBe(1);
    await page.evaluate(() => scrollTo(0, 0));
    expect(await isInSight(page, open)).toBe(true);
    expect(window.incidents).toEqual([]);
  });

  test('the order opens on request, and its lines add up', async () => {
    const { checkout_url: url } = await session();
    await using window = await visit(browser, service.url, SMALL);
    const { page } = window;
    await page.goto(url);
    await page.locator('.order summary').click();
    const lines = await page.locator('.items:visible li').allInnerTexts();
    expect(lines.map((line) => line.replace(/\s+/g, ' '))).toEqual([
      'Fern, potted 2 × 24.50 49.00 USD',
      'Clay pot 10.00 USD',
      'Spring discount −5.00 USD',
      'Total 54.00 USD',
    ]);
  });

  test('the button stays in sight in the long list, and without a script', async () => {
    const { checkout_url: url } = await session();
    for (const javaScriptEnabled of [true, false]) {
      await using window = await visit(browser, service.url, { ...SMALL, javaScriptEnabled });
      const { page } = window;
      await page.goto(url);
      await page.locator('.all-coins > summary').click();
      await page.getByRole('radio', { name: 'TRX' }).waitFor();
      const scrolled = await page.evaluate(() => scrollY);
      const button = await page.locator('.choose button.primary').boundingBox();
      expect((button?.y ?? 0) + (button?.height ?? 0), `scrolled by ${scrolled}`).toBeLessThanOrEqual(700);
      expect(await page.getByRole('radio', { name: 'USDC' }).isChecked()).toBe(true);
    }
  });
});

test('each option says about how much and how long before it is chosen, and nothing is ordered for it', async () => {
  const { id, checkout_url: url } = await session();
  await using window = await visit(browser, service.url);
  const { page } = window;
  await page.goto(url);
  await page.locator('.tile', { hasText: 'USDC' }).getByText('≈ 54').waitFor();
  await page
    .locator('.pill:visible', { hasText: 'Base' })
    .getByText(/about \d+ (second|minute)s?/)
    .waitFor();
  const ether = page.locator('.tile', { hasText: 'ETH' });
  expect(await ether.textContent()).toMatch(/≈ 0\.\d+/);
  await ether.getByRole('radio').check();
  const networks = await page.locator('.pill:visible').allTextContents();
  expect(networks.filter((text) => /about \d+ (minute|second)s?/.test(text))).toHaveLength(3);
  expect(networks.at(-1), 'the slowest and most expensive network comes last').toMatch(/^Ethereum · ERC20/);
  await page.getByText('Estimated amounts and times. Your wallet adds the network fee.').waitFor();
  const { payment } = await service.call<{ payment: unknown }>('GET', `/v1/public/checkout/sessions/${id}`);
  expect(payment).toBeNull();
});

test('the exact amount explains itself beneath it, with and without a script', async () => {
  const { id, checkout_url: url } = await session();
  const { payment } = await service.call<{ payment: { amount: string } }>(
    'POST',
    `/v1/public/checkout/sessions/${id}/pay`,
    { pay_asset: 'USDC', pay_network: 'base' },
  );
  const amount = shownAmount(payment.amount);
  for (const javaScriptEnabled of [true, false]) {
    await using window = await visit(browser, service.url, { javaScriptEnabled });
    const { page } = window;
    await page.goto(url);
    await page.getByText(`Why ${amount}?`).click();
    await page.getByText(/The extra 0\.00\d+ USDC is worth less than one cent\. It isn’t a fee/).waitFor();
    await page.getByText(/A rounded amount also reaches the merchant/).waitFor();
  }
});

test('the first stop of the keyboard is the choice, and the phone comes after it', async () => {
  const { checkout_url: url } = await session();
  await using window = await visit(browser, service.url);
  const { page } = window;
  await page.goto(url);
  await page.locator('.choose').waitFor();
  const stop = async () => {
    await page.keyboard.press('Tab');
    return page.evaluate(() => (document.activeElement as HTMLInputElement | null)?.name);
  };
  // Whether they pay from an exchange, the search over the coins, the coins, the networks of the chosen one.
  expect([await stop(), await stop(), await stop(), await stop()]).toEqual(['exchange', '', 'coin', 'network_USDC']);
});

test('every state has at most one message box', async () => {
  await using states = await serveStates();
  await using window = await visit(browser, states.url);
  const { page } = window;
  for (const { name } of STATES) {
    await page.goto(states.address(name, 'en'));
    const boxes = page.locator('.stage :is(.message, .error, .warning):visible');
    expect(await boxes.count(), name).toBeLessThanOrEqual(1);
  }
});
