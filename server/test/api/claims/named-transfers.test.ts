import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Transfer } from '../../../src/outside/chains/chain.ts';
import { later, MINUTE_MS } from '../../../src/platform/time.ts';
import { type Merchant, startApp, type TestApp } from '../../support/index.ts';
import { arrive, transferTo } from '../../support/transfers.ts';
import { count, newHash, submit } from './claims.ts';

let app: TestApp;
let made = 0;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

test('who names a transfer with a rounded amount reads that it arrived, and the merchant reads who named it', async () => {
  const { merchant, address } = await shop();
  const session = await begin(merchant, { order_id: 'order-1028' });
  const { txHash } = await receive(address, { amountUnits: 49_000_000n });
  expect(await named(merchant)).toMatchObject([{ reason: 'no_match', payment: null, named_by: [] }]);
  expect(await others(session)).toEqual([]);

  expect((await submit(app, session, { tx_hash: txHash })).status).toBe(202);
  const seen = { asset: 'USDC', network: 'base', amount: '49.000000', tx_hash: txHash, reason: 'no_match' };
  expect(await others(session)).toEqual([seen]);
  const { payment } = await merchant.get(`/checkout/sessions/${session}`);
  expect(await named(merchant)).toMatchObject([
    { reason: 'no_match', payment: null, order_id: null, named_by: [{ payment, order_id: 'order-1028' }] },
  ]);
  await expect.poll(() => says(session)).toEqual(['can’t be matched to this order', 'We received a different payment']);

  await app.inject('POST', `/v1/public/checkout/sessions/${session}/test`, { body: { action: 'expire' } });
  await expect
    .poll(() => says(session))
    .toEqual(['can’t be matched to this order', '<button>Try again', 'We received a different payment']);
  // Nothing was decided, and the merchant decides as before.
  expect(await merchant.get(`/payments/${payment}`)).toMatchObject({ status: 'expired', tx_hashes: [] });
  const id = (await named(merchant))[0]?.id;
  await merchant.dashboard.post(`/transfers/${id}/assign`, { payment });
  expect(await merchant.get(`/transfers`)).toMatchObject({ data: [{ payment, order_id: 'order-1028', named_by: [] }] });
  expect(await others(session)).toEqual([]);
});

test('a hash that leads to nothing for its checkout is not said to have arrived, and keeps the customer from paying again', async () => {
  const { merchant, address } = await shop();
  const elsewhere = await shop();
  const before = await receive(address, { amountUnits: 49_000_000n }, -2);
  const session = await begin(merchant);
  const notMine = await receive(elsewhere.address, { amountUnits: 49_000_000n });
  for (const tx_hash of [before.txHash, notMine.txHash, newHash()]) await submit(app, session, { tx_hash });
  expect(await others(session)).toEqual([]);
  expect((await named(merchant)).concat(await named(elsewhere.merchant))).toMatchObject([
    { named_by: [] },
    { named_by: [] },
  ]);
  await expect.poll(() => says(session)).toEqual(['looking for it']);
  await app.inject('POST', `/v1/public/checkout/sessions/${session}/test`, { body: { action: 'expire' } });
  await expect.poll(() => says(session)).toEqual(['isn’t recognized', '<button>Try again']);
});

test('of a named transfer in another coin or on another network it is said only that it is not matched', async () => {
  const { merchant, address } = await shop();
  const session = await begin(merchant);
  const coin = await receive(address, { asset: 'ETH', amountUnits: 10n ** 16n });
  const far = await receive(address, { network: 'polygon', amountUnits: 49_000_000n });
  for (const { txHash } of [coin, far]) await submit(app, session, { tx_hash: txHash });
  // Any other reason asks for a refund of what may be another's.
  expect((await others(session)).map(({ reason }) => reason)).toEqual(['no_match', 'no_match']);
  expect((await named(merchant)).map((one) => one.named_by.length)).toEqual([1, 1]);
});

test('a stranger reads nothing of a transfer that the chain does not say, and changes nothing for its payment', async () => {
  const { merchant, address } = await shop();
  const [own, stranger] = [await begin(merchant), await begin(merchant)];
  const { amount } = (await look(own)).payment;
  const { txHash } = await receive(address, { amountUnits: BigInt(amount.replace('.', '')) });
  const free = await receive(address, { amountUnits: 49_000_000n });
  for (const tx_hash of [txHash, free.txHash]) await submit(app, stranger, { tx_hash });
  // Both read the same, whether a payment has it or not.
  expect((await others(stranger)).map(({ reason }) => reason)).toEqual(['no_match', 'no_match']);
  expect(await others(own)).toEqual([]);
  expect((await look(own)).payment.amount_seen).toBe(amount);
  const { data } = await merchant.get('/transfers');
  expect(data.find((one: { tx_hash: string }) => one.tx_hash === txHash)).toMatchObject({ named_by: [] });
});

test('three checkouts are listed for a transfer, those that named it first, and none of another account', async () => {
  const { merchant, address } = await shop();
  const other = await app.newMerchant();
  await other.createWallet({ address });
  const strange = await begin(other);
  const sessions = [];
  for (let at = 0; at < 4; at += 1) sessions.push(await begin(merchant, { order_id: `order-${at}` }));
  const { txHash } = await receive(address, { amountUnits: 49_000_000n });
  for (const session of [strange, ...sessions]) await submit(app, session, { tx_hash: txHash });
  const [mine, theirs] = [await named(merchant), await named(other)];
  expect(mine[0]?.named_by.map(({ order_id: order }) => order)).toEqual(['order-0', 'order-1', 'order-2']);
  expect(theirs[0]?.named_by).toHaveLength(1);
  expect(await others(sessions[3] ?? '')).toHaveLength(1);
});

test('what one provider alone reports, or waits for attribution, is not said to have arrived', async () => {
  const { merchant, address } = await shop();
  const session = await begin(merchant);
  const { txHash } = await receive(address, { amountUnits: 49_000_000n });
  await submit(app, session, { tx_hash: txHash });
  const states = ['confirmed = false', 'confirmed = true, queued = true', `queued = false, status = 'dropped'`];
  for (const [at, state] of states.entries()) {
    await app.ctx.db.query(`test_state_${at}`, `update transfers set ${state} where tx_hash = $1`, [txHash]);
    expect(await others(session), state).toEqual([]);
  }
});

test('a transaction of which the payment has the money is not looked for, and leaves no trace once it has it', async () => {
  const { merchant, address } = await shop();
  const session = await begin(merchant);
  const { payment } = await merchant.get(`/checkout/sessions/${session}`);
  const hashes = [newHash(), newHash()];
  await submit(app, session, { tx_hash: hashes[0] });
  expect(await says(session)).toEqual(['looking for it']);
  for (const txHash of hashes) {
    const { id } = await receive(address, { amountUnits: 12_000_000n, txHash });
    await merchant.dashboard.post(`/transfers/${id}/assign`, { payment });
  }
  await submit(app, session, { tx_hash: hashes[1] });
  expect(await count(app, 'transaction_hints', session)).toBe(1);
  await expect.poll(() => says(session)).toEqual([]);
});

test('what one transaction pays another order is not said to be extra to the one that it pays too, nor what an order named before it was paid', async () => {
  const { merchant, address } = await shop();
  const [mine, other] = [await begin(merchant), await begin(merchant)];
  const { payment } = await merchant.get(`/checkout/sessions/${mine}`);
  const earlier = await receive(address, { amountUnits: 12_000_000n });
  const txHash = newHash();
  for (const tx_hash of [txHash, earlier.txHash]) await submit(app, mine, { tx_hash });
  expect(await others(mine)).toHaveLength(1);
  for (const [index, session] of [mine, other].entries()) {
    const { amount } = (await look(session)).payment;
    await receive(address, { amountUnits: BigInt(amount.replace('.', '')), txHash, index });
  }
  expect((await look(other)).payment.amount_seen).toBe((await look(other)).payment.amount);
  expect((await others(mine)).map((one) => one.tx_hash)).toEqual([earlier.txHash]);
  await app.ctx.db.query('test_paid', `update payments set status = 'paid', paid_at = now() where id = $1`, [payment]);
  expect(await others(mine)).toEqual([]);
});

test('a named transfer that the merchant has handled keeps no customer from paying', async () => {
  const { merchant, address } = await shop();
  const session = await begin(merchant);
  const { id, txHash } = await receive(address, { amountUnits: 49_000_000n });
  await submit(app, session, { tx_hash: txHash });
  expect(await others(session)).toHaveLength(1);
  await merchant.dashboard.post(`/transfers/${id}/handle`, {});
  expect(await others(session)).toEqual([]);
  await expect.poll(() => says(session)).toEqual([]);
});

/** A merchant of test mode with a wallet of their own. */
async function shop(): Promise<{ merchant: Merchant; address: string }> {
  const merchant = await app.newMerchant();
  const address = `0x77000000000000000000000000000000000000${(++made).toString().padStart(2, '0')}`;
  await merchant.createWallet({ address });
  return { merchant, address };
}

/** A checkout whose customer has chosen. */
async function begin(merchant: Merchant, fields = {}): Promise<string> {
  const { id } = await merchant.createSession(fields);
  const body = { pay_asset: 'USDC', pay_network: 'base' };
  expect((await app.inject('POST', `/v1/public/checkout/sessions/${id}/pay`, { body })).status).toBe(200);
  return id;
}

async function receive(to: string, fields: Partial<Transfer>, minutes = 0): Promise<Transfer & { id: string }> {
  const time = later(await app.ctx.db.now(), minutes * MINUTE_MS);
  const transfer = transferTo(to, { txHash: newHash(), block: { number: 1n, hash: '0x1', time }, ...fields });
  return { ...transfer, id: await arrive(app.ctx, transfer, false) };
}

interface Named {
  id: string;
  named_by: { payment: string; order_id: string | null }[];
}

async function named(merchant: Merchant): Promise<Named[]> {
  return (await merchant.get('/transfers', { unattributed: 'true' })).data;
}

async function look(session: string) {
  return (await app.inject('GET', `/v1/public/checkout/sessions/${session}`)).body.data;
}

async function others(session: string): Promise<{ reason: string; tx_hash: string }[]> {
  return (await look(session)).payment.other_transfers;
}

const SENTENCES =
  /can’t be matched to this order|isn’t recognized|looking for it|<button(?: class="primary")?>Try again|(?<=<p role="status">)We received a different payment/g;

/** What the page says of the transaction, in this order. */
async function says(session: string): Promise<string[]> {
  const { raw } = await app.inject('GET', `/checkout/${session}`);
  return raw.split('type="application/json"')[0]?.match(SENTENCES) ?? [];
}
