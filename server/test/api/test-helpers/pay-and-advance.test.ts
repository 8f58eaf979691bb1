import { ed25519 } from '@noble/curves/ed25519.js';
import { RECEIVE_ASSETS } from '@quittance/contract';
import { base58 } from '@scure/base';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findEndedPayments } from '../../../src/resources/test-helpers/store.ts';
import { findDue } from '../../../src/settlement/outcome/expiry-store.ts';
import { paymentOfSession } from '../../support/payments.ts';
import { startApp, type Merchant, type TestApp } from '../../support/index.ts';

let app: TestApp;
let merchant: Merchant;

beforeAll(async () => {
  app = await startApp();
  merchant = app.merchant;
});
afterAll(() => app.stop());

const SOLANA_WALLET = base58.encode(ed25519.getPublicKey(new Uint8Array(32).fill(7)));
const EVM_WALLET = '0x52908400098527886E0F7030069857D2E4169EE7';
const DIRECT = { pay_asset: 'USDC', pay_network: 'base' };
const ROUTED = { pay_asset: 'BTC', pay_network: 'bitcoin' };

test('the test helpers answer at paths with hyphens too', async () => {
  const session = await merchant.createSession();
  const paid = await merchant.post(`/test-helpers/checkout/sessions/${session.id}/pay`, { ...DIRECT, outcome: 'paid' });
  expect(paid.status).toBe('paid');
  expect(await merchant.post('/test-helpers/clock/advance', { seconds: 1 })).toHaveProperty('now');
});

describe('POST /v1/test_helpers/checkout/sessions/{id}/pay', () => {
  test.each([
    ['paid', 'paid', null, ['created', 'pending', 'paid']],
    ['overpaid', 'paid', null, ['created', 'pending', 'paid']],
    ['underpaid', 'pending', null, ['created', 'pending']],
    ['late', 'refund_required', 'paid_late', ['created', 'pending', 'expired', 'refund_required']],
    ['failed', 'failed', 'transaction_reverted', ['created', 'pending', 'failed']],
    ['refund_required', 'refund_required', 'underpaid', ['created', 'pending', 'refund_required']],
  ])('a direct payment ends %s', async (outcome, status, reason, walk) => {
    const session = await merchant.createSession();

    const paid = await merchant.post(`/test_helpers/checkout/sessions/${session.id}/pay`, { ...DIRECT, outcome });

    expect(paid).toMatchObject({ id: session.id, status, payment: expect.stringMatching(/^pay_/) });
    const payment = await merchant.get(`/payments/${paid.payment}`);
    expect(payment).toMatchObject({
      status,
      failure_reason: reason,
      route: 'direct',
      service_fee: '0.00',
      net_settlement: '49.00',
      expected_output: '49.000000',
    });
    expect(await statusesOf(paid.payment)).toEqual(walk);
  });

  test('a direct payment that was sent and is unconfirmed is paid by what was sent', async () => {
    const session = await merchant.createSession();
    const path = `/v1/public/checkout/sessions/${session.id}`;
    await app.inject('POST', `${path}/pay`, { body: DIRECT });
    for (const action of ['unconfirmed', 'paid']) await app.inject('POST', `${path}/test`, { body: { action } });
    const { status, payment: id } = await merchant.get(`/checkout/sessions/${session.id}`);
    expect(status).toBe('paid');
    const { data: transfers } = await merchant.get('/transfers');
    expect(transfers.filter((one: { amount: string }) => Number(one.amount) < 0.01)).toEqual([]);
    expect((await merchant.get(`/payments/${id}`)).tx_hashes).toHaveLength(1);
  });

  test.each([
    ['paid', 'paid', null, ['created', 'pending', 'routing', 'settling', 'paid']],
    ['overpaid', 'paid', null, ['created', 'pending', 'routing', 'settling', 'paid']],
    ['underpaid', 'pending', null, ['created', 'pending']],
    ['late', 'refund_required', 'paid_late', ['created', 'pending', 'expired', 'refund_required']],
    ['failed', 'failed', 'route_refunded', ['created', 'pending', 'routing', 'failed']],
    ['refund_required', 'refund_required', 'route_failed', ['created', 'pending', 'routing', 'refund_required']],
  ])('a routed payment ends %s', async (outcome, status, reason, walk) => {
    const session = await merchant.createSession();

    const paid = await merchant.post(`/test_helpers/checkout/sessions/${session.id}/pay`, { ...ROUTED, outcome });

    expect(paid).toMatchObject({ status });
    const payment = await merchant.get(`/payments/${paid.payment}`);
    expect(payment).toMatchObject({
      status,
      failure_reason: reason,
      route: 'routed',
      pay_asset: 'BTC',
      service_fee: '0.74',
      net_settlement: '48.26',
      expected_output: '48.260000',
    });
    expect(await statusesOf(paid.payment)).toEqual(walk);
  });

  test('an overpaid route shows at the checkout; the wallet receives the agreed amount, the provider returns the rest', async () => {
    const session = await merchant.createSession();
    const { payment: id } = await merchant.post(`/test_helpers/checkout/sessions/${session.id}/pay`, {
      ...ROUTED,
      outcome: 'overpaid',
    });
    const { payment } = (await app.inject('GET', `/v1/public/checkout/sessions/${session.id}`)).body.data;
    expect(Number(payment.amount_received) / Number(payment.amount)).toBeCloseTo(1.1, 3);
    expect((await merchant.get(`/payments/${id}`)).actual_output).toMatch(/^48\.26\d{4}$/);
  });

  test('the paid amount is what the wallet received', async () => {
    const session = await merchant.createSession();
    const { payment: id } = await merchant.post(`/test_helpers/checkout/sessions/${session.id}/pay`, {
      ...DIRECT,
      outcome: 'paid',
    });

    const payment = await merchant.get(`/payments/${id}`);

    expect(payment.actual_output).toMatch(/^49\.00[0-9]{4}$/);
    expect(payment.tx_hashes).toEqual([expect.stringMatching(/^0x[0-9a-f]{64}$/)]);
  });

  test('a short payment can be completed', async () => {
    const session = await merchant.createSession();
    await merchant.post(`/test_helpers/checkout/sessions/${session.id}/pay`, { ...DIRECT, outcome: 'underpaid' });

    const completed = await merchant.post(`/test_helpers/checkout/sessions/${session.id}/pay`, {
      ...DIRECT,
      outcome: 'paid',
    });

    expect(completed.status).toBe('paid');
    expect((await merchant.get(`/payments/${completed.payment}`)).tx_hashes).toHaveLength(2);
  });

  test('every receive asset can be paid directly and through a route', async () => {
    for (const [asset, network, address] of [
      ['ETH', 'ethereum', EVM_WALLET],
      ['USDT', 'ethereum', EVM_WALLET],
      ['SOL', 'solana', SOLANA_WALLET],
      ['USDC', 'solana', SOLANA_WALLET],
    ]) {
      const wallet = await merchant.createWallet({ asset, network, address });
      for (const pay of [
        { pay_asset: asset, pay_network: network },
        { pay_asset: 'TRX', pay_network: 'tron' },
      ]) {
        const session = await merchant.createSession({ payout_wallet_id: wallet.id, currency: 'EUR' });
        const paid = await merchant.post(`/test_helpers/checkout/sessions/${session.id}/pay`, {
          ...pay,
          outcome: 'paid',
        });
        expect(paid.status, `${asset} on ${network} with ${pay.pay_asset}`).toBe('paid');
      }
    }
  });

  test.each(['USD', 'EUR', 'AED'])(
    'money that cannot be used needs a refund however small the amount is, into every receive asset: %s',
    async (currency) => {
      for (const key of RECEIVE_ASSETS.map((asset) => asset.key)) {
        const [asset, network] = key.split('_').map((part, place) => (place === 0 ? part : part.toLowerCase()));
        const wallet = await merchant.createWallet({
          asset,
          network,
          address: network === 'solana' ? SOLANA_WALLET : EVM_WALLET,
        });
        for (const amount of ['0.01', '0.02', '0.03', '1.01']) {
          const session = await merchant.createSession({ payout_wallet_id: wallet.id, currency, amount });
          const refused = await merchant.post(`/test_helpers/checkout/sessions/${session.id}/pay`, {
            pay_asset: asset,
            pay_network: network,
            outcome: 'refund_required',
          });
          expect(refused.status, `${amount} ${currency} in ${key}`).toBe('refund_required');
          expect(await merchant.get(`/payments/${refused.payment}`)).toMatchObject({
            failure_reason: amount === '0.01' ? 'paid_late' : 'underpaid',
          });
        }
        const routed = await merchant.createSession({ payout_wallet_id: wallet.id, currency, amount: '0.01' });
        const stuck = await merchant.post(`/test_helpers/checkout/sessions/${routed.id}/pay`, {
          ...ROUTED,
          outcome: 'refund_required',
        });
        expect(stuck.status, `0.01 ${currency} through a route in ${key}`).toBe('refund_required');
      }
    },
  );

  test.each(['USD', 'EUR', 'AED'])(
    'a part payment of the smallest amount that has parts is seen and waits for the rest: %s',
    async (currency) => {
      const session = await merchant.createSession({ currency, amount: '0.02' });
      const { status } = await merchant.post(`/test_helpers/checkout/sessions/${session.id}/pay`, {
        ...DIRECT,
        outcome: 'underpaid',
      });
      const { payment } = (await app.inject('GET', `/v1/public/checkout/sessions/${session.id}`)).body.data;
      expect([status, Number(payment.amount_seen) > 0]).toEqual(['pending', true]);
    },
  );

  test('a part payment never has an amount that another checkout reserves', async () => {
    const other = await merchant.createSession();
    // Half of 0.02 dirhams.
    await app.ctx.db.query(
      'test_take_half',
      `
      insert into reserved_amounts (livemode, network, address, asset, amount_units, payment_id, purpose, taken_at)
      select false, receive_network, receive_address, receive_asset, 2723, payment_id, 'target', created_at
        from checkout_sessions where id = $1`,
      [other.id],
    );
    const session = await merchant.createSession({ currency: 'AED', amount: '0.02' });
    expect(
      (
        await merchant.post(`/test_helpers/checkout/sessions/${session.id}/pay`, {
          ...DIRECT,
          outcome: 'refund_required',
        })
      ).status,
    ).toBe('refund_required');
    expect((await merchant.get(`/checkout/sessions/${other.id}`)).status).toBe('created');
  });

  test('half of a small amount stays half where only a tail above it is free', async () => {
    const session = await merchant.createSession({ amount: '0.02' });
    // The rest is above the amount by nearly five cents, the maximum of a suffix.
    await app.ctx.db.query(
      'test_tails_used_up',
      `
      insert into reserved_amounts (livemode, network, address, asset, amount_units, payment_id, purpose, taken_at)
      select false, s.receive_network, s.receive_address, s.receive_asset, tail, s.payment_id, 'target', s.created_at
        from checkout_sessions s, generate_series(20001, 69000) tail where s.id = $1 on conflict do nothing`,
      [session.id],
    );
    const { status } = await merchant.post(`/test_helpers/checkout/sessions/${session.id}/pay`, {
      ...DIRECT,
      outcome: 'underpaid',
    });
    const { payment } = (await app.inject('GET', `/v1/public/checkout/sessions/${session.id}`)).body.data;
    expect([status, payment.amount, payment.amount_seen]).toEqual([
      'pending',
      expect.stringMatching(/^0\.069\d{3}$/),
      '0.010000',
    ]);
    await app.ctx.db.query(
      'test_tails_free',
      `delete from reserved_amounts r using checkout_sessions s where s.id = $1 and r.payment_id = s.payment_id and amount_units <= 69000`,
      [session.id],
    );
  });

  test('a paid session cannot be paid again: 400 invalid_payment_state', async () => {
    const session = await merchant.createSession();
    await merchant.post(`/test_helpers/checkout/sessions/${session.id}/pay`, { ...DIRECT, outcome: 'paid' });
    await expect(
      merchant.post(`/test_helpers/checkout/sessions/${session.id}/pay`, { ...DIRECT, outcome: 'paid' }),
    ).rejects.toMatchObject({ status: 400, code: 'invalid_payment_state' });
  });

  test('an asset that the session does not accept: 400 invalid_route', async () => {
    const session = await merchant.createSession({ accepted_assets: ['USDC_BASE'] });
    await expect(
      merchant.post(`/test_helpers/checkout/sessions/${session.id}/pay`, { ...ROUTED, outcome: 'paid' }),
    ).rejects.toMatchObject({ status: 400, code: 'invalid_route', param: 'pay_asset' });
  });

  test('live mode has no test helpers: 404', async () => {
    const session = await merchant.live.createSession();
    await expect(
      merchant.live.post(`/test_helpers/checkout/sessions/${session.id}/pay`, { ...DIRECT, outcome: 'paid' }),
    ).rejects.toMatchObject({ status: 404, code: 'not_found', message: expect.stringContaining('in test mode only') });
    await expect(merchant.live.post('/test_helpers/clock/advance', { seconds: 60 })).rejects.toMatchObject({
      status: 404,
      code: 'not_found',
      message: expect.stringContaining('in test mode only'),
    });
  });
});

describe('POST /v1/test_helpers/clock/advance', () => {
  test("sessions expire by the account's clock, and no other account's do", async () => {
    const one = await app.newMerchant();
    const other = await app.newMerchant();
    const [own, foreign] = [await one.createSession({ expires_in: 60 }), await other.createSession({ expires_in: 60 })];

    const { now } = await one.post('/test_helpers/clock/advance', { seconds: 61 });

    expect(new Date(now).getTime()).toBeGreaterThan(new Date(own.expires_at).getTime());
    expect(await one.get(`/checkout/sessions/${own.id}`)).toMatchObject({ status: 'expired', payment: null });
    expect(await other.get(`/checkout/sessions/${foreign.id}`)).toMatchObject({ status: 'created' });
    expect((await one.createSession()).created_at > now).toBe(true);
  });

  test.each([
    ['underpaid', DIRECT, 'refund_required', 'underpaid'],
    ['underpaid', ROUTED, 'failed', 'route_refunded'],
  ])('a session that was %s with %j is %s once the time is over', async (outcome, pay, status, reason) => {
    const own = await app.newMerchant();
    const session = await own.createSession({ expires_in: 60 });
    const { payment } = await own.post(`/test_helpers/checkout/sessions/${session.id}/pay`, { ...pay, outcome });

    await own.post('/test_helpers/clock/advance', { seconds: 61 });

    expect(await own.get(`/payments/${payment}`)).toMatchObject({ status, failure_reason: reason });
    const html = (await app.inject('GET', `/checkout/${session.id}`)).raw.split('page-state')[0];
    expect(html).toContain(
      status === 'failed' ? 'You sent too little to convert, so your ' : 'You sent less than the order total',
    );
  });

  test('moves at the same moment each answer the time after their own', async () => {
    const own = await app.newMerchant();
    const answers = await Promise.all(
      [10, 10, 10].map((seconds) => own.post('/test_helpers/clock/advance', { seconds })),
    );
    const seconds = answers.map(({ now }) => (new Date(now).getTime() - Date.now()) / 1000).sort((a, b) => a - b);
    expect(seconds.map((ahead) => Math.round(ahead / 10) * 10)).toEqual([10, 20, 30]);
  });

  test('the clock stays within ten years of real time, and a refused move changes nothing', async () => {
    const own = await app.newMerchant();
    const move = (days: number) => own.post('/test_helpers/clock/advance', { seconds: days * 86_400 });
    for (let year = 1; year <= 10; year += 1) await move(366);
    const refusal = { status: 400, code: 'invalid_request', param: 'seconds', message: /10 years/ };
    await expect(move(366)).rejects.toMatchObject({ ...refusal, message: expect.stringMatching(refusal.message) });
    await expect(own.post('/test_helpers/clock/advance', { seconds: 1 })).rejects.toMatchObject({ param: 'seconds' });

    expect((await own.get('/account')).test_clock.offset_seconds).toBe(3_660 * 86_400);
    expect((await own.createSession()).created_at).toMatch(/^\d{4}-/);
    await expect(
      app.ctx.db.query('test_far_ahead', 'update accounts set test_clock_offset_ms = 316224000001 where id = $1', [
        own.accountId,
      ]),
    ).rejects.toMatchObject({ code: '23514' });
  });

  test('a session that has expired can still be paid late', async () => {
    const own = await app.newMerchant();
    const session = await own.createSession({ expires_in: 60 });
    await own.post('/test_helpers/clock/advance', { seconds: 61 });

    const late = await own.post(`/test_helpers/checkout/sessions/${session.id}/pay`, { ...DIRECT, outcome: 'late' });

    expect(late).toMatchObject({ status: 'refund_required' });
    expect(await own.get(`/payments/${late.payment}`)).toMatchObject({ failure_reason: 'paid_late' });
  });
});

async function statusesOf(paymentId: string): Promise<string[]> {
  const rows = await app.ctx.db.query<{ type: string; sequence: number }>(
    'test_statuses',
    'select type, sequence from events where object_id = $1 order by sequence',
    [paymentId],
  );
  expect(rows.map((row) => row.sequence)).toEqual(rows.map((_, index) => index + 1));
  return rows.map((row) => row.type.replace('payment.', ''));
}

test('a payment that a conversion holds open is looked at by no turn of the expiry, and delays none when the clock moves', async () => {
  const own = await app.newMerchant();
  const { id } = await own.createSession({ expires_in: 600 });
  const body = { ...ROUTED, refund_address: 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq' };
  await app.inject('POST', `/v1/public/checkout/sessions/${id}/pay`, { body });
  await app.inject('POST', `/v1/public/checkout/sessions/${id}/test`, { body: { action: 'unconfirmed' } });
  await own.post('/test_helpers/clock/advance', { seconds: 601 });
  const payment = await paymentOfSession(app.ctx.db, id);
  expect((await own.get(`/payments/${payment}`)).status).toBe('pending');
  const due = await findDue(app.ctx.db, { now: await app.ctx.db.now(), left: [], covered: new Map() });
  expect(due.map((one) => one.id)).not.toContain(payment);
  const later = new Date(Date.now() + 700_000);
  expect(await findEndedPayments(app.ctx.db, own.accountId, later, 50)).toEqual([]);
});
