import { unreadableIn } from '@quittance/contract/readable-text';
import type { Browser, Page } from 'playwright-core';
import { openBrowser } from '../support/browser.ts';
import { openShop, type Shop } from '../support/shop.ts';
import { type Findings, lookForForeign, watchFor } from './detect.ts';
import { PAYLOADS } from './payloads.ts';

/**
 * `npm run program -- xss [-- --payloads 20]`: every payload in everything that a merchant, a customer, a wallet or an
 * address can put on the pages, in a real browser with the real content policy. Fails if any of it runs.
 */
// The API refuses the others (server/test/api/http/readable-texts.test.ts).
const accepted = PAYLOADS.filter((payload) => unreadableIn(payload, { lines: false }) === null);
const wanted = Number(process.argv[process.argv.indexOf('--payloads') + 1]) || accepted.length;
// Evenly chosen if only some are requested.
const payloads = accepted.filter(
  (_payload, at) =>
    Math.floor((at * wanted) / accepted.length) !== Math.floor(((at - 1) * wanted) / accepted.length) ||
    wanted === accepted.length,
);
const WINDOWS = 2;
const WALLET = { asset: 'USDC', network: 'base', address: '0x52908400098527886E0F7030069857D2E4169EE7' };

const findings: Findings = { dialogs: 0, violations: 0, requests: 0, errors: 0, elements: 0, lines: [] };
const counts = { pages: 0, refused: 0, shown: 0 };
const began = performance.now();
const browser = await openBrowser();
try {
  await proveDetection(browser);
  // Each window has its own account, because the account's name is one of the fields.
  const rest = [...payloads];
  await Promise.all(
    Array.from({ length: WINDOWS }, async () => {
      await using shop = await openShop({ mode: 'test', wallet: WALLET });
      const page = await openWindow(browser, shop);
      for (let payload = rest.shift(); payload !== undefined; payload = rest.shift()) await tryOut(shop, page, payload);
    }),
  );
} finally {
  await browser.close();
}

for (const line of findings.lines.slice(0, 40)) console.log(line);
console.log(
  `${payloads.length} payloads on ${counts.pages} pages; ${counts.shown} texts shown as text, ` +
    `${counts.refused} addresses and colours refused`,
);
console.log(
  `${findings.dialogs} dialogs, ${findings.violations} policy violations, ${findings.requests} requests ` +
    `to others, ${findings.errors} script errors, ${findings.elements} elements or attributes that are not ours`,
);
console.log(`${Math.round((performance.now() - began) / 1000)} s`);
if (findings.lines.length > 0 || counts.shown === 0) process.exitCode = 1;

async function openWindow(browser: Browser, shop: Shop): Promise<Page> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await watchFor(page, shop.url, findings);
  // A wallet may choose any name and any picture.
  await page.addInitScript(() => {
    const payload = decodeURIComponent(location.hash.slice(1));
    const provider = { request: () => Promise.reject(Object.assign(new Error(payload), { code: 4001 })) };
    addEventListener('eip6963:requestProvider', () =>
      dispatchEvent(
        new CustomEvent('eip6963:announceProvider', {
          detail: {
            info: { uuid: payload, name: payload, icon: `data:image/svg+xml,${payload}`, rdns: payload },
            provider,
          },
        }),
      ),
    );
  });
  return page;
}

async function tryOut(shop: Shop, page: Page, payload: string): Promise<void> {
  await shop.account({ name: payload.slice(0, 100) });
  for (const changes of [
    { logo_url: payload },
    { support_url: payload },
    { support_email: payload },
    { frame_parents: [payload] },
    { brand: { accent_color: payload } },
  ])
    await refused(shop.account(changes));
  for (const url of ['success_url', 'cancel_url']) await refused(shop.session({ [url]: payload }));
  const { id, checkout_url: checkout } = await shop.session({
    description: payload,
    order_id: payload.slice(0, 200),
    line_items: [{ name: payload.slice(0, 250), quantity: 2, amount: '24.50' }],
    metadata: { note: payload },
    customer: { name: payload.slice(0, 200), reference: payload.slice(0, 200) },
    success_url: `https://fern-and-fog.example/thanks?${encodeURIComponent(payload)}`,
    cancel_url: `https://fern-and-fog.example/basket?${encodeURIComponent(payload)}`,
  });
  const link = await shop.link({ description: payload });
  const code = encodeURIComponent(payload);
  const show = async (address: string) => {
    await page.goto(`${address}#${code}`);
    await look(page, payload);
  };

  // From the merchant.
  await show(link.url);
  await show(`${checkout}?view=choose`);
  // From the address.
  await show(`${checkout}?lang=${code}&view=${code}&asset=${code}&network=${code}`);
  await show(`${shop.url}/checkout/${code}`);
  await show(`${shop.url}/pay/${code}?${code}`);
  // From the customer, in place and, without the script, as the answer to a form.
  await show(`${checkout}?asset=BTC&network=bitcoin`);
  await page.getByRole('textbox').fill(payload);
  await page.getByRole('button', { name: 'Continue', exact: true }).click();
  await page.getByRole('alert').first().waitFor();
  await look(page, payload);
  await post(page, checkout, '/pay', { option: 'BTC_BITCOIN', refund_address: payload });
  await shop.service.call('POST', `/v1/public/checkout/sessions/${id}/pay`, { pay_asset: 'USDC', pay_network: 'base' });
  // From a wallet, which also fails with this text. A test offers none, so the page takes itself for a live one.
  await page.route(/\/cs_\w+\/events$/, (route) => route.abort());
  await page.route(/\/cs_\w+$/, async (route) => {
    const answer = await route.fetch();
    await route.fulfill({
      response: answer,
      body: (await answer.text()).replace('"livemode":false', '"livemode":true'),
    });
  });
  await show(checkout);
  await page.locator('[data-do=wallet-pay]').click();
  await page.getByRole('alert').first().waitFor();
  await look(page, payload);
  await page.unrouteAll({ behavior: 'wait' });
  await post(page, checkout, '/transactions', { tx_hash: payload.slice(0, 128) });
  // At the end, when no page is open, because the page would reload itself.
  await page.goto('about:blank');
  await shop.service.call('POST', `/v1/public/checkout/sessions/${id}/test`, { action: 'paid' });
  await show(checkout);
  await show(`${shop.url}/receipt/${id}`);
}

/** Sends a form like a page without scripts. */
async function post(page: Page, checkout: string, path: string, fields: Record<string, string>): Promise<void> {
  await page.goto(`${checkout}?view=choose`);
  await Promise.all([
    page.waitForURL((url) => url.pathname.endsWith(path)),
    page.evaluate(
      ([action, values]) => {
        const form = document.body.appendChild(document.createElement('form'));
        Object.assign(form, { method: 'post', action });
        for (const [name, value] of Object.entries(values as Record<string, string>))
          form.appendChild(Object.assign(document.createElement('input'), { name, value }));
        form.submit();
      },
      [`${new URL(checkout).pathname}${path}`, fields] as const,
    ),
  ]);
  await look(page, fields.refund_address ?? fields.tx_hash ?? '');
}

async function look(page: Page, payload: string): Promise<void> {
  counts.pages++;
  await page.mouse.move(200, 200);
  await lookForForeign(page, findings);
  // Without invisible characters, and with plain spaces.
  const plain = (text: string) => text.replace(/[\u200b\u00ad\u202e\s\p{Cc}]/gu, '');
  if (
    plain(
      await page.evaluate(
        () =>
          `${document.body.textContent} ${[...document.querySelectorAll('input')].map(({ value }) => value).join(' ')}`,
      ),
    ).includes(plain(payload.slice(0, 100)))
  )
    counts.shown++;
}

async function refused(change: Promise<unknown>): Promise<void> {
  const isRefused = await change.then(
    () => false,
    () => true,
  );
  if (isRefused) counts.refused++;
  else findings.lines.push('accepted: a payload as an address or a color');
}

/** Checks that a dialog, a violation and a request are noticed: causes each once, and removes it from the count. */
async function proveDetection(browser: Browser): Promise<void> {
  await using shop = await openShop({ mode: 'test', wallet: WALLET });
  const own: Findings = { dialogs: 0, violations: 0, requests: 0, errors: 0, elements: 0, lines: [] };
  const context = await browser.newContext();
  const page = await context.newPage();
  await watchFor(page, shop.url, own);
  await page.goto((await shop.session()).checkout_url);
  await page.evaluate(() => {
    alert('on purpose');
    document.body.appendChild(document.createElement('template'));
    document.body.appendChild(new Image()).src = 'https://thief.example/x.png';
    setTimeout(() => {
      throw new Error('on purpose');
    });
  });
  await page.waitForTimeout(200);
  await lookForForeign(page, own);
  await context.close();
  const missed = (['dialogs', 'violations', 'requests', 'errors', 'elements'] as const).filter(
    (kind) => own[kind] === 0,
  );
  if (missed.length > 0) throw new Error(`What is done on purpose is not noticed: ${missed.join(', ')}.`);
}
