import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type Merchant, type TestApp } from '../../support/index.ts';

const SOLANA_WALLET = 'GmaDrppBC7P5ARKV8g3djiwP89vz1jLK23V2GBjuAEGB';

let app: TestApp;
let merchant: Merchant;

beforeAll(async () => {
  app = await startApp();
  merchant = app.merchant;
});
afterAll(() => app.stop());

describe('POST /v1/public/checkout/sessions/{id}/transactions', () => {
  test('a well-formed hash is answered 202, whatever comes of it', async () => {
    const session = await merchant.createSession();
    const { status, body } = await app.inject('POST', `/v1/public/checkout/sessions/${session.id}/transactions`, {
      body: { tx_hash: `0x${'ab'.repeat(32)}` },
    });
    expect([status, body.data]).toEqual([202, { accepted: true }]);
  });

  test('the page says also after a reload, and after its end, that a transaction is looked for', async () => {
    const { id } = await merchant.createSession();
    const body = { pay_asset: 'USDC', pay_network: 'base' };
    expect((await app.inject('POST', `/v1/public/checkout/sessions/${id}/pay`, { body })).status).toBe(200);
    const says = async () => {
      const { raw } = await app.inject('GET', `/checkout/${id}`);
      return raw.split('type="application/json"')[0]?.match(/looking for it|keep looking|Try again/g) ?? [];
    };
    expect(await says()).not.toContain('looking for it');
    await app.inject('POST', `/v1/public/checkout/sessions/${id}/transactions`, {
      body: { tx_hash: `0x${'cd'.repeat(32)}` },
    });
    await expect.poll(says).toContain('looking for it');
    await app.inject('POST', `/v1/public/checkout/sessions/${id}/test`, { body: { action: 'expire' } });
    // Before the button that begins again.
    await expect.poll(says).toEqual(['keep looking', 'Try again']);
  });

  test.each([['0x12'], ['ab'.repeat(32)], [SOLANA_WALLET]])(
    'a malformed hash: 400 invalid_request (%s)',
    async (hash) => {
      const session = await merchant.createSession();
      const { status, body } = await app.inject('POST', `/v1/public/checkout/sessions/${session.id}/transactions`, {
        body: { tx_hash: hash },
      });
      expect([status, body.error.code, body.error.param]).toEqual([400, 'invalid_request', 'tx_hash']);
    },
  );
});

describe('POST /v1/public/payment-links/{id}/open', () => {
  test('opens a session of its own each time', async () => {
    const link = await merchant.createLink();
    const [one, two] = [
      await app.inject('POST', `/v1/public/payment-links/${link.id}/open`),
      await app.inject('POST', `/v1/public/payment-links/${link.id}/open`),
    ];
    expect([one.status, two.status]).toEqual([201, 201]);
    expect(one.body.data.id).not.toBe(two.body.data.id);
    expect(one.body.data).toMatchObject({ status: 'created', amount: '49.00', payment: null });
  });

  test('the same Idempotency-Key opens the same session', async () => {
    const link = await merchant.createLink();
    const open = () =>
      app.inject('POST', `/v1/public/payment-links/${link.id}/open`, { headers: { 'idempotency-key': 'visit-1' } });
    expect((await open()).raw).toBe((await open()).raw);
  });

  test('a disabled link: 409 link_disabled', async () => {
    const link = await merchant.createLink();
    await merchant.post(`/payment-links/${link.id}/disable`);
    const { status, body } = await app.inject('POST', `/v1/public/payment-links/${link.id}/open`);
    expect([status, body.error.code]).toEqual([409, 'link_disabled']);
  });

  test('a link counts what was paid through it, once', async () => {
    const link = await merchant.createLink();
    const { body } = await app.inject('POST', `/v1/public/payment-links/${link.id}/open`);
    await merchant.pay(body.data.id);
    expect((await merchant.get(`/payment-links/${link.id}`)).payments).toBe(1);
  });
});

describe('POST /v1/public/checkout/sessions/{id}/test', () => {
  test('acts on a test session and answers what became of it', async () => {
    const session = await merchant.createSession();
    const act = async (action: string) =>
      (await app.inject('POST', `/v1/public/checkout/sessions/${session.id}/test`, { body: { action } })).body.data;
    expect((await act('underpaid')).payment).toMatchObject({
      amount_received: expect.stringMatching(/^24\.5/),
      confirmations: 2,
    });
    expect((await act('paid')).status).toBe('paid');
  });

  test('pays in an accepted asset where the payout asset is not among them', async () => {
    const session = await merchant.createSession({ accepted_assets: ['BTC_BITCOIN'] });
    const { body } = await app.inject('POST', `/v1/public/checkout/sessions/${session.id}/test`, {
      body: { action: 'paid' },
    });
    expect(body.data).toMatchObject({ status: 'paid', payment: { asset: 'BTC', network: 'bitcoin', kind: 'routed' } });
  });

  test('`expire` ends the session it is asked of', async () => {
    const session = await merchant.createSession();
    const { body } = await app.inject('POST', `/v1/public/checkout/sessions/${session.id}/test`, {
      body: { action: 'expire' },
    });
    expect(body.data.status).toBe('expired');
  });

  test('`unconfirmed` sends the whole amount, which waits for blocks', async () => {
    const session = await merchant.createSession();
    const act = async (action: string) =>
      (await app.inject('POST', `/v1/public/checkout/sessions/${session.id}/test`, { body: { action } })).body.data;
    expect(await act('unconfirmed')).toMatchObject({
      status: 'pending',
      payment: { amount_seen: expect.stringMatching(/^49\./), amount_received: '0.000000', confirmations: 1 },
    });
    expect((await act('add_block')).status).toBe('paid');
  });

  test.each(['paid', 'underpaid', 'unconfirmed'])(
    'keeps the refund address that its customer entered (%s)',
    async (action) => {
      const session = await merchant.createSession();
      const own = 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq';
      await app.inject('POST', `/v1/public/checkout/sessions/${session.id}/pay`, {
        body: { pay_asset: 'BTC', pay_network: 'bitcoin', refund_address: own },
      });
      const { status, body } = await app.inject('POST', `/v1/public/checkout/sessions/${session.id}/test`, {
        body: { action },
      });
      expect([status, body.data.payment.refund_address]).toEqual([200, own]);
    },
  );

  test.each(['0.01', '1.00'])(
    'parts of %s are sent as long as they count: 400 invalid_payment_state beyond',
    async (amount) => {
      const session = await merchant.createSession({ amount });
      const underpay = () =>
        app.inject('POST', `/v1/public/checkout/sessions/${session.id}/test`, { body: { action: 'underpaid' } });
      let answer = await underpay();
      for (let parts = 1; parts < 10 && answer.status === 200; parts += 1) answer = await underpay();
      expect([answer.status, answer.body.error]).toMatchObject([
        400,
        { code: 'invalid_payment_state', message: expect.stringContaining('too small to pay a part of it') },
      ]);
      const { body } = await app.inject('POST', `/v1/public/checkout/sessions/${session.id}/test`, {
        body: { action: 'paid' },
      });
      expect(body.data.status).toBe('paid');
    },
  );

  test("reserves amounts within the client's budget: 429 rate_limited beyond", async () => {
    await using small = await startApp({ env: { RESERVED_AMOUNTS_PER_CLIENT: '1' } });
    const act = async (action: string) => {
      const { id } = await small.merchant.createSession();
      return small.inject('POST', `/v1/public/checkout/sessions/${id}/test`, { body: { action }, from: '203.0.113.9' });
    };
    expect((await act('failed')).status).toBe(200);
    expect(await act('failed')).toMatchObject({ status: 429, body: { error: { param: 'pay_asset' } } });
  });

  test('a live session: 404', async () => {
    const session = await merchant.live.createSession();
    const { status } = await app.inject('POST', `/v1/public/checkout/sessions/${session.id}/test`, {
      body: { action: 'paid' },
    });
    expect(status).toBe(404);
  });
});
