import { describe, expect, test } from 'vitest';
import type { Browser, Page } from 'playwright-core';
import { visit } from './support/browser.ts';
import type { Shop } from './support/shop.ts';
import { beforeStories, openTestShop } from './support/stories.ts';

let shop: Shop;
let browser: Browser;
beforeStories(openTestShop, (...opened) => void ([shop, browser] = opened));

const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

/** The coins in sight without scrolling. */
function inSight(page: Page): Promise<string[]> {
  return page
    .locator('.tile:visible')
    .evaluateAll((tiles) =>
      tiles
        .filter((tile) => tile.getBoundingClientRect().bottom <= innerHeight)
        .map((tile) => tile.querySelector('b')?.textContent ?? ''),
    );
}

describe.each(['en', 'de', 'ar'])('on a phone (%s)', (lang) => {
  test('the four usual coins, the networks of the recommended one and the button are in sight at once', async () => {
    const { checkout_url: url } = await shop.session();
    await using window = await visit(browser, shop.url, PHONE);
    const { page } = window;
    await page.goto(`${url}?lang=${lang}`);
    expect(await inSight(page)).toEqual(['USDC', 'USDT', 'BTC', 'ETH']);
    expect(await page.getByRole('radio', { checked: true }).evaluateAll(valuesOf)).toEqual(
      expect.arrayContaining(['USDC', 'base']),
    );
    const button = (await page.locator('.choose button.primary').boundingBox())!;
    expect(button.y + button.height).toBeLessThanOrEqual(844);
    // What scrolls under it is seen neither beside nor below it.
    for (const [x, y] of [
      [button.x - 6, button.y + 20],
      [button.x + 20, button.y + button.height + 6],
    ] as const)
      expect(await page.evaluate((at) => document.elementFromPoint(...at)?.className, [x, y] as const)).toBe('bar');
    const exchange = (await page.getByRole('checkbox').boundingBox())!;
    expect(exchange.y + exchange.height).toBeLessThanOrEqual(button.y);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    expect(window.incidents).toEqual([]);
  });
});

test('any other usual coin is two taps away, and the button names what is chosen', async () => {
  const { checkout_url: url } = await shop.session();
  await using window = await visit(browser, shop.url, PHONE);
  const { page } = window;
  await page.goto(url);
  expect(await page.locator('.pill:visible').allTextContents()).toEqual([
    expect.stringMatching(/^Base, .* · no conversion fee$/),
    ...Array(4).fill(expect.stringMatching(/ · Conversion$/)),
  ]);
  await page.getByRole('radio', { name: 'USDT' }).tap();
  await page.getByRole('button', { name: 'Continue with USDT on Tron' }).waitFor();
  expect(await page.locator('.pill:visible').allTextContents()).toEqual([
    expect.stringMatching(/^Tron · TRC20, about \d+ minutes · Conversion$/),
    expect.stringMatching(/^Solana/),
    expect.stringMatching(/^Ethereum · ERC20, about \d+ minutes · Conversion$/),
  ]);
  await page.getByRole('radio', { name: /^Solana/ }).tap();
  // Who has scrolled down to the networks sees the next step from its price.
  await page.evaluate(() => scrollTo(0, 400));
  await page.getByRole('button', { name: 'Continue with USDT on Solana' }).tap();
  await page.getByLabel('Your USDT address on Solana').waitFor();
  await page.waitForFunction(() => document.activeElement?.tagName === 'H2');
  expect((await page.locator('.coin-line').boundingBox())?.y).toBeGreaterThanOrEqual(0);
});

describe('the search', () => {
  test.each([
    ['Tether', 'USDT on Tron'],
    ['usdt sol', 'USDT on Solana'],
    ['BEP-20', 'BNB on BNB Chain'],
    ['bsc', 'BNB on BNB Chain'],
    ['trc20', 'USDT on Tron'],
    ['erc20', 'USDC on Ethereum'],
    ['eth', 'ETH on Base'],
    ['ethereum', 'ETH on Ethereum'],
    ['solana', 'SOL on Solana'],
    ['usdt on ethereum', 'USDT on Ethereum'],
    ['USDTTRC20', 'USDT on Tron'],
  ])('knows %s, and chooses the best that matches', async (text, found) => {
    const { checkout_url: url } = await shop.session();
    await using window = await visit(browser, shop.url, PHONE);
    const { page } = window;
    await page.goto(url);
    await page.getByRole('searchbox').fill(text);
    await page.getByRole('button', { name: `Continue with ${found}` }).waitFor();
  });

  test('leaves the choice between several, and offers only what matches of each', async () => {
    const { checkout_url: url } = await shop.session();
    await using window = await visit(browser, shop.url, PHONE);
    const { page } = window;
    await page.goto(url);
    // Another network of the same coin was chosen before.
    await page.getByRole('searchbox').fill('tether solana');
    await page.getByRole('button', { name: 'Continue with USDT on Solana' }).waitFor();
    await page.getByRole('searchbox').fill('trc20');
    await page.getByRole('button', { name: 'Continue with USDT on Tron' }).waitFor();
    expect(await page.locator('.tile:visible b').allTextContents()).toEqual(['USDT', 'TRX']);
    expect(await page.locator('.pill:visible').count()).toBe(1);
    await page.getByRole('radio', { name: 'TRX' }).check();
    await page.getByRole('button', { name: 'Continue with TRX on Tron' }).waitFor();
    await page.getByRole('searchbox').fill('');
    await page.getByRole('button', { name: 'Continue with TRX on Tron' }).waitFor();
  });

  test('says what is accepted where something is not, and hides none of it', async () => {
    const { checkout_url: url } = await shop.session();
    await using window = await visit(browser, shop.url, PHONE);
    const { page } = window;
    await page.goto(url);
    await page.getByRole('searchbox').fill('dogecoin');
    const status = page.getByRole('status').filter({ hasText: 'Nothing found.' });
    expect(await status.textContent()).toBe('Nothing found. Accepted: USDC, USDT, BTC, ETH, SOL, BNB, POL, AVAX, TRX.');
    expect(await page.locator('.tile:visible').count()).toBe(9);
    // What was chosen before the search is chosen still; a coin that is meant is chosen with its own networks.
    await page.getByRole('searchbox').fill('xrp');
    await page.getByRole('button', { name: 'Continue with USDC on Base' }).waitFor();
    // Enter pays in no other coin: it leads to what is offered.
    await page.getByRole('searchbox').press('Enter');
    await page.waitForFunction(() => document.activeElement?.matches('.tile > [value=USDC]'));
    await page.getByRole('searchbox').fill('usdt polygon');
    await page.getByRole('button', { name: 'Continue with USDT on Tron' }).waitFor();
    expect(await status.textContent()).toBe('Nothing found. Accepted: USDT (Tron, Solana, Ethereum).');
  });
});

test('without a script the network of another coin is chosen too', async () => {
  const { checkout_url: url } = await shop.session();
  await using window = await visit(browser, shop.url, { ...PHONE, javaScriptEnabled: false });
  const { page } = window;
  await page.goto(url);
  expect(await page.getByRole('searchbox').count()).toBe(0);
  await page.getByRole('radio', { name: 'USDT' }).check();
  await page.getByRole('radio', { name: /^Ethereum/ }).check();
  expect(await page.locator('.networks:visible').count()).toBe(1);
  await page.getByRole('button', { name: 'Continue', exact: true }).click();
  await page.getByLabel('Your USDT address on Ethereum').waitFor();
});

test.each([true, false])(
  'another language is another language of the same step (script: %s)',
  async (javaScriptEnabled) => {
    const { checkout_url: url } = await shop.session();
    await using window = await visit(browser, shop.url, { ...PHONE, javaScriptEnabled });
    const { page } = window;
    await page.goto(`${url}?lang=en`);
    await page.getByRole('checkbox').check();
    await page.getByRole('radio', { name: 'USDT' }).check();
    await page.locator('.choose button.primary').click();
    await page.getByLabel('Your USDT address on Tron').waitFor();
    await page.locator('.languages summary').click();
    await page.getByRole('link', { name: 'Deutsch' }).click();
    await page.getByLabel('Ihre USDT-Adresse auf Tron').waitFor();
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({
      asset: 'USDT',
      network: 'tron',
      view: 'exchange',
      lang: 'de',
    });
    expect(window.incidents).toEqual([]);
  },
);

test('a checkout of one coin shows its code at once', async () => {
  const { checkout_url: url } = await shop.session({ accepted_assets: ['USDC_BASE'] });
  await using window = await visit(browser, shop.url, PHONE);
  const { page } = window;
  await page.goto(url);
  await page.locator('.code .qr').first().waitFor();
  expect(window.incidents).toEqual([]);
});

test('what was chosen here before is chosen again, and its coin is in sight', async () => {
  const first = await shop.session();
  await using window = await visit(browser, shop.url, PHONE);
  const { page } = window;
  await page.goto(first.checkout_url);
  await page.getByText('All coins').tap();
  await page.getByRole('radio', { name: 'TRX' }).tap();
  await page.getByRole('button', { name: 'Continue with TRX on Tron' }).tap();
  await page.getByLabel('Your TRX address on Tron').waitFor();
  await page.goto((await shop.session()).checkout_url);
  await page.getByRole('button', { name: 'Continue with TRX on Tron' }).waitFor();
  expect(await page.getByRole('radio', { name: 'TRX' }).isVisible()).toBe(true);
  // But no network that costs a conversion where the shop takes the coin without.
  await page.getByRole('radio', { name: 'USDC' }).tap();
  await page.getByRole('radio', { name: /^Polygon/ }).tap();
  await page.getByRole('button', { name: 'Continue with USDC on Polygon' }).tap();
  await page.getByLabel('Your USDC address on Polygon').waitFor();
  await page.goto((await shop.session()).checkout_url);
  await page.getByRole('radio', { name: 'USDC', checked: true }).waitFor();
  await page.getByRole('button', { name: 'Continue with USDC on Base' }).waitFor();
});

function valuesOf(inputs: Element[]): string[] {
  return inputs.map((input) => (input as HTMLInputElement).value);
}
