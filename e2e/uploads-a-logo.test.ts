import type { Browser, Locator, Page } from 'playwright-core';
import { afterEach, expect, test } from 'vitest';
import { overflow, type Visit, visit } from './support/browser.ts';
import { type DemoService, startDemo } from './support/demo-service.ts';
import { beforeStories } from './support/stories.ts';

let demo: DemoService;
let browser: Browser;
let shop: Visit;
let card: Locator;
beforeStories(startDemo, async (...opened) => {
  [demo, browser] = opened;
  shop = await visit(browser, demo.url);
  await shop.page.goto(demo.dashboardUrl);
  await shop.page.getByRole('heading', { name: 'Home' }).waitFor();
  await shop.page.goto(`${demo.url}/dashboard/settings`);
  card = shop.page.locator('section').filter({ hasText: 'What customers see' });
  await card.getByRole('button', { name: 'Choose a picture' }).waitFor();
});
afterEach(async () => {
  expect(await overflow(shop.page)).toBe(0);
  expect(shop.incidents).toEqual([]);
});

const preview = () => shop.page.frameLocator('iframe[title="Preview of your checkout"]').locator('img');
const stored = () => card.locator('img[src*="/logos/"]');
const file = () => card.locator('input[type="file"]');

test('a designer’s picture of 3,000 pixels is made smaller, shown before it is saved, and then seen by customers', async () => {
  const { page } = shop;
  const bytes = await drawing(page, 'image/png', 3_000);
  expect(bytes.length).toBeGreaterThan(180 * 1024);
  await file().setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: bytes });
  await stored().waitFor();
  await expect.poll(() => sizeOf(preview())).toBe('512 × 256');
  expect(await logo()).toBeNull();

  await save(page);
  await expect.poll(logo).toMatch(/\/logos\/[0-9a-f]{64}$/);
  await using customer = await visit(browser, demo.url);
  await customer.page.goto(demo.checkoutUrl);
  await expect.poll(() => sizeOf(customer.page.locator('img').first())).toBe('512 × 256');
  expect(customer.incidents).toEqual([]);
});

test('a photo taken with a telephone on its side stands upright, and a picture can be dropped', async () => {
  const { page } = shop;
  // Turned by a quarter: what is 40 × 20 pixels is shown as 20 × 40.
  const photo = withOrientation(await drawing(page, 'image/jpeg', 40));
  const data = await page.evaluateHandle((base64) => {
    const transfer = new DataTransfer();
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    transfer.items.add(new File([bytes], 'photo.jpg', { type: 'image/jpeg' }));
    return transfer;
  }, photo.toString('base64'));
  await card.getByText('Or drop one here').dispatchEvent('drop', { dataTransfer: data });
  await expect.poll(() => sizeOf(preview())).toBe('20 × 40');
});

test.each([
  ['an SVG', 'image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg"/>'],
  ['a page that is called a picture', 'image/png', '<!doctype html><script>alert(1)</script>'],
])('%s is refused with what is expected, and the logo stays', async (_what, mimeType, text) => {
  await file().setInputFiles({ name: 'logo.png', mimeType, buffer: Buffer.from(text) });
  await card.getByRole('alert').filter({ hasText: 'Choose a PNG, JPEG or WebP picture without animation' }).waitFor();
  expect(await stored().count()).toBe(1);
});

test('a logo is removed, and with it the stored picture', async () => {
  const { page } = shop;
  const before = new URL((await logo()) as string).pathname;
  await card.getByRole('button', { name: 'Remove the logo' }).click();
  await expect.poll(() => stored().count()).toBe(0);
  await save(page);
  await expect.poll(logo).toBeNull();
  expect((await fetch(demo.url + before)).status).toBe(404);
});

async function save(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('status').filter({ hasText: 'Saved' }).waitFor();
}

async function logo(): Promise<string | null> {
  const answer = await fetch(`${demo.url}/v1/account`, { headers: { authorization: `Bearer ${demo.testKey}` } });
  return (await answer.json()).data.logo_url;
}

async function sizeOf(image: Locator): Promise<string> {
  return image.evaluate((shown: HTMLImageElement) => `${shown.naturalWidth} × ${shown.naturalHeight}`);
}

/** A picture twice as wide as high, with noise that does not compress. */
async function drawing(page: Page, type: string, width: number): Promise<Buffer> {
  const base64 = await page.evaluate(
    ([form, wide]) => {
      const canvas = document.createElement('canvas');
      [canvas.width, canvas.height] = [wide, wide / 2];
      const context = canvas.getContext('2d') as CanvasRenderingContext2D;
      context.fillStyle = '#0f766e';
      context.beginPath();
      context.arc(wide / 2, wide / 4, wide / 4, 0, 7);
      context.fill();
      const noise = context.getImageData(0, 0, Math.min(wide, 800), Math.min(wide / 2, 800));
      for (let at = 0; at < noise.data.length; at += 1) noise.data[at] = (at * at * 31 + at * 7) >> 3;
      context.putImageData(noise, 0, 0);
      return canvas.toDataURL(form).split(',')[1] as string;
    },
    [type, width] as const,
  );
  return Buffer.from(base64, 'base64');
}

/** Adds the Exif part of a telephone that was held on its side. */
function withOrientation(jpeg: Buffer): Buffer {
  const exif = Buffer.from(
    'ffe1002245786966000049492a00080000000100120103000100000006000000 00000000'.replace(' ', ''),
    'hex',
  );
  return Buffer.concat([jpeg.subarray(0, 2), exif, jpeg.subarray(2)]);
}
