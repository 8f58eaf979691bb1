import type { SearchJson } from '@quittance/contract/dashboard';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';
import type { Merchant } from '../../support/merchant.ts';
import { paymentOfSession } from '../../support/payments.ts';

let app: TestApp;
let merchant: Merchant;
beforeAll(async () => {
  app = await startApp();
  merchant = app.merchant;
  await merchant.createLink({ description: 'Fern workshop, 100% hands-on' });
  await merchant.createWallet({ network: 'polygon', label: 'Workshop takings' });
  await merchant.post('/webhook-endpoints', { url: 'https://shop.example.com/workshop', events: ['payment.paid'] });
  await merchant.dashboard.post('/api-keys', { mode: 'test', label: 'Workshop till' });
  const customer = { name: 'Kim Reyes', email: 'kim@example.com' };
  const { id } = await merchant.createSession({ customer });
  await merchant.pay(id);
});
afterAll(() => app.stop());

async function found(by: Merchant, q: string, mode = 'test', filter = {}): Promise<SearchJson> {
  const answer = await app.inject('GET', '/dashboard/api/search', {
    query: { q, ...filter },
    headers: { cookie: `session=${by.loginToken}`, 'service-mode': mode },
  });
  expect(answer.status).toBe(200);
  return answer.body.data;
}
const search = async (by: Merchant, q: string) => (await found(by, q)).others;
const payments = async (by: Merchant, q: string) => (await found(by, q)).payments.map(({ id }) => id);

test('a part of a name finds links, wallets, endpoints and keys, in any case', async () => {
  for (const text of ['workshop', 'WORKSHOP'])
    expect((await search(merchant, text)).map(({ kind }) => kind)).toEqual([
      'payment_link',
      'payout_wallet',
      'webhook_endpoint',
      'api_key',
    ]);
  expect(await search(merchant, '100%')).toMatchObject([{ kind: 'payment_link' }]);
  for (const text of ['%', '__', 'w', '\\\\']) expect(await search(merchant, text), text).toEqual([]);
});

test('a customer is found by the beginning of the name, with what identifies them', async () => {
  for (const text of ['Kim', 'kim r', 'kim@'])
    expect(await search(merchant, text), text).toMatchObject([
      { kind: 'customer', label: 'Kim Reyes', identity: { email: 'kim@example.com' } },
    ]);
});

test("nothing of another account is found, and nothing of the other mode's", async () => {
  const stranger = await app.newMerchant();
  for (const text of ['workshop', 'Kim', 'shop.example.com']) expect(await search(stranger, text)).toEqual([]);
  expect((await found(merchant, 'workshop', 'live')).others).toEqual([]);
});

describe('payments are found by a part of the name, the email address, the description or the note', () => {
  const anna = { name: 'Anna Berg', email: 'anna.berg@example.com' };
  let other: Merchant;
  let made: Record<string, string>;
  beforeAll(async () => {
    other = await app.newMerchant();
    const noteOf = async (note: string) => {
      const { id } = await other.createLink({ description: 'Vase', ask_for: ['name', 'email', 'note'] });
      const { body } = await app.inject('POST', `/v1/public/payment-links/${id}/open`, {
        body: { name: 'Kim', email: 'kim@example.com', note },
      });
      await other.pay(body.data.id, 'paid');
      return paymentOfSession(app.ctx.db, body.data.id);
    };
    const make = async (outcome: string | null, more: object) => {
      const { id } = await other.createSession({ customer: anna, description: 'Oak stool, 50% off', ...more });
      if (outcome !== null) await other.pay(id, outcome);
      return paymentOfSession(app.ctx.db, id);
    };
    made = {
      paid: await make('paid', {}),
      partly: await make('underpaid', {}),
      other: await make('paid', { customer: { name: 'Ben' }, description: 'Lamp', order_id: 'WEB-2026-1011' }),
      noted: await noteOf('My order: 7431'),
      // Its customer has not opened it.
      unseen: await make(null, {}),
    };
  });

  test('whether they were paid in full, in part or refunded', async () => {
    await other.post(`/payments/${made.paid}/refund`, {});
    for (const text of ['Anna', 'berg', 'ANNA B', 'berg@exam', 'oak stool', '50% off'])
      expect(await payments(other, text), text).toEqual([made.partly, made.paid]);
    expect(await payments(other, 'ben')).toEqual([made.other]);
    expect(await payments(other, '7431')).toEqual([made.noted]);
  });

  test('and by the end of the order number, which is what customers say', async () => {
    for (const text of ['1011', '#1011', '2026-1011']) expect(await payments(other, text), text).toEqual([made.other]);
    // Two digits would end too many, and a part in the middle names none.
    for (const text of ['11', '2026']) expect(await payments(other, text), text).toEqual([]);
  });

  test('with the quotation marks that people type, and those that were written', async () => {
    const shop = await app.newMerchant();
    const customer = { name: 'Maeve O’Brien', email: "o'brien@example.com" };
    const { id } = await shop.createSession({ customer, description: 'A bird’s nest, “large”' });
    await shop.pay(id, 'paid');
    const payment = await paymentOfSession(app.ctx.db, id);
    for (const text of ["bird's nest", 'Bird’s', '"large"', '“large”', "o'brien", 'O’BRIEN', "o'brien@exam"])
      expect(await payments(shop, text), text).toEqual([payment]);
    for (const text of ['birds', "''", 'bird_s']) expect(await payments(shop, text), text).toEqual([]);
    for (const text of ["maeve o'br", 'Maeve O’Br'])
      expect(await search(shop, text), text).toMatchObject([{ kind: 'customer', label: 'Maeve O’Brien' }]);
    await shop.createLink({ description: 'A gardener’s hour' });
    expect(await search(shop, "gardener's")).toMatchObject([{ kind: 'payment_link' }]);
  });

  test('and no sign in the text matches more than itself', async () => {
    for (const text of ['%', '_', 'a_na', 'Anna%', '\\']) expect(await payments(other, text), text).toEqual([]);
  });

  test('narrowed as the list of payments is: by status, route, balance, link and time', async () => {
    const only = async (filter: object) => (await found(other, 'oak', 'test', filter)).payments.map(({ id }) => id);
    const [{ created_at: last = '' } = {}] = (await found(other, 'oak')).payments;
    const both = [made.partly, made.paid];
    expect(await only({ status: 'refunded' })).toEqual([made.paid]);
    expect(await only({ status: 'pending' })).toEqual([made.partly]);
    expect([await only({ route: 'direct' }), await only({ route: 'routed' })]).toEqual([both, []]);
    expect(await only({ balance: 'overpaid' })).toEqual([]);
    expect(await only({ created_after: last })).toEqual([made.partly]);
    expect(await only({ created_before: last })).toEqual([made.paid]);
    const link = (await found(other, made.noted ?? '')).payments[0]?.payment_link_id;
    expect(await only({ payment_link_id: link })).toEqual([]);
    expect((await found(other, '7431', 'test', { payment_link_id: link })).payments).toHaveLength(1);
  });

  test('of a kind that is rare among what the text finds, too', async () => {
    const shop = await app.newMerchant();
    const rare = await shop.createSession({ order_id: 'MOSS-0' });
    await shop.pay(rare.id, 'underpaid');
    for (let made = 1; made <= 50; made++) await shop.createSession({ order_id: `MOSS-${made}` });
    expect((await found(shop, 'MOSS-')).payments.map(({ status }) => status)).not.toContain('pending');
    expect((await found(shop, 'MOSS-', 'test', { status: 'pending' })).payments).toHaveLength(1);
  });

  test('of their own account and mode only', async () => {
    expect(await payments(merchant, 'Anna')).toEqual([]);
    expect((await found(other, 'Anna', 'live')).payments).toEqual([]);
  });
});
