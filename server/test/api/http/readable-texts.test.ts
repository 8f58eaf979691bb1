import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Merchant, startApp, type TestApp } from '../../support/index.ts';

let app: TestApp;
let merchant: Merchant;
let payment: string;
beforeAll(async () => {
  app = await startApp();
  merchant = app.merchant;
  await merchant.createWallet();
  const session = await merchant.createSession();
  const pay = `/test_helpers/checkout/sessions/${session.id}/pay`;
  ({ payment } = await merchant.post(pay, { pay_asset: 'USDC', pay_network: 'base', outcome: 'paid' }));
});
afterAll(() => app.stop());

const session = (fields: object) => ['POST', '/checkout/sessions', { amount: '49.00', ...fields }] as const;

/** A request with a text in each field that a merchant may fill as they like. */
const FIELDS: Record<string, (text: string) => readonly [method: 'POST' | 'PATCH', path: string, body: object]> = {
  order_id: (text) => session({ order_id: text }),
  description: (text) => session({ description: text }),
  'metadata.note': (text) => session({ metadata: { note: text } }),
  'line_items[0].name': (text) => session({ line_items: [{ name: text, quantity: 1, amount: '49.00' }] }),
  'customer.name': (text) => session({ customer: { name: text } }),
  'customer.reference': (text) => session({ customer: { reference: text } }),
  reason: (text) => ['POST', `/payments/${payment}/refund`, { reason: text }],
  label: (text) => ['POST', '/payout-wallets', { ...WALLET, label: text }],
  name: (text) => ['PATCH', '/account', { name: text }],
};
const WALLET = { asset: 'USDC', network: 'base', address: '0x8617E340B3D01FA5F11F306F4090FD50E238070D' };

const send = (field: string, text: string) => {
  const [method, path, body] = (FIELDS[field] as (typeof FIELDS)[string])(text);
  return app.inject(method, `/v1${path}`, { body, token: field === 'name' ? merchant.loginToken : merchant.testKey });
};

describe.each(Object.keys(FIELDS))('%s', (field) => {
  test.each([
    ['\u001B[2Jhidden', 'U+001B'],
    ['refund\u202E001', 'U+202E'],
    ['order\u200B-1', 'U+200B'],
    ['a\u2066b', 'U+2066'],
    ['or\u200Dder', 'U+200D'],
    ['hidden\u{E0041}', 'U+E0041'],
    [`A-7\u{1F3F4}${'\u{E0061}'.repeat(49)}\u{E007F}`, 'U+E0061'],
    ['A-7\u2800', 'U+2800'],
    ['\u00A0', 'U+00A0'],
    ['\u200F', 'U+200F'],
    ['\uE000', 'U+E000'],
  ])('with %j is refused once, by name', async (text, character) => {
    const { status, body } = await send(field, text);
    expect([status, body.error]).toMatchObject([400, { param: field }]);
    expect(body.error.message).toContain(`\`${field}\` contains ${character}.`);
  });

  test.each(['خزامى (2)', 'می‌خواهم', 'क्‍ष', '👩🏽‍🌾 Fern', 'אורן \u200F(2)'])('%j is accepted', async (text) => {
    expect((await send(field, text)).status).toBeLessThan(300);
  });
});

test.each(['description', 'metadata.note', 'reason'])('%s may have several lines', async (field) => {
  expect((await send(field, 'one\r\ntwo\n\tthree')).status).toBeLessThan(300);
});

test.each(['order_id', 'line_items[0].name', 'customer.name', 'customer.reference', 'label', 'name'])(
  '%s is one line',
  async (field) => {
    const { status, body } = await send(field, 'one\ntwo');
    expect([status, body.error.param]).toEqual([400, field]);
  },
);

test('a line has no space at its ends: it is kept as what can be read', async () => {
  const created = await merchant.createSession({
    order_id: ' A-7\u00A0',
    metadata: { note: ' kept ' },
    line_items: [{ name: 'Fern ', quantity: 1, amount: '49.00' }],
    customer: { name: ' Kim' },
  });
  expect(created.order_id).toBe('A-7');
  expect(created.metadata).toEqual({ note: ' kept ' });
  expect(created.line_items[0].name).toBe('Fern');
  expect((await send('label', '  ')).body.data.label).toBe('USDC on Base');
});

test('a key of metadata is one line too', async () => {
  const body = { amount: '49.00', metadata: { 'a\u202Eb': 'x' } };
  const answer = await app.inject('POST', '/v1/checkout/sessions', { body, token: merchant.testKey });
  expect([answer.status, answer.body.error.code]).toEqual([400, 'invalid_checkout_session']);
});
