import { PAY_ASSETS } from '@quittance/contract';
import { base58 } from '@scure/base';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp } from '../../support/index.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

const ALL_ASSETS = PAY_ASSETS.map((entry) => entry.key);

describe('POST /v1/checkout/sessions answers 201', () => {
  test('with every field of a session, those left out at their defaults', async () => {
    const merchant = await app.newMerchant();
    const wallet = await merchant.createWallet();

    const answer = await merchant.request('POST', '/checkout/sessions', { body: { amount: '49' } });

    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      data: {
        id: expect.stringMatching(/^cs_[0-9A-Za-z]{24}$/),
        object: 'checkout_session',
        livemode: false,
        status: 'created',
        amount: '49.00',
        currency: 'USD',
        payout_wallet_id: wallet.id,
        payment_link_id: null,
        retry_of: null,
        order_id: null,
        description: null,
        metadata: {},
        customer: null,
        line_items: null,
        accepted_assets: ALL_ASSETS,
        reference: expect.any(String),
        deposit_addresses: [
          {
            asset: 'USDC',
            network: 'base',
            address: wallet.address,
            kind: 'direct',
            reference: answer.body.data.reference,
          },
        ],
        checkout_url: `${app.config.publicUrl}/checkout/${answer.body.data.id}`,
        machine_url: `${app.config.publicUrl}/checkout/${answer.body.data.id}/pay`,
        payment: null,
        success_url: null,
        cancel_url: null,
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        expires_at: expect.any(String),
      },
      request_id: answer.headers['request-id'],
    });
    expect(base58.decode(answer.body.data.reference)).toHaveLength(32);
    expect(Date.parse(answer.body.data.expires_at) - Date.parse(answer.body.data.created_at)).toBe(3_600_000);
  });

  test('echoing everything that was sent, and reading it says the same', async () => {
    const merchant = await app.newMerchant();
    const wallet = await merchant.createWallet();
    const sent = {
      payout_wallet_id: wallet.id,
      amount: '120.5',
      currency: 'AED',
      order_id: 'order "42" \\ 🌿',
      description: 'Zwei Farne\nund ein Topf — 100 %',
      metadata: { zebra: '1', ape: '', 'with space': 'ü', longer_key: '"quoted" {json}' },
      line_items: [
        { name: 'Fern', quantity: 2, amount: '60' },
        { name: 'Discount', quantity: 1, amount: '-0.5' },
      ],
      accepted_assets: ['usdc_base', 'ETH_ETHEREUM'],
      accepted_assets_mode: 'custom',
      expires_in: 60,
      success_url: 'https://shop.example.com/thanks?session={CHECKOUT_SESSION_ID}',
      cancel_url: 'http://localhost:8080/cart',
    };

    const session = await merchant.createSession(sent);

    const { accepted_assets_mode: _mode, expires_in: _seconds, ...echoed } = sent;
    expect(session).toMatchObject({
      ...echoed,
      amount: '120.50',
      accepted_assets: ['USDC_BASE', 'ETH_ETHEREUM'],
      line_items: [
        { name: 'Fern', quantity: 2, amount: '60.00' },
        { name: 'Discount', quantity: 1, amount: '-0.50' },
      ],
    });
    expect(await merchant.get(`/checkout/sessions/${session.id}`)).toEqual(session);
  });

  test('with line items whose unit prices add up to the amount, and old bodies without unit prices', async () => {
    const merchant = await app.newMerchant();
    await merchant.createWallet();
    const priced = [
      { name: 'Fern', quantity: 2, unit_amount: '24.5', amount: '49' },
      { name: 'Shipping', quantity: 1, amount: '5.00' },
      { name: 'Coupon', quantity: 2, unit_amount: '-2', amount: '-4.00' },
    ];
    const session = await merchant.createSession({ amount: '50', line_items: priced });
    expect(session.line_items).toEqual([
      { name: 'Fern', quantity: 2, unit_amount: '24.50', amount: '49.00' },
      { name: 'Shipping', quantity: 1, amount: '5.00' },
      { name: 'Coupon', quantity: 2, unit_amount: '-2.00', amount: '-4.00' },
    ]);
    expect(await merchant.get(`/checkout/sessions/${session.id}`)).toEqual(session);

    const refused = await merchant.request('POST', '/checkout/sessions', {
      body: { amount: '49', line_items: priced },
    });
    expect([refused.status, refused.body.error.param]).toEqual([400, 'line_items']);
    expect(refused.body.error.message).toContain('add up to 50.00, but `amount` is 49.00');

    const old = [{ name: 'Fern', quantity: 2, amount: '24.50' }];
    expect((await merchant.createSession({ amount: '49', line_items: old })).line_items).toEqual(old);
  });

  test('in the default wallet where none is named, and in the new default once that has changed', async () => {
    const merchant = await app.newMerchant();
    const first = await merchant.createWallet();
    const second = await merchant.createWallet({ network: 'ethereum' });
    expect(await merchant.createSession({ payout_wallet_id: undefined })).toMatchObject({ payout_wallet_id: first.id });

    await merchant.dashboard.post(`/payout-wallets/${second.id}/default`);
    expect(await merchant.createSession({ payout_wallet_id: undefined })).toMatchObject({
      payout_wallet_id: second.id,
    });
  });

  test('whatever raw address is in the request, settling to the saved wallet', async () => {
    const merchant = await app.newMerchant();
    const wallet = await merchant.createWallet();
    const session = await merchant.createSession({
      payout_address: '0x000000000000000000000000000000000000dEaD',
      receive_address: '0x1',
      address: '0x2',
      id: 'cs_mine',
      status: 'paid',
      livemode: true,
    });
    expect(session.deposit_addresses.map((target: { address: string }) => target.address)).toEqual([wallet.address]);
    expect(session).toMatchObject({ status: 'created', livemode: false });
  });

  test.each<[object, string[]]>([
    [{ accepted_assets: ['USDC_BASE'] }, ['USDC_BASE']],
    [{ accepted_assets: ['usdt_tron', 'USDT_TRON', 'Btc_Bitcoin', 'usdt_tron'] }, ['USDT_TRON', 'BTC_BITCOIN']],
    [{ accepted_assets: ['BNB_BNB', 'POL_POLYGON'], accepted_assets_mode: 'custom' }, ['BNB_BNB', 'POL_POLYGON']],
    [{ accepted_assets_mode: 'all_supported' }, ALL_ASSETS],
    [{ accepted_assets: ['BNB_BNB'], accepted_assets_mode: 'all_supported' }, ALL_ASSETS],
    [{}, ALL_ASSETS],
  ])('with %j, accepting each of them once, in its canonical spelling', async (fields, accepted) => {
    expect((await app.merchant.createSession(fields)).accepted_assets).toEqual(accepted);
  });

  test('without deposit addresses where the accepted assets leave out the payout asset', async () => {
    expect((await app.merchant.createSession({ accepted_assets: ['BTC_BITCOIN'] })).deposit_addresses).toEqual([]);
  });

  test.each([
    ['0.01', '0.01'],
    ['1', '1.00'],
    ['1.1', '1.10'],
    ['0.5', '0.50'],
    ['999999999.99', '999999999.99'],
    ['999999999', '999999999.00'],
  ])('with the amount %s as %s', async (amount, answered) => {
    expect((await app.merchant.createSession({ amount })).amount).toBe(answered);
  });

  test.each([60, 61, 86_400, 2_592_000])('with an expiry after %s seconds', async (expiresIn) => {
    const session = await app.merchant.createSession({ expires_in: expiresIn });
    expect(Date.parse(session.expires_at) - Date.parse(session.created_at)).toBe(expiresIn * 1_000);
  });

  test('with texts of exactly the greatest length', async () => {
    const metadata = Object.fromEntries(
      Array.from({ length: 50 }, (_, at) => [`${at}`.padEnd(40, 'k'), '🌿'.repeat(500)]),
    );
    const fields = {
      order_id: 'o'.repeat(200),
      description: 'd'.repeat(500),
      metadata,
      line_items: Array.from({ length: 100 }, (_, at) => ({
        name: 'n'.repeat(250),
        quantity: at + 1,
        amount: '999999999.99',
      })),
      success_url: `https://shop.example.com/${'p'.repeat(2048 - 25)}`,
    };
    expect(await app.merchant.createSession(fields)).toMatchObject(fields);
  });

  test('in live mode as well, the two modes being worlds of their own', async () => {
    const merchant = await app.newMerchant();
    const session = await merchant.live.createSession();
    expect(session.livemode).toBe(true);
    expect((await merchant.test.request('GET', `/checkout/sessions/${session.id}`)).status).toBe(404);
    expect((await merchant.live.request('GET', `/checkout/sessions/${session.id}`)).status).toBe(200);
  });

  test('with a login token too', async () => {
    expect((await app.merchant.dashboard.createSession()).status).toBe('created');
  });

  test('with a reference of its own, and of its own first half, for every session', async () => {
    const sessions = await Promise.all(Array.from({ length: 50 }, () => app.merchant.createSession()));
    const tags = sessions.map((session) =>
      Buffer.from(base58.decode(session.reference).subarray(0, 16)).toString('hex'),
    );
    expect(new Set(tags).size).toBe(50);
  });
});

describe('with a session', () => {
  test('its payment exists under a reserved id, shown by the event but not yet by the session', async () => {
    const merchant = await app.newMerchant();
    const session = await merchant.createSession({ order_id: 'o-1', metadata: { a: 'b' }, amount: '49' });
    const event = await firstEvent(session.id);

    const payment = await merchant.get(`/payments/${event.data.id}`);
    expect(payment).toMatchObject({
      session: session.id,
      status: 'created',
      route: 'direct',
      amount: '49.00',
      currency: 'USD',
      sequence: 1,
      livemode: false,
      pay_asset: 'USDC',
      pay_network: 'base',
      receive_asset: 'USDC',
      receive_network: 'base',
      receive_address: session.deposit_addresses[0].address,
      service_fee: '0.00',
      net_settlement: '49.00',
      expected_output: null,
      actual_output: null,
      tx_hashes: [],
      failure_reason: null,
      refund: null,
      order_id: 'o-1',
      metadata: { a: 'b' },
      reference: session.reference,
      payout_wallet_id: session.payout_wallet_id,
      payment_link_id: null,
      created_at: session.created_at,
    });
    expect((await merchant.get(`/checkout/sessions/${session.id}`)).payment).toBe(null);
    expect(event).toEqual({
      id: expect.stringMatching(/^evt_[0-9A-Za-z]{24}$/),
      type: 'payment.created',
      created: session.created_at,
      data: { ...payment, tx_hash: null },
    });
  });

  test('each live endpoint that subscribed gets one delivery, due at once; others none', async () => {
    const merchant = await app.newMerchant();
    const subscribed = [
      await merchant.createEndpoint(),
      await merchant.createEndpoint({ events: ['payment.created'] }),
    ];
    await merchant.createEndpoint({ events: ['payment.paid'] });
    const deleted = await merchant.createEndpoint();
    await merchant.delete(`/webhook-endpoints/${deleted.id}`);
    await merchant.live.createEndpoint();
    await (await app.newMerchant()).createEndpoint();

    const session = await merchant.createSession();

    const deliveries = await app.ctx.db.query<{
      endpointId: string;
      state: string;
      attempts: number;
      isDue: boolean;
    }>(
      'test_deliveries',
      `
      select d.endpoint_id, d.state, d.attempts, d.due_at <= d.recorded_at as is_due
        from deliveries d join events e on e.id = d.event_id join payments p on p.id = e.object_id
       where p.session_id = $1`,
      [session.id],
    );
    expect(deliveries.map((delivery) => delivery.endpointId).sort()).toEqual(
      subscribed.map((endpoint) => endpoint.id).sort(),
    );
    for (const delivery of deliveries) expect(delivery).toMatchObject({ state: 'pending', attempts: 0, isDue: true });
  });

  test('the record of states begins', async () => {
    const session = await app.merchant.createSession();
    expect(
      await app.ctx.db.query(
        'test_states',
        `
      select st.sequence, st.status from payment_states st join payments p on p.id = st.payment_id where p.session_id = $1`,
        [session.id],
      ),
    ).toEqual([{ sequence: 1, status: 'created' }]);
  });
});

async function firstEvent(sessionId: string) {
  const [row] = await app.ctx.db.query<{ body: Buffer }>(
    'test_first_event',
    `
    select e.body from events e join payments p on p.id = e.object_id where p.session_id = $1`,
    [sessionId],
  );
  return JSON.parse(String(row?.body));
}
