import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../../src/platform/ids.ts';
import { type Merchant, startApp, type TestApp } from '../../support/index.ts';

type Data = any;

const CUSTOMER = '0x8617E340B3D01FA5F11F306F4090FD50E238070D';
const OWN_WALLET = '0x52908400098527886E0F7030069857D2E4169EE7';

let app: TestApp;
let merchant: Merchant;
beforeAll(async () => {
  app = await startApp();
  merchant = app.merchant;
});
afterAll(() => app.stop());

/** A payment of 98.00 with this outcome of the test wallet. */
async function payment(outcome = 'paid', owner = merchant): Promise<Data> {
  const session = await owner.createSession({ amount: '98.00' });
  const { payment: id } = await owner.post(`/test_helpers/checkout/sessions/${session.id}/pay`, {
    pay_asset: 'USDC',
    pay_network: 'base',
    outcome,
  });
  const made = await owner.get(`/payments/${id}`);
  // A tenth more of an amount with all its digits is a cent more now and then.
  return made.surplus === '9.81' ? payment(outcome, owner) : made;
}

const refund = (id: string, body: object) => merchant.post(`/payments/${id}/refunds`, { to: CUSTOMER, ...body });
const refuse = async (id: string, body: object, owner = merchant) => {
  const { status, body: answer } = await owner.request('POST', `/payments/${id}/refunds`, {
    body: { to: CUSTOMER, ...body },
  });
  return { status, ...answer.error };
};
const report = (id: string, digits: string) =>
  merchant.post(`/refunds/${id}/sent`, { tx_hash: `0x${digits.repeat(32)}` });

async function events(objectId: string): Promise<string[]> {
  const rows = await app.ctx.db.query<{ type: string }>(
    'test_refund_events',
    'select type from events where object_id = $1 order by sequence',
    [objectId],
  );
  return rows.map(({ type }) => type);
}

describe('a payment says what arrived', () => {
  test('in full, too much and too little, in the display currency', async () => {
    expect(await payment()).toMatchObject({
      received_amount: '98.00',
      surplus: '0.00',
      refunded_amount: '0.00',
      refunds: [],
    });
    const overpaid = await payment('overpaid');
    expect(overpaid).toMatchObject({ status: 'paid', surplus: '9.80', refunded_amount: '0.00' });
    expect(overpaid.received_amount).toBe('107.80');
    const short = await payment('refund_required');
    expect(short.surplus).toBe('0.00');
    expect(Number(short.received_amount)).toBeGreaterThan(0);
    expect(Number(short.received_amount)).toBeLessThan(98);
  });

  test('not before it is final', async () => {
    const session = await merchant.createSession();
    const [row] = await app.ctx.db.query<{ id: string }>('test_of', 'select id from payments where session_id = $1', [
      session.id,
    ]);
    expect(await merchant.get(`/payments/${row?.id}`)).toMatchObject({ received_amount: null, surplus: '0.00' });
    expect(await refuse(String(row?.id), { amount: '1.00' })).toMatchObject({
      status: 400,
      code: 'invalid_payment_state',
    });
  });
});

describe('a refund', () => {
  test('of a surplus leaves the payment paid, and is planned, then final', async () => {
    const { id } = await payment('overpaid');
    const planned = await refund(id, { amount: '9.80', reason: 'Paid too much' });
    expect(planned).toMatchObject({
      id: expect.stringMatching(/^rf_/),
      object: 'refund',
      livemode: false,
      payment: id,
      status: 'planned',
      sequence: 1,
      amount: '9.80',
      currency: 'USD',
      coin_amount: '9.800000',
      asset: 'USDC',
      network: 'base',
      to: CUSTOMER,
      reason: 'Paid too much',
      tx_hash: null,
      verified: false,
      mismatch: null,
      failure_reason: null,
    });
    expect(await merchant.get(`/payments/${id}`)).toMatchObject({ refunded_amount: '0.00', refunds: [planned.id] });

    const sent = await report(planned.id, 'aB');
    // Test mode has no chain that could say more.
    expect(sent).toMatchObject({ status: 'final', sequence: 2, tx_hash: `0x${'ab'.repeat(32)}`, verified: false });
    expect(await merchant.get(`/refunds/${planned.id}`)).toEqual(sent);
    expect(await merchant.get(`/payments/${id}`)).toMatchObject({
      status: 'paid',
      refund: null,
      refunded_amount: '9.80',
      received_amount: '107.80',
      surplus: '9.80',
    });
    expect(await events(id)).not.toContain('payment.refunded');
    expect(await events(planned.id)).toEqual(['refund.created', 'refund.final']);
  });

  test('of parts makes the payment refunded once they cover its amount, with one event', async () => {
    const { id } = await payment();
    for (const amount of ['49.00', '48.99']) await report((await refund(id, { amount })).id, '11');
    expect(await merchant.get(`/payments/${id}`)).toMatchObject({ status: 'paid', refunded_amount: '97.99' });
    const last = await refund(id, { tx_hash: `0x${'22'.repeat(32)}`, reason: 'The rest' });
    expect(last).toMatchObject({ status: 'final', sequence: 2 });
    const after = await merchant.get(`/payments/${id}`);
    expect(after).toMatchObject({ status: 'refunded', refunded_amount: '98.00' });
    expect(after.refund).toMatchObject({ amount: '98.00', address: CUSTOMER, reason: 'The rest' });
    expect((await events(id)).filter((type) => type === 'payment.refunded')).toHaveLength(1);
    expect(after.refunds).toHaveLength(3);
  });

  test('of all that a payment brought that was too little makes it refunded too', async () => {
    const { id, received_amount } = await payment('refund_required');
    await report((await refund(id, {})).id, '33');
    expect(await merchant.get(`/payments/${id}`)).toMatchObject({
      status: 'refunded',
      refunded_amount: received_amount,
    });
  });

  test('takes an exact amount of the coin, to its last digit', async () => {
    const { id, actual_output } = await payment('overpaid');
    expect(await refund(id, { coin_amount: '0.000001' })).toMatchObject({ amount: '0.00', coin_amount: '0.000001' });
    const rest = await refund(id, {});
    const micros = (text: string) => BigInt(text.replace('.', ''));
    expect(micros(rest.coin_amount) + 1n).toBe(micros(actual_output));
    expect(await refuse(id, { coin_amount: '0.000001' })).toMatchObject({ status: 400, param: 'coin_amount' });
  });

  test('that is cancelled frees its amount, and one that is final does not', async () => {
    const { id } = await payment();
    const first = await refund(id, {});
    expect(await merchant.get(`/payments/${id}`)).toMatchObject({ status: 'paid', refunded_amount: '0.00' });
    expect(await refuse(id, { amount: '0.01' })).toMatchObject({
      status: 400,
      code: 'invalid_refund',
      param: 'amount',
    });
    expect(await merchant.post(`/refunds/${first.id}/cancel`)).toMatchObject({ id: first.id, status: 'cancelled' });
    expect(await merchant.post(`/refunds/${first.id}/cancel`)).toMatchObject({ status: 'cancelled', sequence: 1 });
    await expect(report(first.id, '44')).rejects.toMatchObject({ status: 400, code: 'invalid_payment_state' });
    const second = await refund(id, { amount: '1.00', tx_hash: `0x${'55'.repeat(32)}` });
    await expect(merchant.post(`/refunds/${second.id}/cancel`)).rejects.toMatchObject({
      status: 400,
      code: 'invalid_payment_state',
    });
  });

  test('is the same for a repeat of its Idempotency-Key', async () => {
    const { id } = await payment();
    const call = (amount: string) =>
      merchant.request('POST', `/payments/${id}/refunds`, {
        body: { to: CUSTOMER, amount },
        headers: { 'idempotency-key': `rf-${id}` },
      });
    const first = await call('1.00');
    expect(first.status).toBe(201);
    expect((await call('1.00')).raw).toBe(first.raw);
    expect((await call('2.00')).body.error.code).toBe('idempotency_conflict');
    expect((await merchant.get(`/payments/${id}`)).refunds).toHaveLength(1);
  });
});

describe('POST /v1/payments/{id}/refund, which records by word alone,', () => {
  test('is a refund of everything that is left', async () => {
    const { id } = await payment('overpaid');
    await report((await refund(id, { amount: '9.80' })).id, '66');
    expect(await merchant.post(`/payments/${id}/refund`, { reason: 'All' })).toMatchObject({
      status: 'refunded',
      refund: { amount: '98.00', reason: 'All' },
      refunded_amount: '107.80',
    });
    const { data } = await merchant.get(`/payments/${id}/refunds`);
    expect(data).toHaveLength(2);
    expect(data[0]).toMatchObject({ status: 'final', verified: false, tx_hash: null, to: null, amount: '98.00' });
    expect(await events(data[0].id)).toEqual(['refund.created', 'refund.final']);
    expect((await events(id)).filter((type) => type === 'payment.refunded')).toHaveLength(1);
    expect(await refuse(id, { coin_amount: '0.000001' })).toMatchObject({ status: 400 });
  });

  test('or of the amount that it names, and the payment is refunded all the same', async () => {
    const { id } = await payment();
    expect(await merchant.post(`/payments/${id}/refund`, { amount: '12.50' })).toMatchObject({
      status: 'refunded',
      refunded_amount: '12.50',
    });
    await report((await refund(id, {})).id, '77');
    expect(await merchant.get(`/payments/${id}`)).toMatchObject({ status: 'refunded', refunded_amount: '98.00' });
    expect((await events(id)).filter((type) => type === 'payment.refunded')).toHaveLength(1);
  });

  test('ends what was planned or asked, so that no one sends the money once more', async () => {
    const { id } = await payment();
    const planned = await refund(id, { amount: '40.00' });
    const asked = await merchant.post(`/payments/${id}/refunds`, { amount: '58.00', link: {} });
    expect(await merchant.post(`/payments/${id}/refund`)).toMatchObject({
      status: 'refunded',
      refunded_amount: '98.00',
      received_amount: '98.00',
    });
    for (const other of [planned, asked])
      expect(await merchant.get(`/refunds/${other.id}`)).toMatchObject({ status: 'cancelled' });
    await expect(report(planned.id, '78')).rejects.toMatchObject({ status: 400, code: 'invalid_payment_state' });
    expect(await events(planned.id)).toEqual(['refund.created']);
  });

  test.each([{ amount: '98.00' }, {}])('says %j of too little as no more than arrived', async (body) => {
    const { id, received_amount: arrived } = await payment('refund_required');
    expect(Number(arrived)).toBeLessThan(98);
    expect(await merchant.post(`/payments/${id}/refund`, body)).toMatchObject({ refunded_amount: arrived });
  });
});

describe('POST /v1/payments/{id}/accept', () => {
  test('is refused while all that arrived is to be returned, and for good once it was', async () => {
    const { id } = await payment('late');
    const accept = () => merchant.dashboard.request('POST', `/payments/${id}/accept`);
    const whole = await refund(id, {});
    expect((await accept()).body.error).toMatchObject({ code: 'invalid_payment_state' });
    await merchant.post(`/refunds/${whole.id}/cancel`);
    await refund(id, { amount: '10.00' });
    expect((await accept()).body.data).toMatchObject({ status: 'paid' });
  });
});

describe('lists', () => {
  test('newest first, of a payment and of the account, by status, payment and date, page by page', async () => {
    const owner = await app.newMerchant();
    const { id } = await payment('paid', owner);
    const other = await payment('paid', owner);
    const make = (of: string, body: object) => owner.post(`/payments/${of}/refunds`, { to: CUSTOMER, ...body });
    const [one, two] = [await make(id, { amount: '1.00' }), await make(id, { amount: '2.00' })];
    const three = await make(other.id, { amount: '3.00' });
    await owner.post(`/refunds/${two.id}/cancel`);
    const ids = async (path: string, query?: Record<string, string>) =>
      (await owner.get(path, query)).data.map((entry: Data) => entry.id);
    expect(await ids(`/payments/${id}/refunds`)).toEqual([two.id, one.id]);
    expect(await ids('/refunds')).toEqual([three.id, two.id, one.id]);
    expect(await ids('/refunds', { status: 'cancelled' })).toEqual([two.id]);
    expect(await ids('/refunds', { payment: id, status: 'planned' })).toEqual([one.id]);
    expect(await ids('/refunds', { created_before: '2020-01-01' })).toEqual([]);
    expect(await ids('/refunds', { created_after: one.created_at })).toContain(one.id);
    const page = await owner.get('/refunds', { limit: '2' });
    expect(page.pagination.has_more).toBe(true);
    expect(await ids('/refunds', { limit: '2', cursor: page.pagination.cursor })).toEqual([one.id]);
    expect(await ids('/refunds', { cursor: two.id })).toEqual([one.id]);
    for (const query of [{ status: 'done' }, { created_after: 'x' }, { cursor: 'cur_x' }, { limit: '0' }])
      await expect(owner.get('/refunds', query)).rejects.toMatchObject({ status: 400, code: 'invalid_list_request' });
  });
});

describe('bad input is refused, names its field and changes nothing', () => {
  test.each([
    ['amount', { amount: '98.01' }],
    ['amount', { amount: '0' }],
    ['amount', { amount: '-1' }],
    ['amount', { amount: '1e2' }],
    ['amount', { amount: 5 }],
    ['amount', { amount: null }],
    ['coin_amount', { coin_amount: '99.000000' }],
    ['coin_amount', { coin_amount: '0.0000001' }],
    ['coin_amount', { coin_amount: '0' }],
    ['coin_amount', { coin_amount: '0.000000' }],
    ['coin_amount', { coin_amount: '-1' }],
    ['coin_amount', { coin_amount: `1${'0'.repeat(40)}` }],
    ['coin_amount', { amount: '1.00', coin_amount: '1.000000' }],
    ['asset', { asset: 'USDT' }],
    ['asset', { asset: '' }],
    ['network', { network: 'ethereum' }],
    ['to', { to: '' }],
    ['to', { to: undefined }],
    ['to', { to: 'kim@example.com' }],
    ['to', { to: `${CUSTOMER}0` }],
    ['to', { to: CUSTOMER.replace('8617E', '8617e') }],
    ['to', { to: '0x0000000000000000000000000000000000000000' }],
    ['to', { to: OWN_WALLET }],
    ['to', { to: OWN_WALLET.toLowerCase() }],
    ['to', { to: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913' }],
    ['to', { to: '11111111111111111111111111111111' }],
    ['reason', { reason: 'r'.repeat(281) }],
    ['reason', { reason: '\ud800' }],
    ['tx_hash', { tx_hash: '0x1' }],
    ['tx_hash', { tx_hash: '' }],
    ['tx_hash', { tx_hash: `0x${'zz'.repeat(32)}` }],
  ])('%s of %j', async (param, body) => {
    const { id } = await payment();
    const before = await merchant.get(`/payments/${id}`);
    expect(await refuse(id, body)).toMatchObject({ status: 400, code: 'invalid_refund', param });
    expect(await merchant.get(`/payments/${id}`)).toEqual(before);
    expect((await merchant.get(`/payments/${id}/refunds`)).data).toEqual([]);
  });

  test('another wallet of the account, also an archived one', async () => {
    const owner = await app.newMerchant();
    const address = '0x71C7656EC7ab88b098defB751B7401B5f6d8976F';
    const { id } = await payment('paid', owner);
    const wallet = await owner.dashboard.createWallet({ address });
    expect(await refuse(id, { to: address, amount: '1.00' }, owner)).toMatchObject({ param: 'to' });
    await owner.dashboard.post(`/payout-wallets/${wallet.id}/archive`);
    expect(await refuse(id, { to: address.toLowerCase(), amount: '1.00' }, owner)).toMatchObject({ param: 'to' });
  });

  test('more than fifty refunds of one payment', async () => {
    const { id } = await payment();
    for (let made = 0; made < 50; made += 1) await refund(id, { amount: '0.01' });
    expect(await refuse(id, { amount: '0.01' })).toMatchObject({ status: 400, code: 'invalid_refund' });
  });

  test("strangers' ids, those of the other mode and unknown ones alike are 404", async () => {
    const stranger = await app.newMerchant();
    const { id } = await payment();
    const { id: refundId } = await refund(id, { amount: '1.00' });
    for (const [owner, path] of [
      [stranger, `/refunds/${refundId}`],
      [merchant.live, `/refunds/${refundId}`],
      [merchant, `/refunds/${newId('rf')}`],
      [merchant, '/refunds/rf_x'],
      [stranger, `/payments/${id}/refunds`],
    ] as const)
      await expect(owner.get(path)).rejects.toMatchObject({ status: 404, code: 'not_found' });
    await expect(stranger.post(`/refunds/${refundId}/cancel`)).rejects.toMatchObject({ status: 404 });
    await expect(stranger.post(`/payments/${id}/refunds`, { to: CUSTOMER })).rejects.toMatchObject({ status: 404 });
    expect(await refuse(newId('pay'), {})).toMatchObject({ status: 404 });
  });
});

test('a key needs refunds:read to read refunds and refunds:write to change them; reading is not writing', async () => {
  const { id } = await payment();
  const { id: refundId } = await refund(id, { amount: '1.00' });
  const keyed = async (...scopes: string[]) => {
    const { secret } = await merchant.dashboard.post('/api-keys', { mode: 'test', scopes });
    return async (method: 'GET' | 'POST', path: string, body?: object) =>
      (await app.inject(method, `/v1${path}`, { token: secret, body })).status;
  };
  const reader = await keyed('payments:read', 'payments:write', 'refunds:read');
  const writer = await keyed('refunds:write');
  for (const path of ['/refunds', `/refunds/${refundId}`, `/payments/${id}/refunds`]) {
    expect(await reader('GET', path)).toBe(200);
    expect(await writer('GET', path)).toBe(403);
  }
  const tx_hash = `0x${'88'.repeat(32)}`;
  for (const [path, body] of [
    [`/payments/${id}/refunds`, { to: CUSTOMER, amount: '1.00' }],
    [`/refunds/${refundId}/sent`, { tx_hash }],
    [`/refunds/${refundId}/cancel`, {}],
  ] as const)
    expect(await reader('POST', path, body)).toBe(403);
  expect(await writer('POST', `/payments/${id}/refunds`, { to: CUSTOMER, amount: '1.00' })).toBe(201);
  expect(await writer('POST', `/refunds/${refundId}/sent`, { tx_hash })).toBe(200);
});

test('events of refunds reach only the endpoints that name them, and lists and streams that do', async () => {
  const owner = await app.newMerchant();
  const all = await owner.createEndpoint();
  const named = await owner.createEndpoint({ events: ['refund.created', 'refund.final', 'refund.failed'] });
  const { id } = await payment('paid', owner);
  const made = await owner.post(`/payments/${id}/refunds`, { to: CUSTOMER, amount: '1.00' });
  const sent = await owner.post(`/refunds/${made.id}/sent`, { tx_hash: `0x${'99'.repeat(32)}` });
  const delivered = async (endpoint: Data) =>
    (await owner.get(`/webhook-endpoints/${endpoint.id}/deliveries`)).data.map((entry: Data) => entry.event_type);
  expect(await delivered(named)).toEqual(['refund.final', 'refund.created']);
  expect((await delivered(all)).every((type: string) => type.startsWith('payment.'))).toBe(true);
  const { data } = await owner.get('/events');
  expect(data.length).toBeGreaterThan(0);
  expect(data.every((event: Data) => event.type.startsWith('payment.'))).toBe(true);
  const finals = (await owner.get('/events', { type: 'refund.final' })).data;
  expect(finals).toMatchObject([{ type: 'refund.final', data: sent }]);
  expect(await owner.get(`/events/${finals[0].id}`)).toEqual(finals[0]);
});
