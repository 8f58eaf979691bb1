import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../../src/platform/ids.ts';
import { startApp, type TestApp } from '../../support/index.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

describe('GET /v1/checkout/sessions/{id} answers', () => {
  test('200 with the session as it was created', async () => {
    const session = await app.merchant.createSession();
    const answer = await app.merchant.request('GET', `/checkout/sessions/${session.id}`);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ data: session, request_id: answer.headers['request-id'] });
  });

  test("each of many concurrent readers with their own session, and never with another's", async () => {
    const merchants = await Promise.all(Array.from({ length: 4 }, () => app.newMerchant()));
    const owned = await Promise.all(
      merchants.flatMap((merchant) =>
        Array.from({ length: 10 }, async () => ({ merchant, session: await merchant.createSession() })),
      ),
    );

    const answers = await Promise.all(
      owned.flatMap(({ session, merchant: owner }) =>
        merchants.map(async (reader) => ({
          answer: await reader.request('GET', `/checkout/sessions/${session.id}`),
          session,
          isOwner: reader.accountId === owner.accountId,
        })),
      ),
    );

    for (const { answer, session, isOwner } of answers) {
      expect(answer.status).toBe(isOwner ? 200 : 404);
      if (isOwner) expect(answer.body.data).toEqual(session);
    }
  });

  test("404 for strangers' ids, the other mode's and unknown ones alike", async () => {
    const stranger = await (await app.newMerchant()).createSession();
    const live = await app.merchant.live.createSession();
    const ids = [
      stranger.id,
      live.id,
      newId('cs'),
      'cs_short',
      'pay_4Xq2LwZ8nT6vRb1KsYc9MdHf',
      '%F0%9F%8C%BF',
      "cs_'%20or%201=1",
      '..%2F..%2Fhealthz',
    ];
    const answers = await Promise.all(ids.map((id) => app.merchant.request('GET', `/checkout/sessions/${id}`)));
    for (const answer of answers) {
      expect(answer.status).toBe(404);
      expect(answer.body.error).toEqual(answers[0]?.body.error);
      expect(answer.body.error).toMatchObject({ code: 'not_found', param: 'id' });
    }
  });

  test('the status of its payment, the payment once it has started, and the routes that were chosen', async () => {
    const session = await app.merchant.createSession();
    const now = await app.ctx.db.now();
    await app.ctx.db.query(
      'test_begin',
      `
      update payments set status = 'pending', route = 'routed', pay_asset = 'BTC', pay_network = 'bitcoin',
        started_at = $2 where session_id = $1`,
      [session.id, now],
    );
    for (const [at, asset, network, kind, address] of [
      [1, 'USDC', 'base', 'direct', '0x1'],
      [2, 'BTC', 'bitcoin', 'routed', 'bc1old'],
      [3, 'TRX', 'tron', 'routed', 'T1'],
      [4, 'BTC', 'bitcoin', 'routed', 'bc1new'],
    ]) {
      await app.ctx.db.query(
        'test_target',
        `
        insert into payment_targets (id, payment_id, livemode, kind, asset, network, address, amount_units,
          required_units, locked_until, created_at)
        select $1, id, false, $2, $3, $4, $5, 1, 1, $6, $7 from payments where session_id = $8`,
        [newId('tgt'), kind, asset, network, address, now, new Date(now.getTime() + Number(at)), session.id],
      );
    }

    const read = await app.merchant.get(`/checkout/sessions/${session.id}`);
    expect(read).toEqual({
      ...session,
      status: 'pending',
      payment: expect.stringMatching(/^pay_/),
      deposit_addresses: [
        ...session.deposit_addresses,
        { asset: 'TRX', network: 'tron', address: 'T1', kind: 'routed', reference: null },
        { asset: 'BTC', network: 'bitcoin', address: 'bc1new', kind: 'routed', reference: null },
      ],
    });
    expect((await app.merchant.get(`/payments/${read.payment}`)).session).toBe(session.id);
  });
});

test.each(['PUT', 'PATCH', 'DELETE'] as const)('%s /v1/checkout/sessions/{id} answers 405', async (method) => {
  const session = await app.merchant.createSession();
  const answer = await app.merchant.request(method, `/checkout/sessions/${session.id}`);
  expect([answer.status, answer.body.error.code, answer.headers.allow]).toEqual([
    405,
    'method_not_allowed',
    expect.stringContaining('GET'),
  ]);
});
