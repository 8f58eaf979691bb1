import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Merchant, startApp, type TestApp } from '../../support/index.ts';

type Data = any;

const CUSTOMER = '0x8617E340B3D01FA5F11F306F4090FD50E238070D';

let app: TestApp;
let merchant: Merchant;
beforeAll(async () => {
  app = await startApp();
  merchant = app.merchant;
});
afterAll(() => app.stop());

async function payment(outcome: string, customer?: object): Promise<Data> {
  const session = await merchant.createSession({ amount: '98.00', ...(customer && { customer }) });
  const { payment: id } = await merchant.pay(session.id, outcome);
  return merchant.get(`/payments/${id}`);
}

const giveBack = (id: string, amount: string) =>
  merchant.post(`/payments/${id}/refunds`, { to: CUSTOMER, amount, tx_hash: `0x${'12'.repeat(32)}` });
const idsOf = async (query: Record<string, string>) =>
  (await merchant.get('/payments', query)).data.map(({ id }: Data) => id);
async function dashboard(path: string): Promise<Data> {
  const headers = { 'service-mode': 'test' };
  return (await app.inject('GET', `/dashboard/api${path}`, { token: merchant.loginToken, headers })).body.data;
}
const onHome = async (): Promise<string[]> => (await dashboard('/attention')).overpaid.map(({ id }: Data) => id);

test('overpaid and partly refunded payments are found as what they are, until that ends', async () => {
  const [paid, short] = [await payment('paid'), await payment('refund_required')];
  const over = await payment('overpaid', { reference: 'kim' });
  expect(await idsOf({ balance: 'overpaid' })).toEqual([over.id]);
  expect(await idsOf({ balance: 'overpaid', customer_reference: 'kim' })).toEqual([over.id]);
  expect(await idsOf({ balance: 'overpaid', customer_reference: 'ada' })).toEqual([]);
  expect(await idsOf({ balance: 'overpaid', status: 'refunded' })).toEqual([]);
  expect(await idsOf({ balance: 'overpaid', route: 'routed' })).toEqual([]);
  expect(await idsOf({ balance: 'partly_refunded' })).toEqual([]);
  expect(await onHome()).toEqual([over.id]);

  // A surplus of which a part went back is still one.
  await giveBack(over.id, '1.00');
  expect(await idsOf({ balance: 'overpaid' })).toEqual([over.id]);
  const { surplus } = await merchant.get(`/payments/${over.id}`);
  await giveBack(over.id, (Number(surplus) - 1).toFixed(2));
  expect(await idsOf({ balance: 'overpaid' })).toEqual([]);
  expect(await idsOf({ balance: 'partly_refunded' })).toEqual([over.id]);
  expect(await onHome()).toEqual([]);

  await giveBack(paid.id, '10.00');
  await giveBack(short.id, '0.50');
  const parts = [over.id, short.id, paid.id];
  expect(await idsOf({ balance: 'partly_refunded' })).toEqual(parts);
  expect(await idsOf({ balance: 'partly_refunded', status: 'paid' })).toEqual([over.id, paid.id]);
  expect(await idsOf({ balance: 'partly_refunded', limit: '1', cursor: over.id })).toEqual([short.id]);

  await giveBack(paid.id, '88.00');
  expect(await merchant.get(`/payments/${paid.id}`)).toMatchObject({ status: 'refunded' });
  expect(await idsOf({ balance: 'partly_refunded' })).toEqual([over.id, short.id]);
});

test('a planned refund is not a returned one, and an unknown balance is refused by name', async () => {
  const owner = merchant;
  const { id } = await payment('paid');
  await owner.post(`/payments/${id}/refunds`, { to: CUSTOMER, amount: '5.00' });
  expect(await idsOf({ balance: 'partly_refunded' })).not.toContain(id);
  await expect(owner.get('/payments', { balance: 'unbalanced' })).rejects.toMatchObject({
    status: 400,
    code: 'invalid_list_request',
    param: 'balance',
  });
});

test('the export filters by it too', async () => {
  const { id } = await payment('overpaid');
  const { raw } = await app.inject('GET', '/dashboard/api/payments.csv', {
    token: merchant.loginToken,
    query: { mode: 'test', balance: 'overpaid' },
  });
  const lines = raw.trim().split('\r\n');
  expect(lines).toHaveLength(2);
  expect(lines[1]).toContain(id);
});

test('a surplus that refunds are to return is not shown to be refunded, and the next refund says so', async () => {
  const { id, surplus } = await payment('overpaid');
  const plan = () => dashboard(`/payments/${id}/refund-plan`);
  const planned = await merchant.post(`/payments/${id}/refunds`, { to: CUSTOMER, amount: '4.00' });
  expect(await onHome()).toContain(id);
  expect(await plan()).toMatchObject({ begun: '4.00', surplus: expect.any(String) });
  const rest = (Number(surplus) - 4).toFixed(2);
  const asked = await merchant.post(`/payments/${id}/refunds`, { amount: rest, link: {} });
  expect(await onHome()).not.toContain(id);
  expect(await plan()).toMatchObject({ begun: surplus, surplus: null });
  // What is returned is said by the payment itself.
  await merchant.post(`/refunds/${planned.id}/sent`, { tx_hash: `0x${'34'.repeat(32)}` });
  expect((await plan()).begun).toBe(rest);
  await merchant.post(`/refunds/${asked.id}/cancel`);
  expect((await plan()).begun).toBeNull();
  expect(await onHome()).toContain(id);
});
