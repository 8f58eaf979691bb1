import type { Browser } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { openBrowser } from './browser.ts';
import { openShop, type Shop } from './shop.ts';

/** A shop of test mode that is paid in USDC on Base. */
export function openTestShop(env: Record<string, string> = {}): Promise<Shop> {
  return openShop({
    mode: 'test',
    env,
    wallet: { asset: 'USDC', network: 'base', address: '0x52908400098527886E0F7030069857D2E4169EE7' },
  });
}

/** A shop and a browser for all stories of a file, closed after the last one. */
export function beforeStories<Opened extends AsyncDisposable>(
  open: () => Promise<Opened>,
  use: (opened: Opened, browser: Browser) => unknown,
): void {
  let opened: Opened | undefined;
  let browser: Browser | undefined;
  beforeAll(async () => {
    opened = await open();
    browser = await openBrowser();
    await use(opened, browser);
  });
  afterAll(async () => {
    await browser?.close();
    await opened?.[Symbol.asyncDispose]();
  });
}
