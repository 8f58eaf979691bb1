import { afterAll, beforeAll, expect, test } from 'vitest';
import { referenceOf } from '../support/payments.ts';
import { type Settlement, startSettlement } from '../support/settlement.ts';

let shop: Settlement;

beforeAll(async () => {
  shop = await startSettlement();
});
afterAll(() => shop[Symbol.asyncDispose]());

const PRICE_UNITS = 49_000_000n;

test('a session that expired without being started and is then paid by a block in time shows its payment', async () => {
  const session = await shop.session({ expires_in: 600 });
  await shop.send(PRICE_UNITS, { tag: await tagOf(session.id) });
  await shop.pass(601);
  await shop.expire();
  expect(await shop.merchant.get(`/checkout/sessions/${session.id}`)).toMatchObject({
    status: 'expired',
    payment: null,
  });
  expect(await listed()).toEqual([]);

  await shop.settle();
  const payment = await shop.payment(session.id);
  expect(await shop.walk(session.id)).toEqual(['created', 'expired', 'paid']);
  expect(await shop.merchant.get(`/checkout/sessions/${session.id}`)).toMatchObject({
    status: 'paid',
    payment: payment.id,
  });
  expect(await shop.publicSession(session.id)).toMatchObject({
    status: 'paid',
    payment: { amount_received: '49.000000' },
  });
  expect(await listed()).toEqual([payment.id]);
});

test('a session that was never started shows its payment once part of the price is final', async () => {
  const session = await shop.session();
  await shop.send(PRICE_UNITS / 2n, { tag: await tagOf(session.id) });
  await shop.settle();
  const payment = await shop.payment(session.id);
  expect(await shop.merchant.get(`/checkout/sessions/${session.id}`)).toMatchObject({
    status: 'pending',
    payment: payment.id,
  });
  expect(await listed()).toContain(payment.id);
});

test('money for an expired session that was never started, too little or too late, shows its payment', async () => {
  const [short, late] = [await shop.session({ expires_in: 600 }), await shop.session({ expires_in: 600 })];
  await shop.send(PRICE_UNITS / 2n, { tag: await tagOf(short.id) });
  await shop.pass(601);
  await shop.expire();
  await shop.send(PRICE_UNITS, { tag: await tagOf(late.id) });
  await shop.settle();
  for (const { id } of [short, late]) {
    const payment = await shop.payment(id);
    expect(await shop.merchant.get(`/checkout/sessions/${id}`)).toMatchObject({
      status: 'refund_required',
      payment: payment.id,
    });
    expect(await listed()).toContain(payment.id);
  }
});

test('a session that expired without money goes on showing none', async () => {
  const session = await shop.session({ expires_in: 600 });
  await shop.pass(601);
  await shop.watch();
  await shop.expire();
  const payment = await shop.payment(session.id);
  expect(await shop.merchant.get(`/checkout/sessions/${session.id}`)).toMatchObject({
    status: 'expired',
    payment: null,
  });
  expect(await listed()).not.toContain(payment.id);
});

test('a session of a link that expired without a choice is announced with its whole life once money comes for it', async () => {
  const link = await shop.merchant.createLink();
  const { id } = (await shop.app.inject('POST', `/v1/public/payment-links/${link.id}/open`)).body.data;
  await shop.pass(2 * 86_400);
  await shop.watch();
  await shop.expire();
  expect(await shop.merchant.get(`/checkout/sessions/${id}`)).toMatchObject({ status: 'expired', payment: null });
  expect(await shop.walk(id)).toEqual([]);

  await shop.send(PRICE_UNITS, { tag: await tagOf(id) });
  await shop.settle();
  expect(await shop.walk(id)).toEqual(['created', 'expired', 'refund_required']);
  const { data } = await shop.merchant.get('/events', { payment: (await shop.payment(id)).id });
  expect(
    data
      .map((event: { data: { status: string; sequence: number } }) => [event.data.sequence, event.data.status])
      .sort(),
  ).toEqual([
    [1, 'created'],
    [2, 'expired'],
    [3, 'refund_required'],
  ]);
});

async function listed(): Promise<string[]> {
  return (await shop.merchant.get('/payments')).data.map(({ id }: { id: string }) => id);
}

/** The calldata tag of a session that was not started; the customer's page would have shown it. */
async function tagOf(sessionId: string): Promise<Uint8Array> {
  return Buffer.concat([Buffer.from('QTNC'), await referenceOf(shop.ctx.db, sessionId)]);
}
