import type { Browser, Page, Request } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { Visit } from './support/browser.ts';
import { type DemoService, startDemo } from './support/demo-service.ts';
import { signIn } from './support/sign-in.ts';
import { beforeStories } from './support/stories.ts';

// Every page of the dashboard, those of the docs that differ, and what a customer keeps.
let demo: DemoService;
let browser: Browser;
let wide: Visit;
let phone: Visit;
beforeStories(startDemo, async (...opened) => {
  [demo, browser] = opened;
  ({ wide, phone } = await signIn(browser, demo));
  for (const { context, page } of [wide, phone]) {
    await context.addInitScript(measureShifts);
    // With a server that is some way off, what arrives later is seen to arrive later.
    const network = await context.newCDPSession(page);
    await network.send('Network.enable');
    await network.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: LATENCY_MS,
      downloadThroughput: -1,
      uploadThroughput: -1,
    });
  }
});

const MAX_LAYOUT_SHIFT = 0.02;
const LATENCY_MS = 60;

/** Adds up the layout shifts of a page, as Lighthouse does. */
function measureShifts(): void {
  const measured = window as unknown as { layoutShift: number };
  measured.layoutShift = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as unknown as { value: number; hadRecentInput: boolean }[])
      if (!entry.hadRecentInput) measured.layoutShift += entry.value;
  }).observe({ type: 'layout-shift', buffered: true });
}

/** The first object of a list of the API that fits. */
async function first(path: string, fits: (one: any) => unknown = () => true): Promise<any> {
  const answer = await fetch(demo.url + path, { headers: { authorization: `Bearer ${demo.testKey}` } });
  const found = ((await answer.json()) as { data: any[] }).data.find(fits);
  if (!found) throw new Error(`the demo has nothing in ${path}`);
  return found;
}

/** The page of a new refund by link. */
async function askForRefund(): Promise<string> {
  const { id } = await first('/v1/payments?limit=100&status=paid&route=direct');
  const answer = await fetch(`${demo.url}/v1/payments/${id}/refunds`, {
    method: 'POST',
    headers: { authorization: `Bearer ${demo.testKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ amount: '1.00', link: { email: null } }),
  });
  const { data } = (await answer.json()) as { data: { link: { url: string } } };
  return new URL(data.link.url).pathname;
}

const payment = (query: string) => async () =>
  `/dashboard/payments/${(await first(`/v1/payments?limit=100&${query}`)).id}`;

describe.each<[name: string, path: string | (() => Promise<string>), text: string]>([
  ['home', '/dashboard', 'Latest payments'],
  ['payments', '/dashboard/payments', 'order-1034'],
  ['a paid payment', payment('status=paid&route=direct'), 'Timeline'],
  ['a routed payment', payment('status=paid&route=routed'), 'Timeline'],
  ['a payment that needs a decision', payment('status=refund_required'), 'Timeline'],
  ['a refunded payment', payment('status=refunded'), 'Timeline'],
  ['an expired payment', payment('status=expired'), 'Timeline'],
  ['a failed payment', payment('status=failed'), 'Timeline'],
  ['customers', '/dashboard/customers', '@'],
  [
    'a customer',
    async () => {
      const { customer } = await first('/v1/payments?limit=100', (one) => one.customer?.reference);
      return `/dashboard/customers/one?reference=${encodeURIComponent(customer.reference)}`;
    },
    'Last payment',
  ],
  ['transfers', '/dashboard/transfers', 'Mark as handled'],
  ['refunds', '/dashboard/refunds', 'Planned refunds.'],
  ['links', '/dashboard/links', 'Fern care workshop'],
  ['wallets', '/dashboard/wallets', 'Solana takings'],
  ['webhooks', '/dashboard/webhooks', 'Healthy'],
  [
    'a webhook endpoint',
    async () => `/dashboard/webhooks/${(await first('/v1/webhook-endpoints')).id}`,
    'payment.paid',
  ],
  ['keys', '/dashboard/keys', 'sk_test_'],
  ['requests', '/dashboard/requests', '/v1/'],
  ['settings', '/dashboard/settings', 'What customers see'],
  ['sign-in', '/dashboard/sign-in', 'Signing in creates your account'],
  ['the start of the docs', '/docs', 'Quickstart'],
  ['an operation in the docs', '/docs/checkout-sessions', 'Create a checkout session'],
  ['the errors in the docs', '/docs/errors', 'rate_limited'],
  [
    'a payment link for customers',
    async () => (await first('/v1/payment-links')).url.replace(demo.url, ''),
    'Continue',
  ],
  ['a refund that asks where it goes', askForRefund, 'Your refund of'],
  ['a receipt', async () => `/receipt/${(await first('/v1/payments?status=paid')).session}`, 'Receipt'],
  ['the page that verifies receipts', '/verify-receipt', 'Load the keys of this server'],
])('%s', (_, address, text) => {
  test.each(['desktop', 'phone'])('does not move while it loads and fits the window (%s)', async (device) => {
    const { page } = device === 'phone' ? phone : wide;
    const loaded = loadedBy(page);
    await page.goto(demo.url + (typeof address === 'string' ? address : await address()));
    await page.getByText(text).first().waitFor({ state: 'attached' });
    await loaded();
    await page.waitForFunction(() => document.querySelectorAll('.skeleton').length === 0);
    const { layoutShift, overflow } = await page.evaluate(() => ({
      layoutShift: (window as unknown as { layoutShift: number }).layoutShift,
      overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    }));
    expect(layoutShift).toBeLessThan(MAX_LAYOUT_SHIFT);
    expect(overflow).toBe(0);
  });
});

/** Resolves once every request that the page made is answered, and what they brought is painted. */
function loadedBy(page: Page): () => Promise<void> {
  const open = new Set<Request>();
  const began = (request: Request) => {
    if (!request.url().includes('/stream')) open.add(request);
  };
  const ended = (request: Request) => void open.delete(request);
  page.on('request', began).on('requestfinished', ended).on('requestfailed', ended);
  return async () => {
    await expect
      .poll(async () => {
        // A response may lead to another request.
        await page.evaluate(
          () => new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted))),
        );
        return open.size;
      })
      .toBe(0);
    page.off('request', began).off('requestfinished', ended).off('requestfailed', ended);
  };
}
