import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import type { Browser } from 'playwright-core';
import { visit } from './support/browser.ts';
import type { Shop } from './support/shop.ts';
import { beforeStories, openTestShop } from './support/stories.ts';

let shop: Shop;
let browser: Browser;
beforeStories(openTestShop, (...opened) => void ([shop, browser] = opened));

const THIEF = '0x8617E340B3D01FA5F11F306F4090FD50E238070D';

test.each([
  [
    'the address',
    () => {
      const place = document.querySelector('[data-address]');
      if (place) place.textContent = '0x8617E340B3D01FA5F11F306F4090FD50E238070D';
    },
  ],
  [
    'the amount',
    () => {
      const place = document.querySelector('[data-amount]');
      if (place) place.textContent = '490';
    },
  ],
  ['the QR code', () => document.querySelector('.code .qr path')?.setAttribute('d', 'M0 0h9v9h-9z')],
  [
    'the QR code altogether',
    () => {
      const place = document.querySelector('.code');
      if (place) place.querySelector('path')?.remove();
    },
  ],
])('a script that changes %s is noticed, and the payment details are hidden', async (_what, change) => {
  const { checkout_url: url } = await shop.session();
  await using window = await visit(browser, shop.url);
  const { page } = window;
  await page.goto(url);
  await page.getByRole('button', { name: 'Continue with' }).click();
  await page.locator('[data-address]').waitFor();
  await page.evaluate(change);
  await page.getByRole('alert').filter({ hasText: 'Something on this device changed the payment details' }).waitFor();
  expect(await page.locator('[data-address]').count()).toBe(0);
  expect(await page.content()).not.toContain(THIEF);
});

test("the copy button copies the service's value, whatever the page was made to show", async () => {
  const { checkout_url: url, id } = await shop.session();
  // In test mode only the address of a conversion can be copied.
  await shop.service.call('POST', `/v1/public/checkout/sessions/${id}/pay`, {
    pay_asset: 'ETH',
    pay_network: 'ethereum',
    refund_address: '0x8617E340B3D01FA5F11F306F4090FD50E238070D',
  });
  await using window = await visit(browser, shop.url);
  const { page } = window;
  await page.goto(url);
  await page.locator('[data-address]').waitFor();
  await page.evaluate((thief) => {
    for (const button of document.querySelectorAll('button'))
      for (const name of ['value', 'data-copy', 'title']) button.setAttribute(name, thief);
  }, THIEF);
  await page.getByRole('button', { name: 'Copy address' }).click();
  const { address } = (await shop.look(id)).payment;
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(address);

  // So it does where a browser refuses, as in frames: no earlier address must be left there.
  await page.evaluate(async (thief) => {
    await navigator.clipboard.writeText(thief);
    Object.defineProperty(navigator, 'clipboard', { value: undefined, configurable: true });
  }, THIEF);
  await page.getByRole('button', { name: 'Copy address' }).click();
  await page.evaluate(() => Reflect.deleteProperty(navigator, 'clipboard'));
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(address);
  expect(window.incidents).toEqual([]);
});

test("an unknown page cannot frame a checkout; one on the merchant's list can, and gets the payment's status", async () => {
  const { checkout_url: url } = await shop.session();
  const server = createServer((_request, response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end(`<!doctype html><title>Shop</title>
    <a data-quittance href="${url}">Pay</a><script src="${shop.url}/embed.js"></script>
    <script>window.received = []; addEventListener('message', (event) => event.data.source === 'quittance' &&
    received.push(event.data.type + ' ' + event.data.status))</script>`),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    await using window = await visit(browser, origin);
    const { page } = window;
    await page.goto(origin);
    const said = page.waitForEvent('console', (message) => message.text().includes('Allowed embed origins'));
    await page.getByText('Pay').click();
    expect(await page.frameLocator('iframe').getByRole('heading').count()).toBe(0);
    // Instead of an empty frame, the customer gets the page itself, and the developer what is to be set.
    expect((await said).text()).toContain(`${origin} may not embed this checkout`);
    await page.waitForURL(url);
    await page.getByRole('button', { name: 'Continue with' }).waitFor();

    await shop.account({ frame_parents: [origin] });
    await page.goto(origin);
    await page.getByText('Pay').click();
    const frame = page.frameLocator('iframe');
    await frame.getByRole('button', { name: 'Continue with' }).click();
    await frame.getByRole('button', { name: 'Pay exact amount' }).click();
    await frame.getByRole('heading', { name: 'Paid' }).waitFor();
    expect(await page.evaluate(() => (window as unknown as { received: string[] }).received)).toEqual(
      expect.arrayContaining(['ready created', 'status paid']),
    );
    await page.getByRole('button', { name: 'Close' }).click();
    await page.locator('iframe').waitFor({ state: 'detached' });

    // With the keyboard in the frame as well.
    await page.getByText('Pay').click();
    await frame.getByRole('heading', { name: 'Paid' }).click();
    await page.keyboard.press('Escape');
    await page.locator('iframe').waitFor({ state: 'detached' });
  } finally {
    server.closeAllConnections();
    server.close();
    await shop.account({ frame_parents: [] });
  }
});

test('the script frames only pages of the service that it came from', async () => {
  const server = createServer((request, response) =>
    response
      .writeHead(200, { 'content-type': 'text/html' })
      .end(
        request.url === '/thief'
          ? '<!doctype html><title>Thief</title>'
          : `<!doctype html><title>Shop</title><a data-quittance href="/thief">Pay</a><script src="${shop.url}/embed.js"></script>`,
      ),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    await using window = await visit(browser, origin);
    const { page } = window;
    await page.goto(origin);
    const open = (url: string) =>
      page.evaluate((address) => {
        try {
          (window as unknown as { Quittance: { open(url: string): void } }).Quittance.open(address);
          return 'opened';
        } catch (error) {
          return (error as Error).name;
        }
      }, url);
    for (const url of ['https://thief.example/checkout/cs_1', `${origin}/thief`, '/thief', 'data:text/html,x'])
      expect(await open(url)).toBe('TypeError');
    expect(await page.locator('iframe, dialog').count()).toBe(0);
    // A link to another place stays a link.
    await page.getByText('Pay').click();
    await page.waitForURL(`${origin}/thief`);
    expect(await page.locator('iframe').count()).toBe(0);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
