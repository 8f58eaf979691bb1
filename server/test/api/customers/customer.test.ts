import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Merchant, startApp, type TestApp } from '../../support/index.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

const KIM = { email: 'kim@example.com', name: 'Kim Reyes', reference: 'customer-1042' };

test('what was sold is said by its payment as by the session or the link, and by every list of payments', async () => {
  const merchant = await app.newMerchant();
  const session = await merchant.createSession({ customer: KIM, description: 'Oak stool' });
  const paid = await pay(merchant, session.id);
  const one = await merchant.get(`/payments/${paid.payment}`);
  const { data: listed } = await merchant.get('/payments');
  const { data: events } = await merchant.get('/events');
  const said = [one, ...listed, ...events.map((event: { data: object }) => event.data)];
  expect(said.map(({ description }) => description)).toEqual(said.map(() => 'Oak stool'));
  const plain = await pay(merchant, (await merchant.createSession()).id);
  expect((await merchant.get(`/payments/${plain.payment}`)).description).toBeNull();
});

describe('the customer of a checkout session', () => {
  test('is stored with the session, and returned with it, its payment and its events', async () => {
    const merchant = await app.newMerchant();
    const session = await merchant.createSession({ customer: KIM });
    const paid = await pay(merchant, session.id);

    expect(session.customer).toEqual(KIM);
    expect((await merchant.get(`/checkout/sessions/${session.id}`)).customer).toEqual(KIM);
    expect((await merchant.get(`/payments/${paid.payment}`)).customer).toEqual(KIM);
    const { data: events } = await merchant.get('/events');
    expect(events.map((event: { data: { customer: unknown } }) => event.data.customer)).toEqual(events.map(() => KIM));
  });

  test('has null for what was left out, and is null if nothing was said', async () => {
    const nothing = { email: null, name: null, reference: null };
    const customerOf = async (customer: unknown) => (await app.merchant.createSession({ customer })).customer;

    expect(await customerOf({ name: 'Kim' })).toEqual({ ...nothing, name: 'Kim' });
    expect(await customerOf({ reference: '7', shoe_size: 42 })).toEqual({ ...nothing, reference: '7' });
    expect(await customerOf({})).toBeNull();
    expect(await customerOf({ shoe_size: 42 })).toBeNull();
    expect(await customerOf(undefined)).toBeNull();
  });

  test('has an email address in lower case and with its domain in ASCII', async () => {
    const session = await app.merchant.createSession({ customer: { email: 'Kim.Reyes@BÜCHER.example' } });
    expect(session.customer.email).toBe('kim.reyes@xn--bcher-kva.example');
  });
});

test("a payment link's customer is the customer of every session that it opens", async () => {
  const merchant = await app.newMerchant();
  const link = await merchant.createLink({ customer: KIM });
  expect(link.customer).toEqual(KIM);
  expect((await merchant.get(`/payment-links/${link.id}`)).customer).toEqual(KIM);

  const opened = await app.inject('POST', `/v1/public/payment-links/${link.id}/open`, { body: {} });

  expect(opened.raw).not.toMatch(/kim|1042/i);
  expect((await merchant.get(`/checkout/sessions/${opened.body.data.id}`)).customer).toEqual(KIM);
});

test("nothing that the customer's side reads contains the customer's data", async () => {
  const merchant = await app.newMerchant();
  const secret = { email: 'secret-email@example.com', name: 'secret-name', reference: 'secret-reference' };
  const link = await merchant.createLink({ customer: secret });
  const session = await merchant.createSession({ customer: secret });
  await pay(merchant, session.id);
  const open = await merchant.createSession({ customer: secret });

  const said = await Promise.all(
    [
      `/pay/${link.id}`,
      ...[session.id, open.id].flatMap((id) => [
        `/v1/public/checkout/sessions/${id}`,
        `/v1/public/checkout/sessions/${id}/receipt`,
        `/checkout/${id}`,
        `/checkout/${id}/receipt`,
        `/checkout/${id}/pay`,
        `/receipt/${id}`,
      ]),
    ].map(async (path) => {
      const { raw, headers } = await app.inject('GET', path);
      return { path, text: `${raw} ${JSON.stringify(headers)} ${decoded(raw)}` };
    }),
  );

  expect(said.length).toBe(13);
  expect(said.filter(({ text }) => /secret-/.test(text)).map(({ path }) => path)).toEqual([]);
});

describe('GET /v1/payments of one customer', () => {
  const idsOf = (page: { data: { id: string }[] }) => page.data.map(({ id }) => id);
  let merchant: Merchant;
  /** Newest first. */
  let paid: { id: string; customer: typeof KIM }[];

  beforeAll(async () => {
    merchant = await app.newMerchant();
    const customers = [KIM, { reference: 'customer-1042' }, { email: 'kim@example.com' }, KIM, { name: 'Kim Reyes' }];
    for (const customer of customers) {
      const session = await merchant.createSession({ customer });
      await pay(merchant, session.id);
    }
    await merchant.createSession({ customer: KIM });
    paid = (await merchant.get('/payments')).data;
  });

  test('lists those with this reference, this address, or both, newest first', async () => {
    const has = (field: keyof typeof KIM) => (payment: (typeof paid)[number]) => payment.customer[field] === KIM[field];

    expect(idsOf(await merchant.get('/payments', { customer_reference: KIM.reference }))).toEqual(
      paid.filter(has('reference')).map(({ id }) => id),
    );
    expect(idsOf(await merchant.get('/payments', { customer_email: 'Kim@Example.com' }))).toEqual(
      paid.filter(has('email')).map(({ id }) => id),
    );
    expect(
      idsOf(await merchant.get('/payments', { customer_email: KIM.email, customer_reference: KIM.reference })),
    ).toEqual(
      paid
        .filter(has('email'))
        .filter(has('reference'))
        .map(({ id }) => id),
    );
    expect(idsOf(await merchant.get('/payments', { customer_reference: 'customer-104' }))).toEqual([]);
    expect(idsOf(await merchant.get('/payments', { customer_email: 'unknown' }))).toEqual([]);
  });

  test('goes together with the other filters and with pages', async () => {
    const filter = { customer_reference: KIM.reference };
    const first = await merchant.get('/payments', { ...filter, limit: '2' });
    const second = await merchant.get('/payments', { ...filter, limit: '2', cursor: first.pagination.cursor });
    const all = idsOf(await merchant.get('/payments', filter));

    expect([...idsOf(first), ...idsOf(second)]).toEqual(all);
    expect(second.pagination).toEqual({ cursor: null, has_more: false });
    expect(idsOf(await merchant.get('/payments', { ...filter, status: 'created' }))).toHaveLength(1);
    expect(idsOf(await merchant.get('/payments', { ...filter, route: 'routed' }))).toEqual([]);
    expect(idsOf(await merchant.get('/payments', { ...filter, starting_after: all[0] ?? '' }))).toEqual(all.slice(1));
    const { status } = await merchant.request('GET', '/payments', {
      query: { customer_reference: 'another', cursor: first.pagination.cursor },
    });
    expect(status).toBe(400);
  });

  test("never lists another account's or the other mode's", async () => {
    const stranger = await app.newMerchant();
    for (const one of [stranger, merchant.live])
      for (const filter of [{ customer_reference: KIM.reference }, { customer_email: KIM.email }])
        expect(idsOf(await one.get('/payments', filter))).toEqual([]);
  });
});

async function pay(merchant: Merchant, sessionId: string) {
  return merchant.pay(sessionId);
}

/** What the parts of a signed statement say. */
function decoded(text: string): string {
  return text
    .split(/[^A-Za-z0-9_-]+/)
    .map((part) => Buffer.from(part, 'base64url').toString())
    .join(' ');
}
