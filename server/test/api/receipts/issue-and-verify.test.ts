import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Jwks, verifyReceipt } from '../../../../sdk/src/receipts.ts';
import type { Context } from '../../../src/context.ts';
import { receiptFor } from '../../../src/resources/receipts/receipt-for.ts';
import { findPaymentOfSession } from '../../../src/settlement/records/payment-store.ts';
import { type Merchant, startApp, type TestApp } from '../../support/index.ts';
import { testKeysOf, verifyTestReceipt } from '../../support/receipt-keys.ts';

type Data = any;

let app: TestApp;
let merchant: Merchant;
beforeAll(async () => {
  app = await startApp();
  merchant = app.merchant;
});
afterAll(() => app.stop());

describe('a receipt', () => {
  test('says what arrived, where and with which evidence', async () => {
    const { session, payment } = await paid({ order_id: 'order-7' });
    const receipt = await merchant.get(`/payments/${payment}/receipt`);
    expect(receipt).toMatchObject({ object: 'receipt', livemode: false, payment, supersedes: null });

    const claims = await verifyTestReceipt(app, merchant, receipt.jws);
    expect(claims).toEqual(receipt.claims);
    expect(claims).toMatchObject({
      iss: app.config.publicUrl,
      jti: receipt.id,
      supersedes: null,
      payment,
      session,
      status: 'paid',
      order_id: 'order-7',
      amount: '49.00',
      currency: 'USD',
      network: 'eip155:8453',
      asset: 'eip155:8453/erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
      payee: 'eip155:8453:0x52908400098527886E0F7030069857D2E4169EE7',
      payer: expect.stringMatching(/^eip155:8453:0x[0-9a-fA-F]{40}$/),
      received: expect.stringMatching(/^49\.\d{6}$/),
      refunds: [],
      settlement_alert: null,
      transfers: [
        {
          tx_hash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
          index: 0,
          amount: expect.stringMatching(/^49\.\d{6}$/),
          block_number: expect.stringMatching(/^\d+$/),
          block_hash: expect.any(String),
          confirmations: expect.any(Number),
          providers: 1,
          on_chain: true,
        },
      ],
    });
    expect(JSON.stringify(claims)).not.toContain('metadata');
  });

  test('is the same one however often and by however many it is read', async () => {
    const { session, payment } = await paid();
    const read = await Promise.all([
      ...Array.from({ length: 15 }, () => merchant.get(`/payments/${payment}/receipt`)),
      ...Array.from({ length: 15 }, () => merchant.get(`/public/checkout/sessions/${session}/receipt`)),
    ]);
    expect(new Set(read.map(({ jws }) => jws)).size).toBe(1);
  });

  test('does not exist before final money counts for the payment', async () => {
    const session = await merchant.createSession();
    const { id } = await paymentOf(session.id);
    for (const path of [`/payments/${id}/receipt`, `/public/checkout/sessions/${session.id}/receipt`])
      await expect(merchant.get(path)).rejects.toMatchObject({ status: 400, code: 'invalid_payment_state' });
    expect((await app.inject('GET', `/checkout/${session.id}/receipt`)).status).toBe(400);

    await merchant.post(`/payments/${id}/refund`);
    await expect(merchant.get(`/payments/${id}/receipt`)).rejects.toMatchObject({ code: 'invalid_payment_state' });
  });

  test("is not another account's, nor another mode's", async () => {
    const { payment } = await paid();
    const stranger = await app.newMerchant();
    for (const reader of [stranger, merchant.live])
      await expect(reader.get(`/payments/${payment}/receipt`)).rejects.toMatchObject({ status: 404 });
    for (const id of ['cs_4Xq2LwZ8nT6vRb1KsYc9MdHf', 'nothing', '%00'])
      expect((await app.inject('GET', `/checkout/${id}/receipt`)).status).toBeOneOf([400, 404]);
  });

  test('is offered by the page of the receipt once there is one', async () => {
    const { id } = await merchant.createSession();
    const link = (session: string) => `href="/checkout/${session}/receipt"`;
    expect((await app.inject('GET', `/receipt/${id}`)).raw).not.toContain(link(id));
    const { session } = await paid();
    expect((await app.inject('GET', `/receipt/${session}`)).raw).toContain(link(session));
  });

  test('is served to the customer as bare bytes', async () => {
    const { session, payment } = await paid();
    const answer = await app.inject('GET', `/checkout/${session}/receipt`);
    expect(answer.headers['content-type']).toContain('application/jwt');
    expect(answer.raw).toBe((await merchant.get(`/payments/${payment}/receipt`)).jws);
  });
});

describe('verification', () => {
  test('fails after any one character was changed', async () => {
    const { payment } = await paid();
    const { jws } = await merchant.get(`/payments/${payment}/receipt`);
    const jwks = await testKeysOf(app, merchant);
    const passed: number[] = [];
    for (let at = 0; at < jws.length; at += 1) {
      const other = jws[at] === 'A' ? 'B' : 'A';
      const changed = jws.slice(0, at) + other + jws.slice(at + 1);
      const believed = await verifyReceipt(changed, { jwks, payee: PAYEE, allowTestMode: true }).catch(() => null);
      if (believed) passed.push(at);
    }
    expect(passed).toEqual([]);
  });

  test('by the page for people fails after any one character was changed, too', async () => {
    const { payment } = await paid();
    const { jws } = await merchant.get(`/payments/${payment}/receipt`);
    const jwks = await testKeysOf(app, merchant);
    const { raw: page, headers } = await app.inject('GET', '/verify-receipt');
    expect(page).not.toMatch(/(src|href)="(?!data:)/);
    expect(headers['content-security-policy']).toMatch(/default-src 'none'; script-src 'sha256-/);
    const script = page.slice(page.indexOf('<script>') + 8, page.indexOf('</script>'));
    const verifyOnPage = new Function(`${script}\nreturn verifyReceipt;`)() as (
      ...given: [string, Jwks, string]
    ) => Promise<Data>;
    expect(await verifyOnPage(jws, jwks, app.config.publicUrl)).toMatchObject({ payment });
    await expect(verifyOnPage(jws, jwks, 'https://other.example')).rejects.toThrow('not from');
    const passed: number[] = [];
    for (let at = 0; at < jws.length; at += 1) {
      const changed = jws.slice(0, at) + (jws[at] === 'A' ? 'B' : 'A') + jws.slice(at + 1);
      if (await verifyOnPage(changed, jwks, '').catch(() => null)) passed.push(at);
    }
    expect(passed).toEqual([]);
  });

  test('fails if the last character is another spelling of the same bytes', async () => {
    const { payment } = await paid();
    const { jws } = await merchant.get(`/payments/${payment}/receipt`);
    for (const last of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_') {
      const changed = jws.slice(0, -1) + last;
      if (changed === jws) continue;
      await expect(verifyTestReceipt(app, merchant, changed), last).rejects.toMatchObject({
        name: 'ReceiptVerificationError',
      });
      expect(await merchant.post('/receipts/verify', { receipt: changed })).toMatchObject({ valid: false });
    }
  });

  test('refuses another issuer, test mode unless it is allowed, unsigned receipts, and other kinds of statement', async () => {
    const { payment } = await paid();
    const { jws } = await merchant.get(`/payments/${payment}/receipt`);
    const jwks = await testKeysOf(app, merchant);
    await expect(
      verifyReceipt(jws, { jwks, payee: PAYEE, issuer: 'https://other.example', allowTestMode: true }),
    ).rejects.toThrow('not from https://other.example');
    await expect(verifyReceipt(jws, { jwks, payee: PAYEE })).rejects.toThrow('test mode');
    const [, payload] = jws.split('.');
    for (const header of [
      { alg: 'none', typ: 'receipt+jwt' },
      { alg: 'HS256', typ: 'receipt+jwt', kid: 'x' },
    ]) {
      const forged = `${Buffer.from(JSON.stringify(header)).toString('base64url')}.${payload}.AAAA`;
      await expect(verifyTestReceipt(app, merchant, forged)).rejects.toMatchObject({
        name: 'ReceiptVerificationError',
      });
    }
    for (const text of ['', '.', '..', 'a.b.c', 'x'.repeat(100_000), `${jws}.${jws}`, jws.replace('.', '..')])
      await expect(verifyTestReceipt(app, merchant, text)).rejects.toMatchObject({ name: 'ReceiptVerificationError' });
  });

  test('by the service answers whatever is sent with a verdict', async () => {
    const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const header = part({ alg: 'EdDSA', typ: 'receipt+jwt', kid: (await testKeysOf(app, merchant)).keys[0]?.kid });
    for (const receipt of [
      'a',
      '..',
      `${part(null)}.${part({})}.AAAA`,
      `${part([])}.${part({})}.AAAA`,
      `${part({ alg: 'EdDSA', typ: 'receipt+jwt', kid: {} })}.${part({})}.AAAA`,
      ...['a\u0000b', '\ud800', '', 'x'.repeat(40_000), "' or true", '\u0000'.repeat(43)].map(
        (kid) => `${part({ alg: 'EdDSA', typ: 'receipt+jwt', kid })}.${part({})}.AAAA`,
      ),
      `${header}.${part({ payment: 'pay_\u0000' })}.AAAA`,
      `${header}.${part({})}.AAAA`,
      `${header}.${part({})}.${'A'.repeat(86)}`,
      `${header}.${'A'.repeat(60_000)}.${'A'.repeat(86)}`,
      `${Buffer.from('['.repeat(40_000)).toString('base64url')}.AAAA.AAAA`,
      '💥.💥.💥',
    ])
      expect(await merchant.post('/receipts/verify', { receipt })).toMatchObject({ valid: false, claims: null });
    for (const receipt of ['', 'x'.repeat(65_537), 7, null, {}, '\u0000'])
      await expect(merchant.post('/receipts/verify', { receipt })).rejects.toMatchObject({ status: 400 });
  });

  test('by the service says whether a newer receipt replaced it', async () => {
    const { payment } = await paid();
    const first = await merchant.get(`/payments/${payment}/receipt`);
    expect(await merchant.post('/receipts/verify', { receipt: `${first.jws}\n` })).toMatchObject({
      valid: true,
      reason: null,
      claims: { jti: first.id },
      superseded_by: null,
    });
    await merchant.post(`/payments/${payment}/refund`, { amount: '10.00' });
    const second = await merchant.get(`/payments/${payment}/receipt`);
    expect(await merchant.post('/receipts/verify', { receipt: first.jws })).toMatchObject({ superseded_by: second.id });
    expect(await merchant.post('/receipts/verify', { receipt: 'nothing' })).toMatchObject({
      valid: false,
      reason: expect.any(String),
      claims: null,
    });
  });
});

describe('a new receipt', () => {
  test('after a refund names the one before, which stays valid', async () => {
    const { payment } = await paid();
    const first = await merchant.get(`/payments/${payment}/receipt`);
    await merchant.post(`/payments/${payment}/refund`, { amount: '10.00', reason: 'a note for the books only' });
    const second = await merchant.get(`/payments/${payment}/receipt`);

    const claims = await verifyTestReceipt(app, merchant, second.jws);
    expect(claims).toMatchObject({
      supersedes: first.id,
      status: 'refunded',
      refunds: [{ amount: '10.00', address: null }],
    });
    expect(JSON.stringify(claims)).not.toContain('a note for the books');
    expect(await verifyTestReceipt(app, merchant, first.jws)).toMatchObject({ jti: first.id, status: 'paid' });
  });

  test('never states older facts than the one it replaces', async () => {
    const { session, payment } = await paid();
    const found = await findPaymentOfSession(app.ctx.db, session);
    if (!found) throw new Error('the session has a payment');
    let reads = 0;
    // Right after the facts are read (twice, to be of one state), a refund is recorded and another request signs its receipt.
    const slow = {
      ...app.ctx,
      db: {
        ...app.ctx.db,
        now: () => app.ctx.db.now(),
        query: async (name: string, sql: string, values?: readonly unknown[]) => {
          const rows = await app.ctx.db.query(name, sql, values);
          if (name === 'find_payment' && (reads += 1) === 2) {
            await merchant.post(`/payments/${payment}/refund`);
            await receiptFor(app.ctx, found);
          }
          return rows;
        },
      },
    } as unknown as Context;

    const answered = await receiptFor(slow, found);
    expect(reads).toBeGreaterThan(2);
    expect(answered?.claims.status).toBe('refunded');
    expect((await receiptFor(app.ctx, found))?.claims.status).toBe('refunded');
  });
});

async function paid(fields: object = {}): Promise<{ session: string; payment: string }> {
  const session = await merchant.createSession(fields);
  await merchant.pay(session.id);
  return { session: session.id, payment: (await paymentOf(session.id)).id };
}

async function paymentOf(session: string): Promise<Data> {
  const payment = await findPaymentOfSession(app.ctx.db, session);
  return payment;
}

const PAYEE = '0x52908400098527886E0F7030069857D2E4169EE7';
