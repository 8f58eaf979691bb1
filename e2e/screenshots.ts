import { mkdir } from 'node:fs/promises';
import type { BrowserContextOptions } from 'playwright-core';
import { openBrowser } from './support/browser.ts';
import { serveStates } from './states/serve.ts';
import { STATES } from './states/states.ts';
import { DESKTOP, openWindow, PHONE } from './states/window.ts';

/** `npm run program -- screenshots [-- name…]`: every state of the checkout pages as a picture. */
const LOOKS: { name: string; locale: string; options: BrowserContextOptions }[] = [
  { name: 'light', locale: 'en', options: { ...DESKTOP, colorScheme: 'light' } },
  { name: 'dark', locale: 'en', options: { ...DESKTOP, colorScheme: 'dark' } },
  { name: 'phone', locale: 'en', options: PHONE },
  { name: 'arabic', locale: 'ar', options: PHONE },
  { name: 'german', locale: 'de', options: PHONE },
];

const folder = new URL('../.cache/screenshots/checkout/', import.meta.url);
const wanted = process.argv.slice(2);
await mkdir(folder, { recursive: true });
await using states = await serveStates();
const browser = await openBrowser();
try {
  for (const { name: look, locale, options } of LOOKS) {
    const context = await openWindow(browser, options);
    const page = await context.newPage();
    for (const state of STATES.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
      await page.goto(states.address(state.name, locale));
      await page.evaluate(() => document.fonts.ready);
      await page.screenshot({
        path: new URL(`${state.name}-${look}.png`, folder).pathname,
        fullPage: true,
        animations: 'disabled',
      });
    }
    await context.close();
  }
} finally {
  await browser.close();
}
