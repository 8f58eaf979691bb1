import { expect, test } from 'vitest';
import type { Browser, Page } from 'playwright-core';
import { pressAndSee, visit } from './support/browser.ts';
import type { Shop } from './support/shop.ts';
import { beforeStories, openTestShop } from './support/stories.ts';

let shop: Shop;
let browser: Browser;
beforeStories(openTestShop, (...opened) => void ([shop, browser] = opened));

test('everything can be done by the keyboard alone, and where the keyboard is can always be seen', async () => {
  const { checkout_url: url } = await shop.session();
  await using window = await visit(browser, shop.url);
  const { page } = window;
  await page.goto(url);

  // To the coins, by an arrow key to the next; into the search, to the coin that it finds, and to its second network.
  await tabTo(page, /USDC/);
  await page.keyboard.press('ArrowRight');
  await page.getByRole('button', { name: 'Continue with USDT on Tron' }).waitFor();
  await tabTo(page, 'Search coins or networks');
  await page.keyboard.type('tether');
  await page.keyboard.press('ArrowDown');
  await tabTo(page, /^Tron/);
  await page.keyboard.press('ArrowDown');
  await tabTo(page, 'Continue with USDT on Solana');
  await page.keyboard.press('Enter');

  // The heading has the focus, so that a phone shows the step from its beginning.
  await page.waitForFunction(() => document.activeElement?.textContent === 'Where should a refund go?');
  await tabTo(page, 'Your USDT address on Solana');
  await page.keyboard.type('7vfCXTUXx5WJV5JADk17DUJ4ksgau7utNKj4b963voxs');
  await page.keyboard.press('Enter');
  await page.locator('[data-address]').waitFor();

  await tabTo(page, 'Copy address');
  await pressAndSee(() => page.keyboard.press('Enter'), page.getByRole('status').filter({ hasText: 'Copied' }));
  await tabTo(page, 'Enlarge QR code');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  await tabTo(page, 'Already sent?');
  await page.keyboard.press('Enter');
  await tabTo(page, 'Transaction hash');

  await tabTo(page, 'Pay exact amount');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Paid' }).waitFor();
  expect(window.incidents).toEqual([]);
});

/** Presses Tab until an element with this name has a visible focus. */
async function tabTo(page: Page, name: string | RegExp): Promise<void> {
  for (let pressed = 0; pressed < 80; pressed++) {
    await page.keyboard.press('Tab');
    const focused = await page.evaluate(() => {
      const element = document.activeElement as HTMLInputElement | null;
      if (!element || element === document.body) return null;
      // biome-ignore-start lint/performance/useDomNodeTextContent: what is said is what is shown, not what is hidden.
      const label =
        (element.labels?.[0] as HTMLElement | undefined)?.innerText ??
        element.getAttribute('aria-label') ??
        element.innerText;
      // biome-ignore-end lint/performance/useDomNodeTextContent: as above.
      const seen = [element, element.nextElementSibling]
        .filter((one) => one !== null)
        .some(
          (one) =>
            getComputedStyle(one).outlineStyle !== 'none' && Number.parseFloat(getComputedStyle(one).outlineWidth) >= 2,
        );
      const { top, bottom } = element.getBoundingClientRect();
      return { label: label.trim(), seen, isInView: bottom > 0 && top < innerHeight };
    });
    if (!focused) continue;
    expect(focused, focused.label).toMatchObject({ seen: true, isInView: true });
    if (typeof name === 'string' ? focused.label === name : name.test(focused.label)) return;
  }
  throw new Error(`the keyboard never came to "${name}"`);
}
