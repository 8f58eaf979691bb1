import type { Browser } from 'playwright-core';
import { visit, type Visit, type VisitOptions } from './browser.ts';
import type { DemoService } from './demo-service.ts';
import type { Shop } from './shop.ts';

/** Two windows of one merchant on the demo's dashboard, once its month of payments is complete. */
export async function signIn(browser: Browser, demo: DemoService): Promise<{ wide: Visit; phone: Visit }> {
  await demo.seeded();
  const wide = await visit(browser, demo.url);
  await wide.page.goto(demo.dashboardUrl);
  await wide.page.getByRole('heading', { name: 'Home' }).waitFor();
  const phone = await visit(browser, demo.url, { phone: true });
  await phone.context.addCookies(await wide.context.cookies());
  return { wide, phone };
}

/** The merchant's signed-in window, for the dashboard of one mode. */
export async function visitAsMerchant(
  browser: Browser,
  { url, login }: Pick<Shop, 'url' | 'login'>,
  { mode = 'live', ...options }: VisitOptions & { mode?: 'live' | 'test' } = {},
): Promise<Visit> {
  const window = await visit(browser, url, options);
  await window.context.addCookies([{ name: 'session', value: login, url, httpOnly: true, sameSite: 'Lax' }]);
  await window.context.addInitScript((chosen) => localStorage.setItem('mode', chosen), mode);
  return window;
}
