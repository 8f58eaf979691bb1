import { mkdir } from 'node:fs/promises';
import type { BrowserContextOptions } from 'playwright-core';
import { openBrowser } from './support/browser.ts';
import { ICON } from './support/ethereum-wallet.ts';
import { serveStates } from './states/serve.ts';
import { STATES } from './states/states.ts';

/** `npm run screenshots [-- name…]`: every state of the checkout pages as a picture, to be looked at. */
const LOOKS: { name: string; locale: string; options: BrowserContextOptions }[] = [
  { name: 'light', locale: 'en', options: { colorScheme: 'light', viewport: { width: 1100, height: 760 } } },
  { name: 'dark', locale: 'en', options: { colorScheme: 'dark', viewport: { width: 1100, height: 760 } } },
  { name: 'phone', locale: 'en', options: { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true } },
  { name: 'arabic', locale: 'ar', options: { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true } },
];

const folder = new URL('../docs/screenshots/checkout/', import.meta.url);
const wanted = process.argv.slice(2);
await mkdir(folder, { recursive: true });
await using states = await serveStates();
const browser = await openBrowser();
try {
  for (const { name: look, locale, options } of LOOKS) {
    const context = await browser.newContext(options);
    // The countdown stands still, so that a picture only changes where the page has.
    await context.clock.install({ time: new Date('2026-03-14T09:26:53.000Z') });
    await context.addInitScript((icon) => {
      if (!/wallet/.test(location.pathname)) return;
      addEventListener('eip6963:requestProvider', () => dispatchEvent(new CustomEvent('eip6963:announceProvider', {
        detail: { info: { uuid: 'fe000000-0000-4000-8000-000000000001', name: 'Fern Wallet', icon, rdns: 'example.fern' }, provider: { request: () => new Promise(() => undefined) } },
      })));
    }, ICON);
    const page = await context.newPage();
    for (const state of STATES.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
      await page.goto(states.address(state.name, locale));
      await page.evaluate(() => document.fonts.ready);
      await page.screenshot({ path: new URL(`${state.name}-${look}.png`, folder).pathname, fullPage: true, animations: 'disabled' });
    }
    await context.close();
  }
} finally {
  await browser.close();
}
