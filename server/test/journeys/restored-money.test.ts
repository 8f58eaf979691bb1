import { toHex } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { later } from '../../src/platform/time.ts';
import { reclaimJob } from '../../src/settlement/attribution/reclaim-referenced.ts';
import { findLoose } from '../../src/settlement/restored.ts';
import { type Settlement, startSettlement } from '../support/settlement.ts';

// Money that is already on the chain when its session is created again after a restore.
let shop: Settlement;
beforeAll(async () => {
  shop = await startSettlement({ movableClock: true });
});
afterAll(() => shop[Symbol.asyncDispose]());

test('money that carries the reference of a session is found once the session is created again, and only once', async () => {
  const session = await create('by reference');
  const { payment } = await shop.choose(session.id);
  await loseNewestRows();
  await shop.send(49_000_000n, { tag: Buffer.from(payment.tag.slice(2), 'hex') });
  await shop.settle();
  expect(await shop.unattributed()).toMatchObject([{ amount: '49.000000', reason: 'no_match' }]);

  await pass(600);
  expect((await create('by reference')).id).toBe(session.id);
  await work();
  await shop.settle();
  expect(await shop.walk(session.id)).toEqual(['created', 'pending', 'paid']);
  expect(await shop.unattributed()).toEqual([]);
  await work();
  expect(await shop.walk(session.id)).toEqual(['created', 'pending', 'paid']);
});

test('money that only an exact amount identifies is not attributed, and is listed with the session whose amount it is', async () => {
  const session = await create('by amount');
  const { payment } = await shop.choose(session.id);
  await loseNewestRows();
  const from = later(await shop.ctx.db.now(), -60_000);
  await shop.send(units(payment.amount));
  await shop.settle();
  await pass(600);

  expect((await create('by amount')).id).toBe(session.id);
  expect((await shop.choose(session.id)).payment.amount).toBe(payment.amount);
  await work();
  await shop.settle();
  expect(await shop.walk(session.id)).toEqual(['created', 'pending']);
  const { id } = await shop.payment(session.id);
  expect(await findLoose(shop.ctx, from)).toMatchObject([
    { transfer: { amountUnits: units(payment.amount) }, candidates: [{ id, orderId: 'by amount' }] },
  ]);
});

async function create(key: string): Promise<{ id: string }> {
  const body = { amount: '49.00', order_id: key, expires_in: 7200 };
  return shop.merchant.post('/checkout/sessions', body, { idempotencyKey: key });
}

const units = (amount: string) => BigInt(amount.replace('.', '').padEnd(8, '0'));

async function work(): Promise<void> {
  await reclaimJob.run(shop.ctx, new AbortController().signal, () => {});
}

async function pass(seconds: number): Promise<void> {
  await shop.app.pass(seconds);
  await shop.chain.rpc('evm_increaseTime', [toHex(seconds)]);
  await shop.settle();
}

/** The database as in a backup from before the sessions. */
async function loseNewestRows(): Promise<void> {
  await shop.ctx.db.query(
    'test_lose_rows',
    'truncate checkout_sessions, payments, payment_states, payment_targets, reserved_amounts, events, idempotency_keys cascade',
  );
}
