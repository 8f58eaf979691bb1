import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Merchant, startApp, type TestApp } from '../../support/index.ts';

let app: TestApp;
let merchant: Merchant;
beforeAll(async () => {
  app = await startApp();
  merchant = app.merchant;
  await merchant.createWallet();
});
afterAll(() => app.stop());

const NUL = 'a\u0000b';
const LONE = 'a\ud800b';
const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, 'v']));
const line = { name: 'Fern', quantity: 1, amount: '1.00' };

/** Wrong values by the `param` of their error; the field is the param up to its first bracket or dot. */
const WRONG: Record<string, unknown[]> = {
  amount: [
    49,
    49.5,
    true,
    null,
    ['49'],
    {},
    '',
    ' ',
    '0',
    '0.0',
    '0.00',
    '-1',
    '+1',
    '1e5',
    '1E2',
    '00.1',
    '01',
    '.5',
    '5.',
    '1.234',
    '1,00',
    ' 5',
    '5 ',
    '٣',
    'NaN',
    'Infinity',
    '0x10',
    '1000000000',
    '1000000000.00',
    '9'.repeat(40),
    '1_000',
    '1.0.0',
    NUL,
    '49\n',
    '\u200b49',
  ],
  currency: ['usd', 'Usd', 'GBP', '', ' USD', 'USDC', null, 1, ['USD'], NUL],
  payout_wallet_id: [
    '',
    'pp_',
    'pp_unknown',
    'pp_4Xq2LwZ8nT6vRb1KsYc9MdHf',
    'cs_4Xq2LwZ8nT6vRb1KsYc9MdHf',
    'pp_4Xq2LwZ8nT6vRb1KsYc9MdH/',
    null,
    7,
    {},
    'x'.repeat(2_000),
    NUL,
  ],
  order_id: [1, null, {}, [], 'o'.repeat(201), NUL, LONE],
  description: [1, null, {}, [], 'd'.repeat(501), NUL, LONE],
  metadata: [[], 'a=b', 1, null, many(51)],
  'metadata.a': [
    { a: 1 },
    { a: null },
    { a: {} },
    { a: ['x'] },
    { a: true },
    { a: 'v'.repeat(501) },
    { a: NUL },
    { a: LONE },
  ],
  customer: ['kim@example.com', 1, null, [], true],
  'customer.email': [
    { email: 'kim' },
    { email: '' },
    { email: 'kim@example' },
    { email: 'Kim <kim@example.com>' },
    { email: 'kim@example.com\r\nbcc: all@example.com' },
    { email: `${'k'.repeat(250)}@example.com` },
    { email: null },
    { email: 1 },
    { email: NUL },
    { email: LONE },
  ],
  'customer.name': [{ name: '' }, { name: 'n'.repeat(201) }, { name: null }, { name: {} }, { name: NUL }],
  'customer.reference': [{ reference: '' }, { reference: 'r'.repeat(201) }, { reference: null }, { reference: NUL }],
  line_items: [{}, 'x', 1, null, Array.from({ length: 101 }, () => line)],
  'line_items[1]': [
    [line, 'x'],
    [line, null],
    [line, []],
  ],
  'line_items[0].name': [
    [{ ...line, name: 1 }],
    [{ ...line, name: '' }],
    [{ ...line, name: 'n'.repeat(251) }],
    [{ ...line, name: NUL }],
    [{ quantity: 1, amount: '1' }],
  ],
  'line_items[0].quantity': [
    [{ ...line, quantity: 0 }],
    [{ ...line, quantity: -1 }],
    [{ ...line, quantity: 1.5 }],
    [{ ...line, quantity: '1' }],
    [{ ...line, quantity: null }],
    [{ ...line, quantity: 1e300 }],
    [{ name: 'x', amount: '1' }],
  ],
  'line_items[0].amount': [
    [{ ...line, amount: 1 }],
    [{ ...line, amount: '' }],
    [{ ...line, amount: '1.234' }],
    [{ ...line, amount: '--1' }],
    [{ ...line, amount: '+1' }],
    [{ ...line, amount: '1e2' }],
    [{ ...line, amount: '01' }],
    [{ name: 'x', quantity: 1 }],
    [{ ...line, quantity: 2, amount: '24.50', unit_amount: '24.50' }],
    [{ ...line, unit_amount: '-1.00' }],
  ],
  'line_items[0].unit_amount': [
    [{ ...line, unit_amount: 1 }],
    [{ ...line, unit_amount: '1.234' }],
    [{ ...line, unit_amount: null }],
  ],
  'line_items[1].amount': [[line, { name: 'Pot', quantity: 3, amount: '10', unit_amount: '5' }]],
  accepted_assets: [[], {}, 'USDC_BASE', 1, null, Array.from({ length: 101 }, () => 'USDC_BASE')],
  'accepted_assets[0]': [
    ['USDC'],
    ['USDC-BASE'],
    [''],
    ['USDC_TRON'],
    ['EURC_BASE'],
    [1],
    [null],
    [NUL],
    [' USDC_BASE'],
  ],
  'accepted_assets[2]': [['USDC_BASE', 'ETH_ETHEREUM', 'DOGE_DOGE', 'ALSO_WRONG']],
  accepted_assets_mode: ['some', 'Custom', '', null, 1, []],
  expires_in: [59, 0, -60, 2_592_001, 60.5, '3600', null, [], true, 1e300],
  success_url: [
    1,
    null,
    {},
    '',
    'shop.example.com',
    '/thanks',
    '//shop.example.com',
    'http://shop.example.com',
    'ftp://shop.example.com',
    'javascript:alert(1)',
    'data:text/html,x',
    'https://',
    'https://user:pw@shop.example.com',
    'https://shop.example.com/a b',
    'https://shop.example.com/\n',
    `https://shop.example.com/${'p'.repeat(2_048)}`,
    NUL,
    LONE,
  ],
  cancel_url: ['http://shop.example.com', 'nothing', 1, NUL],
};

describe('POST /v1/checkout/sessions answers 400 invalid_checkout_session', () => {
  const cases = Object.entries(WRONG).flatMap(([param, values]) => values.map((value) => [param, value] as const));

  test.each(cases)('naming %s for %j', async (param, value) => {
    const [field = ''] = param.split(/[.[]/);
    const answer = await create({ amount: '49.00', [field]: value });
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({
      error: { code: 'invalid_checkout_session', message: expect.stringMatching(/^[^a-z].{10,}/s), param },
      request_id: answer.headers['request-id'],
    });
  });

  test('naming amount where it is missing', async () => {
    expect((await create({})).body.error).toMatchObject({ code: 'invalid_checkout_session', param: 'amount' });
    expect((await merchant.request('POST', '/checkout/sessions')).body.error).toMatchObject({
      code: 'invalid_checkout_session',
      param: 'amount',
    });
  });

  test('naming accepted_assets if the mode is custom and the list is missing', async () => {
    expect((await create({ amount: '1', accepted_assets_mode: 'custom' })).body.error).toMatchObject({
      code: 'invalid_checkout_session',
      param: 'accepted_assets',
    });
  });

  test('naming the key of metadata that is too long, or cannot be stored', async () => {
    for (const key of ['k'.repeat(41), NUL, LONE, '__proto__']) {
      const { status, body } = await create(`{"amount":"1","metadata":{${JSON.stringify(key)}:"x"}}`);
      expect([status, body.error.code]).toEqual([400, 'invalid_checkout_session']);
      expect(body.error.param).toMatch(/^metadata/);
    }
  });

  test('naming payout_wallet_id where the account has no wallet at all', async () => {
    const fresh = await app.newMerchant();
    const answer = await fresh.request('POST', '/checkout/sessions', { body: { amount: '1' } });
    expect(answer.status).toBe(400);
    expect(answer.body.error).toMatchObject({ code: 'invalid_checkout_session', param: 'payout_wallet_id' });
  });

  test('for a wallet of another account or mode in the very words of a missing one', async () => {
    const stranger = await app.newMerchant();
    const foreign = await stranger.createWallet();
    const otherMode = await merchant.live.createWallet();
    const refusals = await Promise.all(
      [foreign.id, otherMode.id, 'pp_4Xq2LwZ8nT6vRb1KsYc9MdHf'].map(
        async (id) => (await create({ amount: '1', payout_wallet_id: id })).body.error,
      ),
    );
    expect(refusals[0]).toMatchObject({ code: 'invalid_checkout_session', param: 'payout_wallet_id' });
    expect(refusals[1]).toEqual(refusals[0]);
    expect(refusals[2]).toEqual(refusals[0]);
  });

  test('for an archived wallet, while its open sessions go on', async () => {
    const owner = await app.newMerchant();
    const wallet = await owner.createWallet();
    await owner.createWallet({ network: 'polygon' });
    const open = await owner.createSession({ payout_wallet_id: wallet.id });
    await owner.dashboard.post(`/payout-wallets/${wallet.id}/archive`);

    const answer = await owner.request('POST', '/checkout/sessions', {
      body: { amount: '1', payout_wallet_id: wallet.id },
    });
    expect(answer.body.error).toMatchObject({
      code: 'invalid_checkout_session',
      param: 'payout_wallet_id',
      message: expect.stringContaining('archived'),
    });
    expect((await owner.get(`/checkout/sessions/${open.id}`)).status).toBe('created');
  });

  test('and writes nothing', async () => {
    const fresh = await app.newMerchant();
    await fresh.createWallet();
    await fresh.request('POST', '/checkout/sessions', {
      body: { amount: '0' },
      headers: { 'idempotency-key': 'wrong' },
    });
    await fresh.request('POST', '/checkout/sessions', {
      body: { amount: '1', payout_wallet_id: 'pp_4Xq2LwZ8nT6vRb1KsYc9MdHf' },
      headers: { 'idempotency-key': 'wrong too' },
    });
    expect(
      await app.ctx.db.query(
        'test_nothing',
        `
      select 1 from checkout_sessions where account_id = $1 union all select 1 from idempotency_keys
        where account_id = $1 and key like 'wrong%'`,
        [fresh.accountId],
      ),
    ).toEqual([]);
  });
});

describe('POST /v1/checkout/sessions answers 400', () => {
  test.each([
    ['', 'invalid_checkout_session'],
    ['{', 'invalid_request'],
    ['null', 'invalid_request'],
    ['[]', 'invalid_request'],
    ['"x"', 'invalid_request'],
    ['1', 'invalid_request'],
    ['{"amount":"1",}', 'invalid_request'],
    ['{"amount":"1"}{}', 'invalid_request'],
  ])('for the body %j, with the code %s', async (body, code) => {
    const answer = await create(body);
    expect([answer.status, answer.body.error.code]).toEqual([400, code]);
  });
});

function create(body: unknown) {
  return merchant.request('POST', '/checkout/sessions', { body });
}
