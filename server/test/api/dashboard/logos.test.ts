import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { prune } from '../../../src/retention/prune.ts';
import { TABLES } from '../../../src/retention/tables.ts';
import { startApp, type TestApp } from '../../support/index.ts';
import type { Merchant } from '../../support/merchant.ts';
import { JPEG, LOSSY, png, pngPart, webp } from '../../support/pictures.ts';

let app: TestApp;
let merchant: Merchant;
beforeAll(async () => {
  app = await startApp({ listen: true });
  merchant = app.merchant;
});
afterAll(() => app.stop());

const upload = (picture: Buffer | string, by = merchant) =>
  app.inject('POST', '/dashboard/api/logo', {
    token: by.loginToken,
    body: { picture: Buffer.isBuffer(picture) ? picture.toString('base64') : picture },
  });
const uploaded = async (picture: Buffer, by = merchant): Promise<string> => {
  const answer = await upload(picture, by);
  expect(answer.status).toBe(200);
  return answer.body.data.url;
};
const get = async (path: string) => {
  const answer = await fetch(app.url + path);
  return { status: answer.status, headers: answer.headers, bytes: Buffer.from(await answer.arrayBuffer()) };
};
const pathOf = (url: string) => new URL(url).pathname;
const isServed = async (url: string) => (await get(pathOf(url))).status === 200;

describe('a logo that is uploaded', () => {
  test.each([
    ['image/png', png()],
    ['image/jpeg', JPEG],
    ['image/webp', webp(LOSSY)],
  ])(
    '%s: is served to strangers at an address of its content, of the type that it was found to have',
    async (type, bytes) => {
      const url = await uploaded(bytes);
      expect(url).toMatch(new RegExp(`^${app.config.publicUrl}/logos/[0-9a-f]{64}$`));

      const answer = await get(pathOf(url));
      expect([answer.status, answer.bytes]).toEqual([200, bytes]);
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        'content-type': type,
        'content-security-policy': "default-src 'none'; sandbox",
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'cache-control': 'public, max-age=86400, immutable',
      });
      expect(answer.headers.has('set-cookie')).toBe(false);
    },
  );

  test('is the logo once the account saves its address: on the checkout, the link and the receipt, and nothing is fetched', async () => {
    const url = await uploaded(png());
    const account = await merchant.dashboard.patch('/account', { logo_url: url });
    expect(account.logo_url).toBe(url);
    const session = await merchant.createSession();
    const link = await merchant.createLink();

    for (const page of [`/checkout/${session.id}`, `/receipt/${session.id}`, `/pay/${link.id}`])
      expect((await app.inject('GET', page)).raw, page).toContain(`src="${pathOf(url)}"`);
    // Wallets of Solana ask for the one of the checkout.
    for (const own of [`/checkout/${session.id}/logo`, `/pay/${link.id}/logo`])
      expect((await get(own)).bytes, own).toEqual(png());
    const { body } = await app.inject('GET', `/v1/public/checkout/sessions/${session.id}`);
    expect(body.data.merchant.logo_url).toBe(url);
    const preview = await app.inject('GET', '/dashboard/preview', { token: merchant.loginToken, query: { logo: url } });
    expect(preview.raw).toContain(`src="${pathOf(url)}"`);
  });

  test('counts like a page, because a large one costs as much', async () => {
    const url = await uploaded(png());
    const { headers } = await app.inject('GET', pathOf(url), { from: '203.0.113.77' });
    expect(Number(headers['x-ratelimit-limit']) - Number(headers['x-ratelimit-remaining'])).toBe(5);
  });

  test('has no other address: another hash, another form, a query', async () => {
    const path = pathOf(await uploaded(png()));
    for (const other of [
      `${path.slice(0, -1)}x`,
      path.toUpperCase(),
      `${path}?v=2`,
      `${path}0`,
      `/logos/${'0'.repeat(64)}`,
    ])
      expect((await get(other)).status, other).toBe(404);
  });
});

describe('what an account keeps', () => {
  test('the logo in use and one that is not saved yet; saving another one, an address elsewhere or none deletes it', async () => {
    const [first, second, third] = [png(4, 1), png(5, 1), png(6, 1)];
    const used = await uploaded(first);
    await merchant.dashboard.patch('/account', { logo_url: used });
    const tried = await uploaded(second);
    expect([await isServed(used), await isServed(tried)]).toEqual([true, true]);
    const better = await uploaded(third);
    expect([await isServed(used), await isServed(tried), await isServed(better)]).toEqual([true, false, true]);

    await merchant.dashboard.patch('/account', { name: 'Fern & Fog' });
    expect(await isServed(better)).toBe(true);
    await merchant.dashboard.patch('/account', { logo_url: better });
    expect([await isServed(used), await isServed(better)]).toEqual([false, true]);
    await merchant.dashboard.patch('/account', { logo_url: null });
    expect(await isServed(better)).toBe(false);
    expect(await rows()).toBe(0);
  });

  test('no more than two of uploads at the same time', async () => {
    await Promise.all(Array.from({ length: 8 }, (_, at) => uploaded(png(10 + at, 1))));
    expect(await rows()).toBe(1);
  });

  test('what is not saved is deleted after a day, and the logo in use is not', async () => {
    const used = await uploaded(png(7, 1));
    await merchant.dashboard.patch('/account', { logo_url: used });
    const tried = await uploaded(png(8, 1));
    const pruned = async () => {
      await prune(app.ctx, new AbortController().signal, { logos: TABLES.logos as (typeof TABLES)[string] });
      return [await isServed(used), await isServed(tried)];
    };
    const age = (minutes: number) =>
      app.ctx.db.query('age_logos', 'update logos set created_at = created_at - $1::int * interval $$1 minute$$', [
        minutes,
      ]);
    await age(24 * 60 - 5);
    expect(await pruned()).toEqual([true, true]);
    await age(10);
    expect(await pruned()).toEqual([true, false]);
    const late = await merchant.dashboard.request('PATCH', '/account', { body: { logo_url: tried } });
    expect([late.status, late.body.error.param]).toEqual([400, 'logo_url']);
  });

  test('is found under the host name that the service had before, and then saved under the present one', async () => {
    const url = await uploaded(png(9, 1));
    const before = `https://old.shop.example${pathOf(url)}`;
    await merchant.dashboard.patch('/account', { logo_url: url });
    await app.ctx.db.query('move_host', 'update accounts set logo_url = $2 where id = $1', [
      merchant.accountId,
      before,
    ]);
    const session = await merchant.createSession();
    expect((await get(`/checkout/${session.id}/logo`)).bytes).toEqual(png(9, 1));
    expect((await merchant.dashboard.patch('/account', { logo_url: before })).logo_url).toBe(url);
  });
});

describe('another account', () => {
  test('may not use or delete the picture; the same picture of its own stays when the first is deleted', async () => {
    const other = await app.newMerchant();
    const url = await uploaded(png(20, 1));
    await merchant.dashboard.patch('/account', { logo_url: url });
    const foreign = await other.dashboard.request('PATCH', '/account', { body: { logo_url: url } });
    expect([foreign.status, foreign.body.error.param]).toEqual([400, 'logo_url']);
    await other.dashboard.patch('/account', { logo_url: null });
    expect(await isServed(url)).toBe(true);

    expect(await uploaded(png(20, 1), other)).toBe(url);
    await other.dashboard.patch('/account', { logo_url: url });
    await merchant.dashboard.patch('/account', { logo_url: null });
    expect(await isServed(url)).toBe(true);
    await other.dashboard.patch('/account', { logo_url: null });
    expect(await isServed(url)).toBe(false);
  });
});

describe('an upload is refused', () => {
  test.each([
    ['an SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'is not a PNG, JPEG or WebP'],
    [
      'a page that calls itself a picture',
      Buffer.from('GIF89a<script>alert(1)</script>'),
      'is not a PNG, JPEG or WebP',
    ],
    ['a text that is no base64', 'né pas', 'is not a PNG, JPEG or WebP'],
    ['a picture of too many bytes', png(1_000, 185, { noise: true }), 'more than 180 KiB'],
    ['a picture that ends early', png().subarray(0, -5), 'damaged or incomplete'],
    ['a picture of too many pixels', png(2_049, 2), '2049 × 2'],
    ['a picture that moves', png(3, 2, { more: [pngPart('acTL', Buffer.alloc(8))] }), 'moves'],
  ])('400, naming what is expected: %s', async (_what, picture, message) => {
    const { status, body } = await upload(picture);
    expect([status, body.error.code, body.error.param]).toEqual([400, 'invalid_request', 'picture']);
    expect(body.error.message).toContain(message);
  });

  test('400 without a picture, 413 above the limit of bodies', async () => {
    const none = await app.inject('POST', '/dashboard/api/logo', { token: merchant.loginToken, body: {} });
    expect([none.status, none.body.error.param]).toEqual([400, 'picture']);
    expect((await upload('A'.repeat(262_144))).status).toBe(413);
  });

  test('without a login, with a secret key, and by another site', async () => {
    const body = { picture: png().toString('base64') };
    const cookie = `session=${merchant.loginToken}`;
    const ask = async (input: object) => (await app.inject('POST', '/dashboard/api/logo', { body, ...input })).status;
    expect(await ask({})).toBe(401);
    expect(await ask({ token: merchant.liveKey })).toBe(403);
    expect(await ask({ headers: { cookie, 'sec-fetch-site': 'cross-site' } })).toBe(403);
    expect(await ask({ headers: { cookie } })).toBe(403);
    expect(await ask({ headers: { cookie, 'sec-fetch-site': 'same-origin', 'content-type': 'text/plain' } })).toBe(403);
    expect(await ask({ headers: { cookie, 'sec-fetch-site': 'same-origin' } })).toBe(200);
  });

  test('the twenty-first within a minute, for this account alone', async () => {
    await using production = await startApp({ env: { TRUSTED_PROXIES: '127.0.0.1' } });
    const from = '203.0.113.5';
    const body = { picture: png().toString('base64') };
    const ask = async (token: string) =>
      (await production.inject('POST', '/dashboard/api/logo', { body, token, from })).status;
    const answers = [];
    for (let at = 0; at < 21; at += 1) answers.push(await ask(production.merchant.loginToken));
    expect(answers).toEqual([...Array.from({ length: 20 }, () => 200), 429]);
    expect(await ask((await production.newMerchant()).loginToken)).toBe(200);
  });
});

async function rows(): Promise<number> {
  const found = await app.ctx.db.query('count_logos', 'select hash from logos where account_id = $1', [
    merchant.accountId,
  ]);
  return found.length;
}
