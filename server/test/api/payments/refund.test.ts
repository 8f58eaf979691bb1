import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../../src/platform/ids.ts';
import { type Merchant, startApp, type TestApp } from '../../support/index.ts';

let app: TestApp;
let merchant: Merchant;
beforeAll(async () => {
  app = await startApp();
  merchant = app.merchant;
});
afterAll(() => app.stop());

describe('POST /v1/payments/{id}/refund answers 200', () => {
  test('with the payment refunded in full where nothing is said', async () => {
    for (const input of [{}, { body: {} }, { body: '' }]) {
      const id = await payment('paid', { amount: '49.00' });
      const answer = await merchant.request('POST', `/payments/${id}/refund`, input);
      expect(answer.status).toBe(200);
      expect(answer.body.data).toMatchObject({
        id,
        object: 'payment',
        status: 'refunded',
        amount: '49.00',
        sequence: 2,
        refund: { amount: '49.00', address: null, reason: null, created_at: expect.stringMatching(/Z$/) },
      });
      expect(await merchant.get(`/payments/${id}`)).toEqual(answer.body.data);
    }
  });

  test('with what was said kept beside the payment', async () => {
    const id = await payment('paid', { amount: '49.00' });
    const sent = { amount: '10.5', address: '0x8617E340B3D01FA5F11F306F4090FD50E238070D', reason: '🌿'.repeat(280) };
    expect((await merchant.post(`/payments/${id}/refund`, sent)).refund).toMatchObject({ ...sent, amount: '10.50' });
  });

  test.each(['created', 'pending', 'routing', 'settling', 'paid', 'failed', 'expired', 'refund_required'])(
    'from %s',
    async (status) => {
      const id = await payment(status);
      expect(await merchant.post(`/payments/${id}/refund`)).toMatchObject({ id, status: 'refunded' });
      const read = await merchant.get(`/payments/${id}`);
      expect((await merchant.get(`/checkout/sessions/${read.session}`)).status).toBe('refunded');
      expect(await eventTypes(id)).toEqual(['payment.created', 'payment.refunded']);
    },
  );

  test.each(['created', 'expired'])('from %s, and one that was not started stays so', async (status) => {
    const owner = await app.newMerchant();
    const session = await owner.createSession();
    const [{ id } = { id: '' }] = await app.ctx.db.query<{ id: string }>(
      'test_untouched',
      'update payments set status = $2 where session_id = $1 returning id',
      [session.id, status],
    );
    expect(await owner.post(`/payments/${id}/refund`)).toMatchObject({ status: 'refunded' });
    expect(await owner.get(`/checkout/sessions/${session.id}`)).toMatchObject({ status: 'refunded', payment: null });
    expect((await owner.get('/payments')).data).toEqual([]);
    expect((await owner.get('/payments', { status: 'refunded' })).data).toMatchObject([{ id }]);
  });

  test('unchanged for a payment that is refunded already, without a second event', async () => {
    const id = await payment('paid');
    const first = await merchant.post(`/payments/${id}/refund`, { amount: '1.00', reason: 'first' });
    expect(await merchant.post(`/payments/${id}/refund`, { amount: '2.00', reason: 'second' })).toEqual(first);
    expect(await eventTypes(id)).toEqual(['payment.created', 'payment.refunded']);
  });

  test('with one event of 30 parallel requests', async () => {
    const id = await payment('paid');
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, at) => merchant.post(`/payments/${id}/refund`, { amount: `0.${at + 10}` })),
    );
    expect(new Set(answers.map((answer) => answer.refund.amount)).size).toBe(1);
    expect(await eventTypes(id)).toEqual(['payment.created', 'payment.refunded']);
  });

  test('with the same bytes to a repeat of its Idempotency-Key, and 409 to another body', async () => {
    const id = await payment('paid');
    const call = (body: object) =>
      merchant.request('POST', `/payments/${id}/refund`, { body, headers: { 'idempotency-key': `refund-${id}` } });
    const first = await call({ amount: '1.00' });
    expect((await call({ amount: '1.00' })).raw).toBe(first.raw);
    expect((await call({ amount: '2.00' })).body.error.code).toBe('idempotency_conflict');
  });

  test('and its event contains the refund', async () => {
    const id = await payment('paid');
    const refunded = await merchant.post(`/payments/${id}/refund`, { amount: '1.00' });
    const [row] = await app.ctx.db.query<{ body: Buffer }>(
      'test_refund_event',
      `select body from events where object_id = $1 and sequence = 2`,
      [id],
    );
    expect(JSON.parse(String(row?.body))).toMatchObject({
      type: 'payment.refunded',
      data: { ...refunded, tx_hash: null },
    });
  });
});

describe('POST /v1/payments/{id}/refund answers 400 invalid_refund', () => {
  test.each([
    ['amount', '49.01'],
    ['amount', '999999999.99'],
    ['amount', '0'],
    ['amount', '0.00'],
    ['amount', '-1.00'],
    ['amount', '1e1'],
    ['amount', '1.001'],
    ['amount', 10],
    ['amount', null],
    ['amount', ''],
    ['amount', ' 1'],
    ['amount', []],
    ['reason', 'r'.repeat(281)],
    ['reason', 1],
    ['reason', null],
    ['reason', 'a\u0000'],
    ['reason', '\ud800'],
    ['address', ''],
    ['address', 1],
    ['address', null],
    ['address', 'a'.repeat(201)],
    ['address', '\u0000'],
  ])('naming %s for %j, and changes nothing', async (param, value) => {
    const id = await payment('paid', { amount: '49.00' });
    const before = await merchant.get(`/payments/${id}`);
    const answer = await merchant.request('POST', `/payments/${id}/refund`, { body: { [param]: value } });
    expect(answer.status).toBe(400);
    expect(answer.body.error).toMatchObject({ code: 'invalid_refund', param });
    expect(await merchant.get(`/payments/${id}`)).toEqual(before);
  });

  test.each(['[]', 'null', '"x"', '{'])('or invalid_request for the body %s', async (body) => {
    const answer = await merchant.request('POST', `/payments/${await payment('paid')}/refund`, { body });
    expect(answer.status).toBe(400);
    expect(['invalid_refund', 'invalid_request']).toContain(answer.body.error.code);
  });
});

test("POST /v1/payments/{id}/refund answers 404 for strangers' ids, the other mode's and unknown ones alike", async () => {
  const foreign = await payment('paid', {}, await app.newMerchant());
  const live = await payment('paid', {}, merchant.live);
  const answers = await Promise.all(
    [foreign, live, newId('pay'), 'pay_x', newId('cs')].map((id) =>
      merchant.request('POST', `/payments/${id}/refund`, { body: { amount: '1' } }),
    ),
  );
  for (const answer of answers) {
    expect(answer.status).toBe(404);
    expect(answer.body.error).toEqual(answers[0]?.body.error);
  }
  expect(await eventTypes(foreign)).toEqual(['payment.created']);
});

/** A payment in the given state. */
async function payment(status: string, fields: object = {}, owner: Merchant = merchant): Promise<string> {
  const session = await owner.createSession(fields);
  const [row] = await app.ctx.db.query<{ id: string }>(
    'test_stand',
    `
    update payments set status = $2, started_at = case when $2 <> 'created' then created_at end where session_id = $1 returning id`,
    [session.id, status],
  );
  return row?.id as string;
}

async function eventTypes(paymentId: string): Promise<string[]> {
  const rows = await app.ctx.db.query<{ type: string }>(
    'test_event_types',
    'select type from events where object_id = $1 order by sequence',
    [paymentId],
  );
  return rows.map((row) => row.type);
}
