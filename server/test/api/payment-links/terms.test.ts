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

const open = (id: string, body: Record<string, unknown> = {}) =>
  app.inject('POST', `/v1/public/payment-links/${id}/open`, { body });
const headers = { 'content-type': 'application/x-www-form-urlencoded' };
const form = (id: string, fields: Record<string, string>) =>
  app.inject('POST', `/pay/${id}/open`, { headers, body: new URLSearchParams(fields).toString() });
const session = (id: string) => merchant.get(`/checkout/sessions/${id}`);

test('a link without terms is as before, and ignores what was not asked for', async () => {
  const link = await merchant.createLink();
  expect(link).toMatchObject({ ask_for: [], note_label: null, open_amount: null, ends_at: null, max_payments: null });
  const { status, body } = await open(link.id, { name: 'Kim', email: 'kim@example.com', note: 'x', amount: '1.00' });
  expect([status, body.data.amount]).toEqual([201, link.amount]);
  expect(await session(body.data.id)).toMatchObject({ customer: null, metadata: link.metadata });
});

describe('a link that asks who pays', () => {
  test('keeps name, email and note with the session, for the merchant alone', async () => {
    const link = await merchant.createLink({ ask_for: ['name', 'email', 'note'], metadata: { event: '12' } });
    expect(link.ask_for).toEqual(['name', 'email', 'note']);
    const { status, body } = await open(link.id, {
      name: ' Kim Reyes ',
      email: 'Kim@Example.com',
      note: 'Vegetarian\nplease',
    });
    expect(status).toBe(201);
    expect(JSON.stringify(body)).not.toContain('Kim');
    expect(await session(body.data.id)).toMatchObject({
      customer: { name: 'Kim Reyes', email: 'kim@example.com', reference: null },
      metadata: { event: '12', customer_note: 'Vegetarian\nplease' },
    });
  });

  test.each([
    [{}, 'name'],
    [{ name: '   ', email: 'kim@example.com' }, 'name'],
    [{ name: 'Kim' }, 'email'],
    [{ name: 'Kim', email: 'nonsense' }, 'email'],
    [{ name: 'x'.repeat(201), email: 'kim@example.com' }, 'name'],
  ])('refuses %j, and names the field', async (said, param) => {
    const link = await merchant.createLink({ ask_for: ['name', 'email'] });
    const { status, body } = await open(link.id, said);
    expect([status, body.error.code, body.error.param]).toEqual([400, 'invalid_request', param]);
  });

  test('requires a note that the merchant gave a name, on the page and in the API', async () => {
    const link = await merchant.createLink({ ask_for: ['note'], note_label: ' Order number ' });
    expect(link.note_label).toBe('Order number');
    const page = (await app.inject('GET', `/pay/${link.id}`)).raw.toString();
    expect(page).toContain('>Order number</label>');
    expect(/<input[^>]*name="note"[^>]*>/.exec(page)?.[0]).toContain('required');
    expect((await open(link.id, { note: ' ' })).body.error).toMatchObject({ code: 'invalid_request', param: 'note' });
    const refused = (await form(link.id, { note: '' })).raw.toString();
    expect(refused).toMatch(/<input[^>]*name="note"[^>]*aria-invalid="true"/);
    const { body } = await open(link.id, { note: '1042' });
    expect((await session(body.data.id)).metadata).toEqual({ customer_note: '1042' });
    const changed = await merchant.patch(`/payment-links/${link.id}`, { note_label: null });
    expect([changed.note_label, (await open(link.id)).status]).toEqual([null, 201]);
  });

  test('asks for a note only where its metadata has room for one, and none of that name', async () => {
    const pairs = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`key_${at}`, 'value']));
    const link = await merchant.createLink({ ask_for: ['note'], metadata: pairs(49) });
    const { body } = await open(link.id, { note: 'x' });
    expect((await session(body.data.id)).metadata).toEqual({ ...pairs(49), customer_note: 'x' });
    for (const metadata of [pairs(50), { customer_note: 'Ours' }]) {
      const refusal = { code: 'invalid_payment_link', param: 'ask_for' };
      await expect(merchant.createLink({ ask_for: ['name', 'note'], metadata })).rejects.toMatchObject(refusal);
      const plain = await merchant.createLink({ metadata });
      await expect(merchant.patch(`/payment-links/${plain.id}`, { ask_for: ['note'] })).rejects.toMatchObject(refusal);
      expect((await merchant.patch(`/payment-links/${plain.id}`, { ask_for: ['name'] })).ask_for).toEqual(['name']);
    }
  });

  test('never replaces what the merchant said of the customer', async () => {
    const customer = { email: 'ada@example.com', reference: 'customer-7' };
    const link = await merchant.createLink({ ask_for: ['name', 'email'], customer });
    const { body } = await open(link.id, { name: 'Kim', email: 'kim@example.com' });
    expect((await session(body.data.id)).customer).toEqual({ name: 'Kim', ...customer });
  });

  test('asks on its page, keeps what was typed, and opens once all is said', async () => {
    const link = await merchant.createLink({ ask_for: ['name', 'email', 'note'] });
    const page = (await app.inject('GET', `/pay/${link.id}`)).raw.toString();
    for (const name of ['name', 'email', 'note']) expect(page).toContain(`name="${name}"`);
    const refused = await form(link.id, { name: 'Kim <b>', email: 'kim@', note: '' });
    expect(refused.status).toBe(400);
    expect(refused.raw.toString()).toContain('value="Kim &lt;b>"');
    expect(refused.raw.toString()).toMatch(/<input[^>]*name="email"[^>]*value="kim@"[^>]*aria-invalid="true"/);
    // No one else sees it.
    expect((await app.inject('GET', `/pay/${link.id}`)).raw.toString()).not.toContain('Kim');
    const opened = await form(link.id, { name: 'Kim', email: 'kim@example.com', note: '' });
    expect(opened.status).toBe(303);
    const id = String(opened.headers.location).split('/').at(-1) ?? '';
    expect(await session(id)).toMatchObject({ customer: { name: 'Kim', email: 'kim@example.com' }, metadata: {} });
  });
});

test('a form says all that is wrong at once, and of an empty field that it is empty', async () => {
  const link = await merchant.createLink({ ask_for: ['name', 'email', 'note'], open_amount: { min: '5', max: '500' } });
  const refusals = async (fields: Record<string, string>) => {
    const page = (await form(link.id, fields)).raw.toString();
    return Object.fromEntries(
      [...page.matchAll(/id="link-(\w+)-hint" class="refused" role="alert">([^<]*)/g)].map(([, name, text]) => [
        name,
        text,
      ]),
    );
  };
  const range = 'Enter 5.00 to 500.00 USD.';
  const empty = 'Please fill this in.';
  expect(await refusals({ amount: '', name: '', email: ' ', note: '' })).toEqual({
    amount: range,
    name: empty,
    email: empty,
  });
  expect(await refusals({ amount: '1000', name: '', email: 'kim@example.com' })).toEqual({
    amount: range,
    name: empty,
  });
  const email = 'Enter a complete email address, such as kim@example.com.';
  expect(await refusals({ amount: '4', name: 'x'.repeat(201), email: 'kim@' })).toEqual({
    amount: range,
    name: 'Please check this.',
    email,
  });
  expect(await refusals({ amount: '25', name: 'Kim', email: 'kim@' })).toEqual({ email });
});

describe('an open amount', () => {
  test('is read from the form as people write it, in the currency of the link alone', async () => {
    const link = await merchant.createLink({ amount: '20.00', open_amount: { min: '5', max: '5000' } });
    const opened = async (amount: string) => {
      const { status, headers: answered } = await form(link.id, { amount });
      return status === 303 ? (await session(String(answered.location).split('/').at(-1) ?? '')).amount : status;
    };
    for (const [typed, amount] of [
      ['$25', '25.00'],
      ['25 usd', '25.00'],
      ['USD 25,50', '25.50'],
      ['٢٥', '25.00'],
      ['1,250.50', '1250.50'],
      ['1.250', 400],
      ['€25', 400],
      ['25 EUR', 400],
      ['2$5', 400],
      ['$', 400],
    ] as const)
      expect([typed, await opened(typed)]).toEqual([typed, amount]);
  });

  test('is the customer’s within the limits', async () => {
    const link = await merchant.createLink({ amount: '20.00', open_amount: { min: '5', max: '500' } });
    expect(link.open_amount).toEqual({ min: '5.00', max: '500.00' });
    for (const amount of ['5.00', '20', '500.00'])
      expect(Number((await open(link.id, { amount })).body.data.amount)).toBe(Number(amount));
    for (const amount of ['4.99', '500.01', '-5', '1e2', '12.345', 20])
      expect((await open(link.id, { amount })).body.error).toMatchObject({ code: 'invalid_request', param: 'amount' });
    expect((await open(link.id)).body.error.param).toBe('amount');
    expect((await form(link.id, { amount: ' 7,50 ' })).status).toBe(303);
    expect((await form(link.id, { amount: '4' })).status).toBe(400);
  });

  test('that is changed after going back is the amount of another checkout, and the same is of the same', async () => {
    const link = await merchant.createLink({ open_amount: {} });
    const key = newId('req');
    const pressed = async (amount: string) => {
      const { headers: answered } = await form(link.id, { amount, idempotency_key: key });
      return String(answered.location).split('/').at(-1) ?? '';
    };
    const [first, again, other] = [await pressed('5.00'), await pressed('5.00'), await pressed('50.00')];
    expect([again, (await session(first)).amount, (await session(other)).amount]).toEqual([first, '5.00', '50.00']);
  });

  test('is suggested by the page, unless it is the least one: a press then pays nothing by mistake', async () => {
    const filledIn = async (fields: Record<string, unknown>) => {
      const { raw } = await app.inject('GET', `/pay/${(await merchant.createLink(fields)).id}`);
      const [input = ''] = /<input[^>]*name="amount"[^>]*>/.exec(raw.toString()) ?? [];
      return /value="([^"]*)"/.exec(input)?.[1] ?? '';
    };
    expect(await filledIn({ amount: '20.00', open_amount: { min: '5' } })).toBe('20.00');
    expect(await filledIn({ amount: '5.00', open_amount: { min: '5' } })).toBe('');
    expect(await filledIn({ amount: '0.01', open_amount: {} })).toBe('');
    const link = await merchant.createLink({ amount: '0.01', open_amount: {} });
    expect((await form(link.id, { amount: '' })).status).toBe(400);
  });

  test.each([
    [{}, undefined, undefined],
    [{ min: '5' }, 'At least 5.00 USD', 'At least 5.00 USD'],
    [{ max: '500' }, '0.01 to 500.00', 'Enter 0.01 to 500.00 USD.'],
  ])('with the limits %j says on its page no limit that the merchant did not set', async (limits, before, after) => {
    const link = await merchant.createLink({ amount: '20.00', open_amount: limits });
    const hintOf = ({ raw }: { raw: unknown }) => /id="link-amount-hint"[^>]*>([^<]*)/.exec(String(raw))?.[1];
    expect(hintOf(await app.inject('GET', `/pay/${link.id}`))).toBe(before);
    expect(hintOf(await form(link.id, { amount: 'x' }))).toBe(after ?? 'Please check this.');
  });

  test('without limits is any amount, and a suggestion outside of them is refused', async () => {
    const link = await merchant.createLink({ open_amount: {} });
    expect(link.open_amount).toEqual({ min: '0.01', max: '999999999.99' });
    expect((await form(link.id, { amount: ',5' })).status).toBe(303);
    for (const [fields, param] of [
      [{ amount: '4.00', open_amount: { min: '5.00' } }, 'amount'],
      [{ amount: '6.00', open_amount: { max: '5.00' } }, 'amount'],
      [{ amount: '6.00', open_amount: { min: '9.00', max: '5.00' } }, 'open_amount.max'],
    ] as const)
      await expect(merchant.createLink(fields)).rejects.toMatchObject({ code: 'invalid_payment_link', param });
  });
});

describe('an end', () => {
  test('by a time: the page says so, and what was open stays payable', async () => {
    merchant = await app.newMerchant();
    const { now } = await merchant.post('/test_helpers/clock/advance', { seconds: 1 });
    const link = await merchant.createLink({ ends_at: new Date(Date.parse(now) + 3_600_000).toISOString() });
    const before = (await open(link.id)).body.data;
    expect((await app.inject('GET', `/pay/${link.id}`)).status).toBe(200);
    await merchant.post('/test_helpers/clock/advance', { seconds: 3_601 });
    expect((await open(link.id)).body.error.code).toBe('link_disabled');
    expect((await app.inject('GET', `/pay/${link.id}`)).status).toBe(409);
    expect((await merchant.get(`/payment-links/${link.id}`)).status).toBe('active');
    expect((await session(before.id)).id).toBe(before.id);
    const later = await merchant.patch(`/payment-links/${link.id}`, { ends_at: null });
    expect(later.ends_at).toBeNull();
    expect((await open(link.id)).status).toBe(201);
  });

  test('that has passed is refused, by the clock of the account, and one that the link has may be sent again', async () => {
    merchant = await app.newMerchant();
    const { now } = await merchant.post('/test_helpers/clock/advance', { seconds: 3_600 });
    const end = (seconds: number) => new Date(Date.parse(now) + 1_000 * seconds).toISOString();
    const refusal = { code: 'invalid_payment_link', param: 'ends_at' };
    await expect(merchant.createLink({ ends_at: end(-60) })).rejects.toMatchObject(refusal);
    const link = await merchant.createLink({ ends_at: end(60) });
    await merchant.post('/test_helpers/clock/advance', { seconds: 120 });
    const change = (fields: object) => merchant.patch(`/payment-links/${link.id}`, { description: 'Over', ...fields });
    await expect(change({ ends_at: end(90) })).rejects.toMatchObject(refusal);
    expect(await change({ ends_at: end(60) })).toMatchObject({ description: 'Over', ends_at: end(60) });
    expect((await change({ ends_at: end(180) })).ends_at).toBe(end(180));
  });

  test('by a number of payments', async () => {
    merchant = await app.newMerchant();
    const link = await merchant.createLink({ max_payments: 1 });
    const [first, second] = [(await open(link.id)).body.data, (await open(link.id)).body.data];
    const pay = (id: string) => merchant.pay(id);
    await pay(first.id);
    expect((await open(link.id)).body.error.code).toBe('link_disabled');
    expect((await pay(second.id)).status).toBe('paid');
  });
});

describe('PATCH /v1/payment-links/{id}', () => {
  test('changes the order number of the next checkouts, keeps it, and clears it', async () => {
    merchant = await app.newMerchant();
    const link = await merchant.createLink({ order_id: 'workshop-7' });
    const patched = async (fields: object) => (await merchant.patch(`/payment-links/${link.id}`, fields)).order_id;
    expect(await patched({ order_id: 'workshop-8' })).toBe('workshop-8');
    expect(await patched({ amount: '15.00' })).toBe('workshop-8');
    expect((await merchant.get(`/checkout/sessions/${(await open(link.id)).body.data.id}`)).order_id).toBe(
      'workshop-8',
    );
    expect(await patched({ order_id: null })).toBeNull();
  });

  test('changes what is sent for the next checkouts, and nothing else', async () => {
    merchant = await app.newMerchant();
    const link = await merchant.createLink({ amount: '12.00', success_url: 'https://shop.example.com/a' });
    const before = (await open(link.id)).body.data;
    const changed = await merchant.patch(`/payment-links/${link.id}`, {
      amount: '15.00',
      description: 'Two seats',
      ask_for: ['name'],
      success_url: null,
      payout_wallet_id: 'pp_other',
      currency: 'EUR',
      status: 'disabled',
    });
    expect(changed).toEqual({
      ...link,
      amount: '15.00',
      description: 'Two seats',
      ask_for: ['name'],
      success_url: null,
    });
    expect(await merchant.get(`/payment-links/${link.id}`)).toEqual(changed);
    expect((await session(before.id)).amount).toBe('12.00');
    expect((await open(link.id, { name: 'Kim' })).body.data).toMatchObject({
      amount: '15.00',
      description: 'Two seats',
    });
    expect(await merchant.patch(`/payment-links/${link.id}`, {})).toEqual(changed);
  });

  test("refuses what creation refuses, and strangers' links", async () => {
    merchant = await app.newMerchant();
    const link = await merchant.createLink();
    for (const [fields, param] of [
      [{ amount: '0' }, 'amount'],
      [{ description: '' }, 'description'],
      [{ ask_for: ['phone'] }, 'ask_for[0]'],
      [{ note_label: 'x'.repeat(61) }, 'note_label'],
      [{ ends_at: '2027-02-30' }, 'ends_at'],
      [{ ends_at: '2020-01-31' }, 'ends_at'],
      [{ ends_at: '9999-12-31T23:59:59.9999Z' }, 'ends_at'],
      [{ ends_at: '0001-01-01T00:00+02:00' }, 'ends_at'],
      [{ max_payments: 0 }, 'max_payments'],
      [{ success_url: 'javascript:alert(1)' }, 'success_url'],
    ] as const) {
      await expect(merchant.createLink(fields)).rejects.toMatchObject({ status: 400, param });
      const { status, body } = await merchant.request('PATCH', `/payment-links/${link.id}`, { body: fields });
      expect([status, body.error?.code, body.error?.param]).toEqual([400, 'invalid_payment_link', param]);
    }
    const stranger = await (await app.newMerchant()).createLink();
    const { status } = await merchant.request('PATCH', `/payment-links/${stranger.id}`, { body: { amount: '1.00' } });
    expect(status).toBe(404);
  });
});

test.each([
  ['was archived', 'archived_at = created_at, is_default = false'],
  ['turned out to be unfit', `unfit = 'It is a token account.'`],
  ['waits for its owner', 'unconfirmed = true'],
])(
  'the page of a link whose payout wallet %s says that it is over, with the contact, and has no form',
  async (_, set) => {
    merchant = await app.newMerchant();
    const link = await merchant.createLink({ ask_for: ['name'] });
    const read = () => app.inject('GET', `/pay/${link.id}`);
    expect((await read()).raw.toString()).toContain('name="name"');
    await app.ctx.db.query(`test_${set}`, `update payout_wallets set ${set} where id = $1`, [link.payout_wallet_id]);
    expect((await form(link.id, { name: 'Kim' })).headers.location).toBe(`/pay/${link.id}`);
    const { status, raw } = await read();
    expect(status).toBe(409);
    expect(raw.toString()).toContain('This payment link is no longer active');
    expect(raw.toString()).not.toContain('<form');
  },
);
