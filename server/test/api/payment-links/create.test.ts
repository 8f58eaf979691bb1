import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Merchant, startApp, type TestApp } from '../../support/index.ts';

let app: TestApp;
let merchant: Merchant;
let wallet: { id: string };
beforeAll(async () => {
  app = await startApp();
  merchant = app.merchant;
  wallet = await merchant.createWallet();
});
afterAll(() => app.stop());

describe('POST /v1/payment-links answers 201', () => {
  test('with every field of a link, those left out at their defaults', async () => {
    const answer = await create({ amount: '25' });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      data: {
        id: expect.stringMatching(/^pl_[0-9A-Za-z]{24}$/),
        object: 'payment_link',
        livemode: false,
        url: `${app.config.publicUrl}/pay/${answer.body.data.id}`,
        description: 'Workshop seat',
        amount: '25.00',
        currency: 'USD',
        payout_wallet_id: wallet.id,
        receive_asset: 'USDC',
        receive_network: 'base',
        status: 'active',
        payments: 0,
        order_id: null,
        ask_for: [],
        note_label: null,
        open_amount: null,
        ends_at: null,
        max_payments: null,
        metadata: {},
        customer: null,
        success_url: null,
        cancel_url: null,
        created_at: expect.stringMatching(/Z$/),
      },
      request_id: answer.headers['request-id'],
    });
  });

  test('echoing everything that was sent, and reading it says the same', async () => {
    const sent = {
      payout_wallet_id: wallet.id,
      amount: '0.01',
      currency: 'EUR',
      description: 'd'.repeat(500),
      order_id: 'o'.repeat(200),
      metadata: Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`key ${at}`, `${at}`])),
      success_url: 'https://shop.example.com/{CHECKOUT_SESSION_ID}',
      cancel_url: 'http://localhost/',
    };
    const link = (await create(sent)).body.data;
    expect(link).toMatchObject(sent);
    expect(await merchant.get(`/payment-links/${link.id}`)).toEqual(link);
  });

  test('whatever raw address is in the request, for the saved wallet', async () => {
    const { data } = (
      await create({
        payout_address: '0x000000000000000000000000000000000000dEaD',
        status: 'disabled',
        payments: 9,
        livemode: true,
      })
    ).body;
    expect(data).toMatchObject({ payout_wallet_id: wallet.id, status: 'active', payments: 0, livemode: false });
  });

  test('once per Idempotency-Key, also of 50 parallel requests', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => create({}, 'link-1')));
    expect(new Set(answers.map((answer) => answer.raw)).size).toBe(1);
    expect((await create({ amount: '26' }, 'link-1')).body.error.code).toBe('idempotency_conflict');
  });
});

const NUL = 'a\u0000b';
const LONE = 'a\ud800b';
const WRONG: Record<string, unknown[]> = {
  payout_wallet_id: [undefined, '', 'pp_unknown', 'pp_4Xq2LwZ8nT6vRb1KsYc9MdHf', null, 1, NUL],
  amount: [undefined, 25, null, '', '0', '0.00', '-1', '1e5', '01', '.5', '1.', '1.234', ' 5', '1000000000', NUL],
  currency: [undefined, 'usd', 'GBP', '', null, 1],
  description: [undefined, '', 1, null, 'd'.repeat(501), NUL, LONE],
  order_id: [1, null, 'o'.repeat(201), NUL, LONE],
  metadata: [[], 'x', null, Object.fromEntries(Array.from({ length: 51 }, (_, at) => [`k${at}`, 'v']))],
  'metadata.a': [{ a: 1 }, { a: null }, { a: 'v'.repeat(501) }, { a: NUL }, { a: LONE }],
  customer: ['kim@example.com', null, []],
  'customer.email': [{ email: 'kim' }, { email: null }, { email: NUL }],
  'customer.name': [{ name: 'n'.repeat(201) }, { name: LONE }],
  'customer.reference': [{ reference: '' }, { reference: 'r'.repeat(201) }],
  success_url: [
    '',
    'nothing',
    'http://shop.example.com',
    'javascript:alert(1)',
    1,
    null,
    NUL,
    `https://x.example/${'p'.repeat(2_048)}`,
  ],
  cancel_url: ['nothing', 'http://shop.example.com', LONE],
};

describe('POST /v1/payment-links answers 400 invalid_payment_link', () => {
  test.each(Object.entries(WRONG).flatMap(([param, values]) => values.map((value) => [param, value] as const)))(
    'naming %s for %j',
    async (param, value) => {
      const [field = ''] = param.split('.');
      const answer = await create({ [field]: value });
      expect(answer.status).toBe(400);
      expect(answer.body.error).toMatchObject({ code: 'invalid_payment_link', param });
    },
  );

  test('for a wallet of another account or mode in the very words of a missing one', async () => {
    const foreign = await (await app.newMerchant()).createWallet();
    const otherMode = await merchant.live.createWallet();
    const [first, ...others] = await Promise.all(
      [foreign.id, otherMode.id, 'pp_4Xq2LwZ8nT6vRb1KsYc9MdHf'].map(
        async (id) => (await create({ payout_wallet_id: id })).body.error,
      ),
    );
    for (const other of others) expect(other).toEqual(first);
  });

  test('for an archived wallet', async () => {
    const second = await merchant.createWallet({ network: 'polygon' });
    await merchant.dashboard.post(`/payout-wallets/${second.id}/archive`);
    expect((await create({ payout_wallet_id: second.id })).body.error).toMatchObject({
      code: 'invalid_payment_link',
      param: 'payout_wallet_id',
    });
  });
});

function create(fields: object, key?: string) {
  return merchant.request('POST', '/payment-links', {
    body: { payout_wallet_id: wallet.id, amount: '25.00', currency: 'USD', description: 'Workshop seat', ...fields },
    headers: key === undefined ? {} : { 'idempotency-key': key },
  });
}
