import { settledNet } from '@quittance/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startDashboard, type DashboardTest } from '../../support/dashboard.ts';
import type { Merchant } from '../../support/merchant.ts';

let t: DashboardTest;
beforeAll(async () => {
  t = await startDashboard();
});
afterAll(() => t.app.stop());

const KIM = { email: 'kim@example.com', name: 'Kim Reyes', reference: 'customer-1042' };
const figures = { email: null, name: null, reference: null };

/** A new session of this customer, brought into this state. */
async function pay(merchant: Merchant, customer: object, input: object = {}, action = 'paid'): Promise<string> {
  const session = await merchant.createSession({ customer, ...input });
  await t.pay(session, action);
  return (await merchant.get(`/checkout/sessions/${session.id}`)).payment;
}

/** What a payment brought, as it is exported. */
async function net(merchant: Merchant, payment: string): Promise<string | null> {
  return settledNet(await merchant.get(`/payments/${payment}`));
}

const namesOf = (list: { name: string }[]) => list.map(({ name }) => name);

describe('the customers of the dashboard', () => {
  test('are those who have paid, with their payments, what these brought and when, the last payer first', async () => {
    const merchant = await t.app.newMerchant();
    await pay(merchant, KIM, { amount: '49.00' });
    await pay(merchant, { reference: KIM.reference }, { amount: '1.50' });
    await pay(merchant, KIM, { amount: '20.00', currency: 'EUR' });
    await pay(merchant, { email: 'Sol@example.com' });
    await pay(merchant, { name: 'Without an identity' });
    await pay(merchant, { reference: 'underpaid' }, {}, 'underpaid');
    await merchant.createSession({ customer: { reference: 'unpaid' } });

    const { data } = await t.page(merchant, '/dashboard/api/customers');

    const paidAt = expect.stringMatching(/^\d{4}-.*Z$/);
    expect(data).toEqual([
      {
        ...figures,
        email: 'sol@example.com',
        payments: 1,
        totals: [{ currency: 'USD', amount: '49.00' }],
        last_paid_at: paidAt,
      },
      {
        ...KIM,
        payments: 3,
        totals: expect.arrayContaining([
          { currency: 'USD', amount: '50.50' },
          { currency: 'EUR', amount: '20.00' },
        ]),
        last_paid_at: paidAt,
      },
    ]);
  });

  test('are described by their newest payment, which leaves out nothing that an older one said', async () => {
    const merchant = await t.app.newMerchant();
    await pay(merchant, KIM);
    await pay(merchant, { reference: KIM.reference, email: 'new@example.com' });

    const { data } = await t.page(merchant, '/dashboard/api/customers');
    expect(data).toEqual([expect.objectContaining({ ...KIM, email: 'new@example.com', payments: 2 })]);
  });

  test('have refunds taken off, and an accepted payment counted', async () => {
    const merchant = await t.app.newMerchant();
    const first = await pay(merchant, KIM);
    const late = await pay(merchant, KIM, {}, 'late');
    for (const _again of [1, 2]) await merchant.post(`/payments/${first}/refund`, { amount: '9.00' });
    const kim = () => t.dashboard(merchant, `/dashboard/api/customer?reference=${KIM.reference}`);
    expect(await kim()).toMatchObject({ payments: 1, totals: [{ currency: 'USD', amount: '40.00' }] });

    await merchant.dashboard.post(`/payments/${late}/accept`);
    expect(await kim()).toMatchObject({ payments: 2, totals: [{ currency: 'USD', amount: '89.00' }] });
  });

  test('have what arrived of an accepted short payment, and nothing twice, like the exported payments', async () => {
    const merchant = await t.app.newMerchant();
    const payment = await pay(merchant, KIM, { amount: '49.00' }, 'refund_required');
    await merchant.dashboard.post(`/payments/${payment}/accept`);
    const { expected_output: expected, actual_output: actual } = await merchant.get(`/payments/${payment}`);
    expect(Number(actual)).toBeLessThan(Number(expected));
    const brought = await net(merchant, payment);
    const kim = async () => (await t.page(merchant, '/dashboard/api/customers')).data[0];
    expect(await kim()).toMatchObject({ payments: 1, totals: [{ currency: 'USD', amount: brought }] });

    await merchant.dashboard.post(`/payments/${payment}/refund`, { amount: '1.00' });
    expect((await kim()).totals).toEqual([{ currency: 'USD', amount: await net(merchant, payment) }]);
  });

  test('come in pages, and no cursor of another account is taken', async () => {
    const merchant = await t.app.newMerchant();
    for (const reference of ['a', 'b', 'c']) await pay(merchant, { reference, name: reference });
    const first = await t.page(merchant, '/dashboard/api/customers?limit=2');
    const second = await t.page(
      merchant,
      `/dashboard/api/customers?limit=2&cursor=${encodeURIComponent(first.pagination.cursor)}`,
    );

    expect(namesOf([...first.data, ...second.data])).toEqual(['c', 'b', 'a']);
    expect(second.pagination).toEqual({ cursor: null, has_more: false });
    const { status } = await t.app.inject(
      'GET',
      `/dashboard/api/customers?cursor=${encodeURIComponent(first.pagination.cursor)}`,
      { headers: { cookie: `session=${(await t.app.newMerchant()).loginToken}`, 'service-mode': 'test' } },
    );
    expect(status).toBe(400);
  });
});

test('customers are found by how their reference, address or name begins, in upper or lower case', async () => {
  const merchant = await t.app.newMerchant();
  await pay(merchant, KIM);
  await pay(merchant, { name: 'Ümit Åström', reference: '50%_off' });
  const find = async (q: string) =>
    namesOf((await t.page(merchant, `/dashboard/api/customers?q=${encodeURIComponent(q)}`)).data);

  for (const q of ['customer-10', 'KIM@', 'kim r', ' Kim Reyes ']) expect(await find(q)).toEqual(['Kim Reyes']);
  for (const q of ['ümit', 'ÜMIT å', '50%_o']) expect(await find(q)).toEqual(['Ümit Åström']);
  for (const q of ['reyes', '%', '_', 'customer-2', "'"]) expect(await find(q)).toEqual([]);
});

describe('one customer', () => {
  test('has their payments, and is known by a session before they have paid', async () => {
    const merchant = await t.app.newMerchant();
    const paid = await pay(merchant, KIM);
    const underpaid = await pay(merchant, { reference: KIM.reference }, {}, 'underpaid');
    await pay(merchant, { email: KIM.email, name: 'Another who shares the address' });
    await merchant.createSession({ customer: { email: 'new@example.com', name: 'New' } });
    const idsOf = async (query: string) =>
      (await t.page(merchant, `/dashboard/api/customer/payments?${query}`)).data.map(({ id }: { id: string }) => id);

    expect(await idsOf(`reference=${KIM.reference}`)).toEqual([underpaid, paid]);
    expect(await idsOf('email=Kim@example.com')).toHaveLength(1);
    expect(await t.dashboard(merchant, '/dashboard/api/customer?email=kim@example.com')).toMatchObject({
      name: 'Another who shares the address',
      payments: 1,
    });
    expect(await t.dashboard(merchant, '/dashboard/api/customer?email=new@example.com')).toEqual({
      ...figures,
      email: 'new@example.com',
      name: 'New',
      payments: 0,
      totals: [],
      last_paid_at: null,
    });
  });

  test.each([
    ['', 400],
    ['?reference=unknown', 404],
    ['?email=unknown', 404],
  ])('%s without a matching customer is answered with %i', async (query, status) => {
    const answer = await t.app.inject('GET', `/dashboard/api/customer${query}`, {
      headers: { cookie: `session=${t.app.merchant.loginToken}`, 'service-mode': 'test' },
    });
    expect(answer.status).toBe(status);
  });

  test("is found by the dashboard's search for payments", async () => {
    const merchant = await t.app.newMerchant();
    const payment = await pay(merchant, KIM);
    for (const q of [KIM.reference, 'KIM@example.com']) {
      const { payments } = await t.dashboard(merchant, `/dashboard/api/search?q=${q}`);
      expect(payments.map(({ id }: { id: string }) => id)).toEqual([payment]);
    }
  });
});
