import { afterAll, beforeAll, describe, expect, test } from 'vitest';
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

/** A payment of 98.00 that was paid. */
async function payment(): Promise<Data> {
  const session = await merchant.createSession({ amount: '98.00' });
  const { payment: id } = await merchant.post(`/test_helpers/checkout/sessions/${session.id}/pay`, {
    pay_asset: 'USDC',
    pay_network: 'base',
    outcome: 'paid',
  });
  return merchant.get(`/payments/${id}`);
}

const refund = (id: string, body: object) => merchant.post(`/payments/${id}/refunds`, { to: CUSTOMER, ...body });
const report = (id: string, digits: string) =>
  merchant.post(`/refunds/${id}/sent`, { tx_hash: `0x${digits.repeat(32)}` });
const dashboard = async (method: 'GET' | 'POST', path: string, body?: object): Promise<Data> => {
  const headers = { cookie: `session=${merchant.loginToken}`, 'service-mode': 'test', 'sec-fetch-site': 'same-origin' };
  return (await app.inject(method, `/dashboard/api${path}`, { headers, ...(body && { body }) })).body.data;
};
const holdBy = (holder: string, ids: readonly string[], more: object = {}) =>
  dashboard('POST', '/refunds/hold', { refunds: ids, holder, address: OWN_WALLET, ...more });
const hold = (id: string) => holdBy('browser', [id]);

describe('a refund that a browser gives to its wallet', () => {
  test('is left to it by the others for ten minutes, with all that they wanted to send beside it', async () => {
    const { id } = await payment();
    const [one, two] = [await refund(id, { amount: '1.00' }), await refund(id, { amount: '2.00' })];
    expect(await holdBy('mine', [one.id])).toEqual({ others: [] });
    expect(await holdBy('mine', [one.id])).toEqual({ others: [] });
    const { others } = await holdBy('theirs', [one.id, two.id]);
    expect(others).toEqual([{ id: one.id, address: OWN_WALLET, until: expect.any(String) }]);
    const minutes = (Date.parse(others[0].until) - (await app.ctx.db.now()).getTime()) / 60_000;
    expect(Math.round(minutes)).toBe(10);
    // Nothing of theirs was taken.
    expect(await holdBy('third', [two.id])).toEqual({ others: [] });
    await app.ctx.db.query(
      'test_hold_ends',
      `update refunds set wallet = jsonb_set(wallet, '{until}', to_jsonb(now() - interval '1 second')) where id = $1`,
      [one.id],
    );
    expect(await holdBy('theirs', [one.id])).toEqual({ others: [] });
  });

  test('is free again when the wallet declines, and is taken over by a person who knows', async () => {
    const { id } = await payment();
    const one = await refund(id, { amount: '1.00' });
    const release = (holder: string) => dashboard('POST', '/refunds/release', { refunds: [one.id], holder });
    await holdBy('mine', [one.id]);
    await release('theirs');
    expect((await holdBy('theirs', [one.id])).others).toHaveLength(1);
    await release('mine');
    expect(await holdBy('theirs', [one.id])).toEqual({ others: [] });
    expect(await holdBy('mine', [one.id], { take_over: true })).toEqual({ others: [] });
    // The other wallet declines later.
    await release('theirs');
    expect((await holdBy('theirs', [one.id])).others).toHaveLength(1);
  });

  test('is taken by one of two browsers at once', async () => {
    const { id } = await payment();
    const ids = [(await refund(id, { amount: '1.00' })).id, (await refund((await payment()).id, {})).id];
    const holders = ['a', 'b', 'c', 'd', 'e', 'f'];
    const held = await Promise.all(holders.map((holder, at) => holdBy(holder, at % 2 === 0 ? ids : ids.toReversed())));
    expect(held.filter(({ others }: Data) => others.length === 0)).toHaveLength(1);
  });

  test('is planned, or is not given', async () => {
    const { id } = await payment();
    const one = await refund(id, { amount: '1.00' });
    await merchant.post(`/refunds/${one.id}/cancel`);
    expect(await hold(one.id)).toBeUndefined();
  });
});

test('a refund that two wallets sent after a take-over is listed with both transactions, however old its plan', async () => {
  const { id } = await payment();
  const one = await refund(id, { amount: '1.00' });
  await merchant.post('/test_helpers/clock/advance', { seconds: 31 * 86_400 });
  await holdBy('mine', [one.id]);
  await holdBy('theirs', [one.id], { take_over: true });
  const [first, second] = [`0x${'7c'.repeat(32)}`, `0x${'7d'.repeat(32)}`];
  expect(await report(one.id, '7c')).toMatchObject({ status: 'final', tx_hash: first });
  for (let times = 0; times < 2; times += 1)
    expect(await report(one.id, '7d')).toMatchObject({ status: 'final', tx_hash: first, sequence: 2 });
  expect(await merchant.get(`/payments/${id}`)).toMatchObject({ refunded_amount: '1.00' });
  const { uncounted_refunds: shown } = await dashboard('GET', '/attention');
  expect(shown.find((other: Data) => other.id === one.id)).toMatchObject({ tx_hash: first, other_tx_hashes: [second] });
  await merchant.post('/test_helpers/clock/advance', { seconds: 31 * 86_400 });
  expect((await dashboard('GET', '/attention')).uncounted_refunds).toEqual([]);
});

describe('a cancelled refund that a wallet had', () => {
  test('counts once its transaction is named, if its amount is still left', async () => {
    const { id } = await payment();
    const planned = await refund(id, { amount: '40.00' });
    await hold(planned.id);
    await merchant.post(`/refunds/${planned.id}/cancel`);
    await refund(id, { amount: '58.00' });
    expect(await report(planned.id, '79')).toMatchObject({ status: 'final', tx_hash: `0x${'79'.repeat(32)}` });
    expect(await merchant.get(`/payments/${id}`)).toMatchObject({ status: 'paid', refunded_amount: '40.00' });
    await expect(refund(id, { amount: '0.01' })).rejects.toMatchObject({ status: 400, param: 'amount' });
    const { data } = await merchant.get('/events', { type: 'refund.final' });
    expect(data.filter((event: Data) => event.data.id === planned.id)).toHaveLength(1);
  });

  test.each([
    ['by another one', (id: string) => refund(id, { amount: '58.01' })],
    ['by a refund that was recorded by word', (id: string) => merchant.post(`/payments/${id}/refund`)],
  ])('is shown as sent, and never counts, if its amount is taken %s', async (_what, take) => {
    const { id } = await payment();
    const planned = await refund(id, { amount: '40.00' });
    await hold(planned.id);
    await merchant.post(`/refunds/${planned.id}/cancel`);
    await take(id);
    const before = await merchant.get(`/payments/${id}`);
    expect(await report(planned.id, '7a')).toMatchObject({ status: 'cancelled', tx_hash: `0x${'7a'.repeat(32)}` });
    expect(await merchant.get(`/payments/${id}`)).toEqual(before);
    const { uncounted_refunds: shown } = await dashboard('GET', '/attention');
    expect(shown.map((one: Data) => one.id)).toContain(planned.id);
  });

  test('counts when its transaction is named again once its amount is free', async () => {
    const { id } = await payment();
    const planned = await refund(id, { amount: '40.00' });
    await hold(planned.id);
    await merchant.post(`/refunds/${planned.id}/cancel`);
    const other = await refund(id, { amount: '59.00' });
    expect(await report(planned.id, '7b')).toMatchObject({ status: 'cancelled' });
    await merchant.post(`/refunds/${other.id}/cancel`);
    expect(await report(planned.id, '7b')).toMatchObject({ status: 'final' });
    expect(await merchant.get(`/payments/${id}`)).toMatchObject({ refunded_amount: '40.00' });
  });
});
