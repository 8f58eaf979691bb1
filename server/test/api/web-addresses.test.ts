import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { urlObjection } from '../../src/outside/http/address.ts';
import { startApp, type TestApp } from '../support/index.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
  SALE.payout_wallet_id = (await app.merchant.createWallet()).id;
});
afterAll(() => app.stop());

const SALE: Record<string, unknown> = { amount: '10.00', currency: 'USD', description: 'Tea' };

/** Every place that takes an address of the web, and whether it accepts one. Refusals name the field. */
const USES: Record<string, (text: string) => Promise<boolean>> = {
  success_url: (text) => accepted('success_url', 'POST', '/checkout/sessions', { ...SALE, success_url: text }),
  cancel_url: (text) => accepted('cancel_url', 'POST', '/payment-links', { ...SALE, cancel_url: text }),
  logo_url: (text) => accepted('logo_url', 'PATCH', '/account', { logo_url: text }),
  support_url: (text) => accepted('support_url', 'PATCH', '/account', { support_url: text }),
  paymaster_url: (text) => accepted('paymaster_url', 'PATCH', '/account', { paymaster_url: text }),
  frame_parents: (text) => accepted('frame_parents[0]', 'PATCH', '/account', { frame_parents: [text] }),
  async webhooks(text) {
    return urlObjection(text, { allowPrivate: false, ownUrl: 'https://pay.example.com' }) === null;
  },
  async preview(text) {
    const { raw } = await app.inject('GET', `/dashboard/preview?logo=${encodeURIComponent(text)}`, {
      headers: { cookie: `session=${app.merchant.loginToken}`, 'sec-fetch-site': 'same-origin' },
    });
    return /<img[^>]+src="https:/i.test(raw);
  },
  PRICES_KRAKEN_URL: async (text) => isSetting('PRICES_KRAKEN_URL', text),
  RPC_BASE_URLS: async (text) => isSetting('RPC_BASE_URLS', text),
};

describe.each(Object.entries(USES))('%s', (name, isAccepted) => {
  test.each([
    'https://shop.example.com',
    'https://shop.example.com:8443',
    'https://shop.example.com./',
    'HTTPS://Shop.Example.COM/',
    'https://bücher.example',
    'https://xn--bcher-kva.example/',
  ])('%s is accepted', async (text) => {
    expect(await isAccepted(text)).toBe(true);
  });

  test.each([
    'shop.example.com',
    '//shop.example.com',
    'https:shop.example.com',
    'https:///shop.example.com',
    'https:\\\\shop.example.com',
    'https://shop.example.com\\@evil.example',
    'https://shop .example.com',
    'https://shop.example.com/a b',
    'https://shop.example.com/a\u0007b',
    'https://sh\u00adop.example.com',
    'https://sh\u200bop.example.com',
    'https://shop.example.com/\u202egnp.exe',
    'https://*.example.com',
    "https://shop.example.com'.evil.example",
    'https://shop.example.com;script-src',
    'https://a..example.com',
    'https://[::1',
    'https://shop.example.com:0',
    'https://shop.example.com:65536',
    `https://shop.example.com/${'a'.repeat(2_048)}`,
    'ftp://shop.example.com',
    'javascript:alert(1)',
    'javascript://shop.example.com/%0aalert(1)',
    'data:text/html,x',
  ])('%j is refused', async (text) => {
    expect(await isAccepted(text)).toBe(false);
  });

  test('credentials and plain http are refused, except where an operator names a node', async () => {
    const isNode = name === 'RPC_BASE_URLS';
    expect(await isAccepted('https://me:secret@shop.example.com')).toBe(isNode);
    expect(await isAccepted('https://@shop.example.com')).toBe(isNode);
    expect(await isAccepted('http://shop.example.com')).toBe(isNode || name === 'PRICES_KRAKEN_URL');
  });
});

test.each(['success_url', 'cancel_url', 'logo_url', 'support_url', 'frame_parents'] as const)(
  '%s may be http on this machine, by any of its names, and by no name that only looks like one',
  async (use) => {
    for (const host of ['localhost', 'shop.localhost', '127.0.0.1', '127.1.2.3', '[::1]'])
      expect([host, await USES[use]?.(`http://${host}:5173`)]).toEqual([host, true]);
    for (const host of ['localhost.example.com', '127.0.0.1.example.com', '10.0.0.1', '[::2]'])
      expect([host, await USES[use]?.(`http://${host}:5173`)]).toEqual([host, false]);
  },
);

test('a frame parent is kept as browsers write it', async () => {
  const parents = ['https://Bücher.example:443/', 'https://[2001:DB8::1]:8443'];
  const account = await app.merchant.dashboard.patch('/account', { frame_parents: parents });
  expect(account.frame_parents).toEqual(['https://xn--bcher-kva.example', 'https://[2001:db8::1]:8443']);
});

async function accepted(param: string, method: 'POST' | 'PATCH', path: string, body: object): Promise<boolean> {
  const answer = await (method === 'PATCH' ? app.merchant.dashboard : app.merchant).request(method, path, { body });
  if (answer.status < 300) return true;
  expect([answer.status, answer.body.error.param], answer.raw).toEqual([400, param]);
  return false;
}

function isSetting(name: string, text: string): boolean {
  try {
    readConfig({ [name]: text });
    return true;
  } catch (error) {
    expect(String(error)).toContain(name);
    return false;
  }
}
