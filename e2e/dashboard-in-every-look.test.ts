import type { Browser, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { catalogs } from '../web/dashboard/i18n/catalogs.ts';
import { plurals } from '../web/dashboard/i18n/en.ts';
import { type Translate, translator } from '../web/dashboard/i18n/messages.ts';
import { LANGUAGES, type Locale } from '../web/ui/languages.ts';
import { objections } from './support/accessibility.ts';
import { overflow, visit, type Visit, type VisitOptions } from './support/browser.ts';
import { type DemoService, startDemo } from './support/demo-service.ts';
import { beforeStories } from './support/stories.ts';

let demo: DemoService;
let browser: Browser;
let shop: Visit;
let payment: string;
let endpoint: string;
beforeStories(startDemo, async (...opened) => {
  [demo, browser] = opened;
  await demo.seeded();
  shop = await visit(browser, demo.url);
  await shop.page.goto(demo.dashboardUrl);
  await shop.page.getByRole('heading', { name: 'Home' }).waitFor();
  const read = async (path: string) =>
    (await (await fetch(demo.url + path, { headers: { authorization: `Bearer ${demo.testKey}` } })).json()).data[0]
      .id as string;
  [payment, endpoint] = [await read('/v1/payments?status=paid&limit=1'), await read('/v1/webhook-endpoints')];
});

const VIEWS = [
  '',
  '/payments',
  '/payments?q=nothing',
  '/customers',
  '/customers?q=nothing',
  '/customers/one?reference=C-1007',
  '/transfers',
  '/refunds',
  '/links',
  '/wallets',
  '/webhooks',
  '/keys',
  '/requests',
  '/settings',
  '/nowhere',
];

/** What opens over a view, and how. */
const PANELS: [path: string | (() => string), open: (page: Page, say: Translate) => Promise<void>][] = [
  ['/links?new=true', async () => {}],
  [
    '/wallets?new=true',
    async (page, say) => {
      await page.getByLabel(say('Address')).fill('0x12345678901');
    },
  ],
  ['/webhooks?new=true', async () => {}],
  ['/keys?new=true', async () => {}],
  [
    '/payments',
    async (page, say) => {
      await page.getByText(say('Columns')).click();
    },
  ],
  [
    '/payments?after=2026-03-02&before=2026-03-12',
    async (page, say) => {
      // On a phone they are behind a button.
      const filters = page.getByRole('button', { name: new RegExp(`^${say('Filters')} `) });
      if (await filters.isVisible()) await filters.click();
      await page.getByLabel(`${say('Period')}: `).click();
    },
  ],
  [
    '/keys',
    async (page, say) => {
      await page
        .getByRole('button', { name: say('Rotate') })
        .first()
        .click();
    },
  ],
  [
    '/payments',
    async (page) => {
      await page.keyboard.press('Control+k');
    },
  ],
  [
    () => `/payments/${payment}`,
    async (page, say) => {
      await page.getByRole('button', { name: say('Refund'), exact: true }).click();
      await page
        .getByRole('dialog')
        .getByRole('button', { name: say('I’ve sent it') })
        .waitFor();
    },
  ],
  [
    () => `/webhooks/${endpoint}`,
    async (page) => {
      await page.getByRole('button', { name: 'payment.paid' }).first().click();
    },
  ],
];

const LOOKS = (['light', 'dark'] as const).flatMap((colorScheme) =>
  (['en', 'ar'] as const).flatMap((locale) => [false, true].map((phone) => ({ colorScheme, locale, phone }))),
);
// CI takes the views in one look and the panels in the opposite one; `npm run e2e` elsewhere takes all.
const inLooks = (inCi: number) =>
  (process.env.CI ? LOOKS.slice(inCi).slice(0, 1) : LOOKS).map(
    (one) =>
      [
        `${one.colorScheme}, ${one.locale === 'ar' ? 'right to left' : 'left to right'}, ${one.phone ? 'phone' : 'desktop'}`,
        one,
      ] as const,
  );

test.each(inLooks(-1))('axe has no objection to any view: %s', async (_name, look) => {
  await using window = await visitIn(look.locale, look);
  const { page } = window;
  const found: string[] = [];
  for (const path of [...VIEWS, `/payments/${payment}`, `/webhooks/${endpoint}`]) {
    await page.goto(`${demo.url}/dashboard${path}`);
    await page.locator('h1').first().waitFor();
    found.push(...(await objectionsTo(page, path || '/', look.locale)));
    expect([path, await overflow(page)]).toEqual([path, 0]);
  }
  expect(found).toEqual([]);
  expect(window.incidents).toEqual([]);
});

test.each(inLooks(0))('axe has no objection to any panel: %s', async (_name, look) => {
  await using window = await visitIn(look.locale, look);
  const { page } = window;
  const say = await speech(look.locale);
  const found: string[] = [];
  for (const [panel, open] of PANELS) {
    const path = typeof panel === 'string' ? panel : panel();
    await page.goto(`${demo.url}/dashboard${path}`);
    await page.locator('h1').first().waitFor();
    await open(page, say);
    await page.locator('dialog[open], details[open]').first().waitFor();
    found.push(...(await objectionsTo(page, `panel of ${path}`, look.locale)));
  }
  expect(found).toEqual([]);
  expect(window.incidents).toEqual([]);
});

/** What axe objects to on a page that has been read completely, a line each. */
async function objectionsTo(page: Page, name: string, locale: Locale): Promise<string[]> {
  await page.waitForFunction(() => document.querySelectorAll('.skeleton').length === 0);
  expect(await page.locator('html').getAttribute('dir')).toBe(locale === 'ar' ? 'rtl' : 'ltr');
  return (await objections(page)).map((one) => `${name}: ${one}`);
}

// CI takes one language of each direction, the one with the longest words among them. The other stories speak English.
const SPOKEN = process.env.CI ? (['ar', 'de'] as const) : (Object.keys(LANGUAGES) as Locale[]);

test.each(SPOKEN)(
  '%s: the dashboard speaks it from the first moment, in every view, in its direction',
  async (locale) => {
    await using window = await visit(browser, demo.url, { locale, colorScheme: 'light' });
    await window.context.addCookies(await shop.context.cookies());
    const { page } = window;
    const say = await speech(locale);
    await page.goto(`${demo.url}/dashboard`);
    await page.getByRole('heading', { level: 1, name: say('Home'), exact: true }).waitFor();
    expect(await page.locator('html').getAttribute('lang')).toBe(locale);
    expect(await page.locator('html').getAttribute('dir')).toBe(['ar', 'ur'].includes(locale) ? 'rtl' : 'ltr');
    for (const [path, title] of [
      ['/payments', 'Payments'],
      ['/customers', 'Customers'],
      ['/transfers', 'Transfers'],
      ['/refunds', 'Refunds'],
      ['/links', 'Payment links'],
      ['/wallets', 'Payout wallets'],
      ['/webhooks', 'Webhooks'],
      ['/keys', 'API keys'],
      ['/requests', 'Request log'],
      ['/settings', 'Settings'],
    ] as const) {
      await page.goto(`${demo.url}/dashboard${path}`);
      await page.getByRole('heading', { level: 1, name: say(title), exact: true }).waitFor();
      expect(await page.title()).toBe(`${say(title)} · Quittance`);
    }
    await page.goto(`${demo.url}/dashboard/payments/pay_000000000000000000000000`);
    await page.getByText(say('Payment not found in this mode')).waitFor();
    // A phone shows every button of a row, however long its words are.
    await page.setViewportSize({ width: 390, height: 844 });
    for (const path of ['/links', '/keys', '/transfers', '/webhooks']) {
      await page.goto(`${demo.url}/dashboard${path}`);
      const list = page.locator('section:has(> table)');
      await list.waitFor();
      const hidden = await list.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
      expect([path, hidden]).toEqual([path, 0]);
    }
    expect(window.incidents).toEqual([]);
  },
);

test('Arabic from one end to the other: the language is chosen, a link made, a test paid, a refund recorded, and no number or address is turned around', async () => {
  await using window = await visitIn('en', { colorScheme: 'light' });
  const { page } = window;
  const say = await speech('ar');
  await page.goto(`${demo.url}/dashboard/settings`);
  await page.getByLabel('Language').selectOption('ar');
  await page.getByRole('heading', { level: 1, name: say('Settings') }).waitFor();
  expect(await page.locator('html').getAttribute('dir')).toBe('rtl');
  await page.reload();
  await page.getByRole('heading', { level: 1, name: say('Settings') }).waitFor();

  await page.getByRole('link', { name: say('Payment links') }).click();
  // Settings has another button whose name begins with these words in Arabic.
  await page.getByRole('button', { name: say('Create a link'), exact: true }).click();
  await page.getByLabel(say('Description')).fill('ورشة السراخس Fern 101');
  await page.getByLabel(say('Amount')).fill('18.00');
  await page.getByRole('button', { name: say('Create link') }).click();
  const url =
    (await page
      .getByRole('dialog')
      .getByText(/\/pay\/pl_/)
      .first()
      .textContent()) ?? '';
  const opened = await (
    await fetch(`${demo.url}/v1/public/payment-links/${url.split('/').at(-1)}/open`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    })
  ).json();
  await fetch(`${demo.url}/v1/public/checkout/sessions/${opened.data.id}/test`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ action: 'paid' }),
  });

  await page.goto(`${demo.url}/dashboard/payments?q=${opened.data.id}`);
  await page.getByRole('row').nth(1).getByRole('link').click();
  await page.getByRole('button', { name: say('Refund'), exact: true }).click();
  await page.getByRole('button', { name: say('I’ve sent it') }).click();
  await page.getByLabel(say('Reason (optional)')).fill('تالف');
  await page.getByRole('button', { name: say('Record the refund') }).click();
  await page.getByText(say('A refund arrived')).waitFor();
  await page.getByText(say('Refunded')).first().waitFor();

  // Ids and addresses inside it read from left to right.
  const directions = await page.evaluate(() =>
    [...document.querySelectorAll('main bdi.font-mono')].map((element) => [
      element.textContent,
      getComputedStyle(element).direction,
    ]),
  );
  expect(directions.length).toBeGreaterThan(3);
  expect(directions.filter(([, direction]) => direction !== 'ltr')).toEqual([]);
  // The navigation is on the side where reading starts.
  const [aside, main] = await Promise.all([page.locator('aside').boundingBox(), page.locator('main').boundingBox()]);
  expect(aside?.x ?? 0).toBeGreaterThan(main?.x ?? 0);
  expect(window.incidents).toEqual([]);
});

async function visitIn(locale: Locale, options: VisitOptions): Promise<Visit> {
  const window = await visit(browser, demo.url, options);
  await window.context.addCookies(await shop.context.cookies());
  await window.context.addInitScript((chosen) => {
    if (!localStorage.getItem('locale')) localStorage.setItem('locale', chosen);
  }, locale);
  return window;
}

/** The sentences of a language, as the page shows them. */
async function speech(locale: Locale): Promise<Translate> {
  return translator(locale, locale === 'en' ? plurals : (await catalogs[locale]()).default);
}
