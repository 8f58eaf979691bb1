import type { Browser } from 'playwright-core';
import { visit, type Visit } from './browser.ts';
import type { DemoService } from './demo-service.ts';

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
