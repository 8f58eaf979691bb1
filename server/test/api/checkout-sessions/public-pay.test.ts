import { ed25519 } from '@noble/curves/ed25519.js';
import { base58 } from '@scure/base';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type Merchant, type TestApp } from '../../support/index.ts';
import { paymentOfSession } from '../../support/payments.ts';

let app: TestApp;
let merchant: Merchant;

beforeAll(async () => {
  app = await startApp();
  merchant = app.merchant;
});
afterAll(() => app.stop());

const CUSTOMER = privateKeyToAccount(`0x${'59'.repeat(32)}`);
const SOLANA_KEY = new Uint8Array(32).fill(7);
const SOLANA_WALLET = base58.encode(ed25519.getPublicKey(SOLANA_KEY));
const EVM_WALLET = '0x52908400098527886E0F7030069857D2E4169EE7';
const BITCOIN = 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq';
const OTHER_BITCOIN = '1BoatSLRHtKNngkdXEeobR76b53LETtpyT';
const UNKNOWN = 'cs_000000000000000000000000';

describe('GET /v1/public/checkout/sessions/{id}', () => {
  test("shows what a customer needs, and nothing of the merchant's books", async () => {
    const session = await merchant.createSession({
      description: 'Two ferns',
      order_id: 'order-1',
      metadata: { secret: 'metadata' },
      accepted_assets: ['USDC_BASE', 'BTC_BITCOIN'],
      line_items: [{ name: 'Fern', quantity: 2, amount: '24.50' }],
    });

    const { status, body, raw } = await app.inject('GET', `/v1/public/checkout/sessions/${session.id}`);

    expect(status).toBe(200);
    expect(body.data).toEqual({
      id: session.id,
      status: 'created',
      amount: '49.00',
      currency: 'USD',
      refunded_amount: '0.00',
      can_retry: false,
      description: 'Two ferns',
      line_items: [{ name: 'Fern', quantity: 2, amount: '24.50' }],
      merchant: { name: null, logo_url: null, support_email: null, support_url: null },
      livemode: false,
      expires_at: session.expires_at,
      server_time: expect.any(String),
      options: [
        {
          asset: 'USDC',
          network: 'base',
          kind: 'direct',
          available: true,
          estimated_amount: '49.000000',
          typical_seconds: expect.any(Number),
        },
        {
          asset: 'BTC',
          network: 'bitcoin',
          kind: 'routed',
          available: true,
          estimated_amount: expect.stringMatching(/^0\.000\d{5}$/),
          typical_seconds: expect.any(Number),
        },
      ],
      payment: null,
    });
    for (const secret of ['order-1', 'metadata', merchant.accountId, merchant.email]) expect(raw).not.toContain(secret);
  });

  test.each([UNKNOWN, 'cs_x', 'nothing'])('an unknown session: 404 (%s)', async (id) => {
    expect((await app.inject('GET', `/v1/public/checkout/sessions/${id}`)).body.error.code).toBe('not_found');
  });
});

describe('POST /v1/public/checkout/sessions/{id}/pay', () => {
  test("asks for an exact amount with a tail below one cent, at the merchant's own wallet", async () => {
    const session = await merchant.createSession();

    const { status, payment } = await pay(session.id, { pay_asset: 'usdc', pay_network: 'BASE' });

    expect(status).toBe('pending');
    expect(payment).toMatchObject({
      asset: 'USDC',
      network: 'base',
      kind: 'direct',
      address: EVM_WALLET,
      amount: expect.stringMatching(/^49\.00\d{4}$/),
      amount_seen: '0.000000',
      amount_received: '0.000000',
      reference: session.reference,
      tag: `0x51544e43${Buffer.from(base58.decode(session.reference)).toString('hex').slice(0, 32)}`,
      confirmations: null,
      tx_hashes: [],
      failure_reason: null,
      quote_expires_at: null,
      refund_address: null,
      identified_by: 'amount',
    });
    expect(payment.amount).not.toBe('49.000000');
    expect(payment.amount_due).toBe(payment.amount);
    expect(payment.uri).toBe(
      `ethereum:0x036CbD53842c5426634e7929541eC2318f3dCF7e@84532/transfer?address=${EVM_WALLET}&uint256=${payment.amount.replace('.', '')}`,
    );
    expect(await merchant.get(`/checkout/sessions/${session.id}`)).toMatchObject({
      status: 'pending',
      payment: expect.stringMatching(/^pay_/),
    });
  });

  test('asking again answers the same amount and makes no second event', async () => {
    const session = await merchant.createSession();
    const first = await pay(session.id, { pay_asset: 'USDC', pay_network: 'base' });

    const second = await pay(session.id, { pay_asset: 'USDC', pay_network: 'base' });

    expect(second.payment).toEqual(first.payment);
    expect((await eventsOf(session.id)).map((event) => event.type)).toEqual(['payment.created', 'payment.pending']);
  });

  test('no two open payments at one wallet are asked for the same amount, asked for at once', async () => {
    const owner = await app.newMerchant();
    const sessions = await Promise.all(Array.from({ length: 12 }, () => owner.createSession()));
    const amounts = await Promise.all(
      sessions.map(
        async (session) => (await pay(session.id, { pay_asset: 'USDC', pay_network: 'base' })).payment.amount,
      ),
    );
    expect(new Set(amounts).size).toBe(12);
  });

  test("a routed payment shows a deposit address, the fee, and joins the session's deposit addresses", async () => {
    const session = await merchant.createSession();

    const { payment } = await pay(session.id, { pay_asset: 'BTC', pay_network: 'bitcoin', refund_address: BITCOIN });

    expect(payment).toMatchObject({
      asset: 'BTC',
      network: 'bitcoin',
      kind: 'routed',
      address: expect.stringMatching(/^tb1q/),
      amount: expect.stringMatching(/^0\.\d{8}$/),
      refund_address: BITCOIN,
      tag: null,
      reference: null,
    });
    expect(payment.uri).toMatch(/^bitcoin:tb1q/);
    const after = await merchant.get(`/checkout/sessions/${session.id}`);
    expect(after.deposit_addresses).toContainEqual({
      asset: 'BTC',
      network: 'bitcoin',
      address: payment.address,
      kind: 'routed',
      reference: null,
    });
    expect(await merchant.get(`/payments/${after.payment}`)).toMatchObject({
      route: 'routed',
      service_fee: '0.74',
      net_settlement: '48.26',
      expected_output: '48.260000',
      pay_asset: 'BTC',
      pay_network: 'bitcoin',
    });
  });

  test('after a part of a deposit the payment address asks for the rest alone', async () => {
    const session = await merchant.createSession();
    const asked = await pay(session.id, { pay_asset: 'BTC', pay_network: 'bitcoin', refund_address: BITCOIN });
    // The address leaves out zeros at the end.
    const amountIn = (uri: string) => Number(/\?amount=([\d.]+)/.exec(uri)?.[1]);
    expect(amountIn(asked.payment.uri)).toBe(Number(asked.payment.amount));
    const short = await app.inject('POST', `/v1/public/checkout/sessions/${session.id}/test`, {
      body: { action: 'underpaid' },
    });
    const { address, amount, amount_due: due, uri } = short.body.data.payment;
    expect(Number(due)).toBeCloseTo(Number(amount) / 2, 6);
    expect(uri).toContain(`bitcoin:${address}?`);
    expect(amountIn(uri)).toBe(Number(due));
  });

  test('the customer may change their mind while nothing was sent, and every earlier amount stays theirs', async () => {
    const session = await merchant.createSession();
    const first = await pay(session.id, { pay_asset: 'USDC', pay_network: 'base' });
    await pay(session.id, { pay_asset: 'BTC', pay_network: 'bitcoin', refund_address: BITCOIN });
    const second = await pay(session.id, { pay_asset: 'USDC', pay_network: 'base' });

    expect(second.payment.kind).toBe('direct');
    expect(second.payment.amount).not.toBe(first.payment.amount);
    expect((await eventsOf(session.id)).map((event) => event.type)).toEqual(['payment.created', 'payment.pending']);
    const reserved = await app.ctx.db.query(
      'test_reserved',
      `select 1 from reserved_amounts where payment_id = $1 and reserved_until is null`,
      [await paymentOf(session.id)],
    );
    expect(reserved).toHaveLength(3);
  });

  test('an asset whose price moves is locked for 15 minutes', async () => {
    const wallet = await merchant.createWallet({ asset: 'ETH', network: 'ethereum' });
    const session = await merchant.createSession({ payout_wallet_id: wallet.id });

    const { payment, server_time: now } = await pay(session.id, { pay_asset: 'ETH', pay_network: 'ethereum' });

    expect(payment.amount).toMatch(/^0\.0196\d{4}0{10}$/);
    expect(payment.tag).toMatch(/^0x51544e43[0-9a-f]{32}$/);
    const lockedForMs = new Date(payment.quote_expires_at).getTime() - new Date(now).getTime();
    expect(lockedForMs).toBeGreaterThan(890_000);
    expect(lockedForMs).toBeLessThanOrEqual(900_000);
  });

  test('dirhams in a dollar coin follow the peg and hold to the end', async () => {
    const session = await merchant.createSession({ amount: '100.00', currency: 'AED' });
    const { payment } = await pay(session.id, { pay_asset: 'USDC', pay_network: 'base' });
    expect(payment.amount).toMatch(/^27\.2[23]\d{4}$/);
    expect(payment.quote_expires_at).toBeNull();
  });

  test("a Solana payment is a Solana Pay address with the session's reference", async () => {
    const wallet = await merchant.createWallet({ asset: 'USDC', network: 'solana', address: SOLANA_WALLET });
    const session = await merchant.createSession({ payout_wallet_id: wallet.id, description: 'Two ferns' });
    const { payment } = await pay(session.id, { pay_asset: 'USDC', pay_network: 'solana' });
    expect(payment).toMatchObject({ reference: session.reference, tag: null });
    const amount = payment.amount.replace(/0+$/, '');
    const token = '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU';
    expect(payment.uri).toBe(
      `solana:${SOLANA_WALLET}?amount=${amount}&spl-token=${token}&reference=${session.reference}&label=Two%20ferns`,
    );
  });

  test.each([
    ['an unknown asset', { pay_asset: 'DOGE', pay_network: 'base' }, 'invalid_route', 'pay_asset'],
    ['an unknown network', { pay_asset: 'USDC', pay_network: 'dogechain' }, 'invalid_route', 'pay_network'],
    ['an asset the session does not accept', { pay_asset: 'TRX', pay_network: 'tron' }, 'invalid_route', 'pay_asset'],
    [
      'a route without a refund address',
      { pay_asset: 'BTC', pay_network: 'bitcoin' },
      'invalid_route',
      'refund_address',
    ],
    [
      'a refund address of another network',
      { pay_asset: 'BTC', pay_network: 'bitcoin', refund_address: EVM_WALLET },
      'invalid_route',
      'refund_address',
    ],
    [
      'a sender that is not an address',
      { pay_asset: 'USDC', pay_network: 'base', sender: 'me' },
      'invalid_route',
      'sender',
    ],
    [
      'a malformed signature',
      { pay_asset: 'USDC', pay_network: 'base', sender_signature: '0x00' },
      'invalid_route',
      'sender',
    ],
    [
      'a wrong signature',
      { pay_asset: 'USDC', pay_network: 'base', sender: CUSTOMER.address, sender_signature: `0x${'11'.repeat(65)}` },
      'invalid_signature',
      'sender_signature',
    ],
    ['no asset at all', { pay_network: 'base' }, 'invalid_route', 'pay_asset'],
  ])('%s: 400', async (_, body, code, param) => {
    const session = await merchant.createSession({ accepted_assets: ['USDC_BASE', 'BTC_BITCOIN'] });
    const { status, body: answer } = await app.inject('POST', `/v1/public/checkout/sessions/${session.id}/pay`, {
      body,
    });
    expect([status, answer.error.code, answer.error.param]).toEqual([400, code, param]);
  });

  test('the wallet of the merchant as the refund address is not the customer’s: 400 invalid_route', async () => {
    const session = await merchant.createSession();
    const choice = { pay_asset: 'ETH', pay_network: 'arbitrum' };
    for (const refund_address of [EVM_WALLET, EVM_WALLET.toLowerCase()])
      await expect(pay(session.id, { ...choice, refund_address })).rejects.toThrow('invalid_route');
    await pay(session.id, { ...choice, refund_address: CUSTOMER.address });
  });

  test('after the end of the window: 400 invalid_payment_state', async () => {
    const own = await app.newMerchant();
    const session = await own.createSession({ expires_in: 60 });
    await own.post('/test_helpers/clock/advance', { seconds: 60 });
    await expect(pay(session.id, { pay_asset: 'USDC', pay_network: 'base' })).rejects.toThrow('invalid_payment_state');
  });

  test('once money is under way the asset cannot be changed: 400 invalid_payment_state', async () => {
    const session = await merchant.createSession();
    await merchant.pay(session.id, 'underpaid');
    await expect(
      pay(session.id, { pay_asset: 'BTC', pay_network: 'bitcoin', refund_address: BITCOIN }),
    ).rejects.toThrow('invalid_payment_state');
    const again = await pay(session.id, { pay_asset: 'USDC', pay_network: 'base' });
    expect(again.payment.amount_due).toMatch(/^24\.(49|50)\d{4}$/);
  });

  test('once a provider has seen a deposit nothing else can be chosen, so that the customer does not pay twice: 400 invalid_payment_state', async () => {
    const session = await merchant.createSession();
    await pay(session.id, { pay_asset: 'BTC', pay_network: 'bitcoin', refund_address: BITCOIN });
    const saw = (state: string, units: number | null) =>
      app.ctx.db.query(
        'test_saw',
        `
      update route_orders o set state = $2, deposited_units = $3::numeric from checkout_sessions s
        where o.payment_id = s.payment_id and s.id = $1`,
        [session.id, state, units],
      );
    for (const state of ['seen', 'converting', 'delivering', 'done']) {
      await saw(state, 81_000);
      await expect(pay(session.id, { pay_asset: 'USDC', pay_network: 'base' })).rejects.toThrow(
        'invalid_payment_state',
      );
      await expect(
        pay(session.id, { pay_asset: 'ETH', pay_network: 'arbitrum', refund_address: CUSTOMER.address }),
      ).rejects.toThrow('invalid_payment_state');
    }
    // An announced deposit is not a deposit yet, and one that is too small is returned.
    for (const [state, units] of [
      ['seen', null],
      ['short', 7],
    ] as const) {
      await saw(state, units);
      expect((await pay(session.id, { pay_asset: 'USDC', pay_network: 'base' })).payment.kind).toBe('direct');
    }
  });

  test.each([
    ['short', 40_000, 'expired'],
    ['seen', 81_000, 'expired'],
    ['converting', 81_000, 'routing'],
    ['returned', 81_000, 'failed'],
    ['returned', 81_000, 'expired'],
    ['stuck', 81_000, 'refund_required'],
  ])('a deposit for an older order of the coin is shown, and not the newer one (%s)', async (state, units, end) => {
    const session = await merchant.createSession();
    const choice = { pay_asset: 'BTC', pay_network: 'bitcoin' };
    const first = await pay(session.id, { ...choice, refund_address: BITCOIN });
    const second = await pay(session.id, { ...choice, refund_address: OTHER_BITCOIN });
    expect(second.payment.address).not.toBe(first.payment.address);
    await app.ctx.db.query(
      'test_deposit',
      'update route_orders set state = $2, deposited_units = $3::numeric where deposit_address = $1',
      [first.payment.address, state, units],
    );
    const shown = async () => (await app.inject('GET', `/v1/public/checkout/sessions/${session.id}`)).body.data.payment;
    const money = { address: first.payment.address, amount_seen: (units / 1e8).toFixed(8) };
    if (state !== 'returned' && state !== 'stuck') expect(await shown()).toMatchObject(money);
    await app.ctx.db.query('test_end', 'update payments set status = $2 where session_id = $1', [session.id, end]);
    const isReturned = state === 'returned' && end === 'expired';
    expect(await shown()).toMatchObject({ ...money, failure_reason: isReturned ? 'route_refunded' : null });
  });

  test('an order without money is not shown in place of a newer one', async () => {
    const session = await merchant.createSession();
    const choice = { pay_asset: 'BTC', pay_network: 'bitcoin' };
    const first = await pay(session.id, { ...choice, refund_address: BITCOIN });
    const second = await pay(session.id, { ...choice, refund_address: OTHER_BITCOIN });
    await app.ctx.db.query('test_dead', "update route_orders set state = 'dead' where deposit_address = $1", [
      first.payment.address,
    ]);
    const { body } = await app.inject('GET', `/v1/public/checkout/sessions/${session.id}`);
    expect(body.data.payment.address).toBe(second.payment.address);
  });

  test('an unknown session: 404', async () => {
    await expect(pay(UNKNOWN, { pay_asset: 'USDC', pay_network: 'base' })).rejects.toThrow('not_found');
  });

  test('a live session can be chosen for too, and its routes only where there is a provider: 503', async () => {
    const session = await merchant.live.createSession();
    expect((await pay(session.id, { pay_asset: 'USDC', pay_network: 'base' })).payment.kind).toBe('direct');
    await expect(
      pay(session.id, { pay_asset: 'BTC', pay_network: 'bitcoin', refund_address: BITCOIN }),
    ).rejects.toThrow('service_unavailable');
  });
});

async function pay(id: string, body: unknown): Promise<any> {
  const answer = await app.inject('POST', `/v1/public/checkout/sessions/${id}/pay`, { body });
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.body.error.code}`);
  return answer.body.data;
}

function paymentOf(sessionId: string): Promise<string> {
  return paymentOfSession(app.ctx.db, sessionId);
}

async function eventsOf(sessionId: string): Promise<{ type: string }[]> {
  return app.ctx.db.query<{ type: string }>(
    'test_events_of',
    'select type from events where object_id = $1 order by sequence',
    [await paymentOf(sessionId)],
  );
}
