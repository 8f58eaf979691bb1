import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { refundsJob } from '../../../src/resources/refunds/verify.ts';
import { type Settlement, startSettlement } from '../../support/settlement.ts';

type Data = any;

let shop: Settlement;
let customer: `0x${string}`;
let sender: `0x${string}`;
beforeAll(async () => {
  shop = await startSettlement();
  [, customer, sender] = shop.chain.accounts.map(({ address }) => address) as [string, `0x${string}`, `0x${string}`];
});
afterAll(() => shop[Symbol.asyncDispose]());

/** A live payment of 98.00 that was paid. */
async function paid(): Promise<string> {
  const { id, amountUnits, tag } = await shop.checkout({ amount: '98.00' });
  await shop.send(amountUnits, { tag });
  await shop.settle();
  return (await shop.payment(id)).id;
}

const create = (id: string, body: object) => shop.merchant.post(`/payments/${id}/refunds`, { to: customer, ...body });
const read = (id: string) => shop.merchant.get(`/refunds/${id}`);
const report = (id: string, txHash: string) => shop.merchant.post(`/refunds/${id}/sent`, { tx_hash: txHash });
/** From a wallet that is not watched. */
const sendBack = (units: bigint) => shop.send(units, { from: sender, to: customer });
const sendReverted = () => shop.chain.send({ from: sender, to: shop.usdc, data: '0xdeadbeef', gas: 100_000n } as never);

/** Looks once at every refund that is sent. */
async function look(): Promise<void> {
  await shop.pass(20 * 60);
  await refundsJob.run(shop.ctx, new AbortController().signal, () => {});
}

async function eventsOf(objectId: string): Promise<string[]> {
  const rows = await shop.ctx.db.query<{ type: string }>(
    'test_events_of',
    'select type from events where object_id = $1 order by sequence',
    [objectId],
  );
  return rows.map(({ type }) => type);
}

test('a transaction that reverted fails no refund while its block is not final', async () => {
  const refund = await create(await paid(), { tx_hash: await sendReverted() });
  await look();
  expect(await read(refund.id)).toMatchObject({ status: 'sent', failure_reason: null });
  await shop.chain.mine(3);
  await look();
  expect(await read(refund.id)).toMatchObject({ status: 'failed', failure_reason: 'transaction_reverted' });
});

describe('a refund that failed', () => {
  /** Of 40.00, whose transaction reverted. */
  async function failed(payment: string): Promise<{ id: string; reverted: string }> {
    const reverted = await sendReverted();
    const { id } = await create(payment, { amount: '40.00', tx_hash: reverted });
    await shop.chain.mine(3);
    await look();
    expect(await read(id)).toMatchObject({ status: 'failed' });
    return { id, reverted };
  }

  test('counts once another transaction is named that returned its money, if its amount is still left', async () => {
    const id = await paid();
    const refund = await failed(id);
    await create(id, { amount: '58.00' });
    expect(await report(refund.id, refund.reverted)).toMatchObject({ status: 'failed', sequence: 2 });
    const hash = await sendBack(40_000_000n);
    expect(await report(refund.id, hash)).toMatchObject({ status: 'sent', tx_hash: hash, failure_reason: null });
    await expect(create(id, { amount: '0.01' })).rejects.toMatchObject({ status: 400, param: 'amount' });
    await shop.chain.mine(3);
    await look();
    expect(await read(refund.id)).toMatchObject({ status: 'final', verified: true });
    expect(await shop.merchant.get(`/payments/${id}`)).toMatchObject({ refunded_amount: '40.00' });
    expect(await eventsOf(refund.id)).toEqual(['refund.created', 'refund.failed', 'refund.final']);
  });

  test('and was sent all the same is shown, and never counts, if its amount belongs to another one', async () => {
    const id = await paid();
    const refund = await failed(id);
    const other = await create(id, {});
    const before = await shop.merchant.get(`/payments/${id}`);
    const hash = await sendBack(40_000_000n);
    const uncounted = { status: 'cancelled', tx_hash: hash, failure_reason: null };
    expect(await report(refund.id, hash)).toMatchObject(uncounted);
    await shop.chain.mine(3);
    await look();
    expect(await read(refund.id)).toMatchObject(uncounted);
    expect(await shop.merchant.get(`/payments/${id}`)).toEqual(before);
    const headers = { cookie: `session=${shop.merchant.loginToken}`, 'service-mode': 'live' };
    const { body } = await shop.app.inject('GET', '/dashboard/api/attention', { headers });
    expect(body.data.uncounted_refunds.map((one: Data) => one.id)).toContain(refund.id);
    await shop.merchant.post(`/refunds/${other.id}/cancel`);
    expect(await report(refund.id, hash)).toMatchObject({ status: 'sent' });
  });
});
