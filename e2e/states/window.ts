import type { Browser, BrowserContext, BrowserContextOptions } from 'playwright-core';
import { ICON } from '../support/ethereum-wallet.ts';

export const DESKTOP: BrowserContextOptions = { viewport: { width: 1100, height: 760 } };
export const PHONE: BrowserContextOptions = { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true };

/** A window for states: its clock stands still, and it has a wallet if the state's name says so. */
export async function openWindow(browser: Browser, options: BrowserContextOptions): Promise<BrowserContext> {
  const context = await browser.newContext(options);
  await context.clock.install({ time: new Date('2026-03-14T09:26:53.000Z') });
  await context.addInitScript((icon) => {
    if (!/wallet/.test(location.pathname)) return;
    addEventListener('eip6963:requestProvider', () =>
      dispatchEvent(
        new CustomEvent('eip6963:announceProvider', {
          detail: {
            info: { uuid: 'fe000000-0000-4000-8000-000000000001', name: 'Fern Wallet', icon, rdns: 'example.fern' },
            provider: { request: () => new Promise(() => undefined) },
          },
        }),
      ),
    );
  }, ICON);
  return context;
}
