import { afterAll, beforeAll, expect, test } from 'vitest';
import { DAY_MS, later, MINUTE_MS } from '../../../src/platform/time.ts';
import { MAX_TRANSFERS_OF_PAYMENT } from '../../../src/settlement/attribution/attribute.ts';
import { findPricingTargets } from '../../../src/settlement/records/target-store.ts';
import { FakeNetwork, type FakeCheckout } from '../../support/fake-network.ts';
import type { Tx } from '../../programs/simulation/ledger.ts';

// Anyone with the link of a checkout can pay it in slices, and choose again and again.
let net: FakeNetwork;
beforeAll(async () => {
  net = await FakeNetwork.start();
});
afterAll(() => net[Symbol.asyncDispose]());

test('a payment counts 200 transfers, lists further parts with its name, and is paid by one that covers the rest', async () => {
  const wallet = await net.wallet();
  const checkout = await net.checkout(wallet);
  await net.blocks(1);
  const first = await sendPart(checkout, 1_000_000n);
  await net.blocks(5);
  await slice(first.hash, MAX_TRANSFERS_OF_PAYMENT - 2);

  const last = await sendPart(checkout, 2_000_000n);
  await net.blocks(5);
  expect(await stored(last)).toMatchObject({ paymentId: expect.any(String), status: 'final' });
  const received = await amountReceived(checkout);

  const beyond = await sendPart(checkout, 3_000_000n);
  await net.blocks(5);
  const { paymentId } = await stored(last);
  expect(await stored(beyond)).toEqual({
    paymentId: null,
    nearPaymentId: paymentId,
    reason: 'too_small',
    status: 'final',
  });
  expect(await amountReceived(checkout)).toBe(received);

  // The merchant can still assign it.
  const [{ id }] = (await net.app.merchant.live.get('/transfers', { unattributed: 'true' })).data;
  await net.app.merchant.live.dashboard.post(`/transfers/${id}/assign`, { payment: paymentId });
  await net.blocks(2);
  expect(Number(await amountReceived(checkout))).toBe(Number(received) + 3);

  const rest = await sendPart(checkout, 45_000_000n);
  await net.blocks(5);
  expect(await stored(rest)).toMatchObject({ paymentId });
  expect(await net.status(checkout)).toBe('paid');
});

test('an assessment loads the newest amounts of a checkout and those that price its money, however often it chose', async () => {
  const checkout = await net.checkout(await net.wallet());
  await net.blocks(1);
  const part = await sendPart(checkout, 1_000_000n);
  await net.blocks(5);
  const { paymentId } = await stored(part);
  const [paid] = await net.app.ctx.db.query<{ at: Date }>(
    'test_paid_at',
    'select block_time as at from transfers where tx_hash = $1',
    [part.hash],
  );
  if (!paid || !paymentId) throw new Error('the part was not attributed');
  // Every minute for three days before and after the transfer.
  await net.app.ctx.db.query(
    'test_choose',
    `
    insert into payment_targets (id, payment_id, livemode, kind, asset, network, address, amount_units,
      required_units, rate, locked_until, refund_address, sender, takes_tag, created_at)
    select t.id || ' ' || to_char(at, 'FM00000'), payment_id, livemode, kind, asset, network, address, amount_units, required_units, rate,
           $2::timestamptz + (at + 15) * interval '1 minute', refund_address, sender, takes_tag, $2::timestamptz + at * interval '1 minute'
      from payment_targets t cross join generate_series(-4320, 4320) at
     where payment_id = $1`,
    [paymentId, later(paid.at, 1)],
  );
  const loaded = await findPricingTargets(net.app.ctx.db, [paymentId]);
  const minutes = loaded.map(({ createdAt }) => Math.round((createdAt.getTime() - paid.at.getTime()) / MINUTE_MS));
  // The newest, and those whose price was locked when the money was sent.
  expect(minutes.filter((minute) => minute > 4_120)).toHaveLength(200);
  expect(new Set(minutes.filter((minute) => minute < 4_000))).toEqual(
    new Set(Array.from({ length: 16 }, (_, at) => at - 15)),
  );
  expect(loaded.length).toBeLessThan(200 + 50);
  expect(loaded.map(({ createdAt }) => createdAt)).toEqual(
    loaded.map(({ createdAt }) => createdAt).toSorted((a, b) => a.getTime() - b.getTime()),
  );

  // The price of a dollar coin is locked for a day.
  await net.app.ctx.db.query(
    'test_choose_early',
    'delete from payment_targets where payment_id = $1 and created_at between $2 and $3',
    [paymentId, later(paid.at, -DAY_MS / 2), later(paid.at, DAY_MS)],
  );
  const early = (await findPricingTargets(net.app.ctx.db, [paymentId]))[0]?.createdAt;
  expect(paid.at.getTime() - (early?.getTime() ?? 0)).toBeLessThan(DAY_MS / 2 + 2 * MINUTE_MS);
});

/** A part of a payment that carries its reference. */
async function sendPart({ id, wallet }: FakeCheckout, amountUnits: bigint): Promise<Tx> {
  const { body } = await net.app.inject('GET', `/v1/public/checkout/sessions/${id}`);
  const part = net.transaction(wallet, amountUnits);
  for (const movement of part.movements)
    movement.carried = [Buffer.from(body.data.payment.tag.slice(2), 'hex').subarray(4)];
  net.send(part);
  return part;
}

/** Copies of a final transfer, each worth a cent. */
async function slice(hash: string, count: number): Promise<void> {
  await net.app.ctx.db.query(
    'test_slice',
    `
    insert into transfers (id, livemode, network, tx_hash, index, asset, from_address, to_address, amount_units,
      block_number, block_hash, block_time,
                           carried, unproven, status, payment_id, attributed_by, evidence, first_seen_at, final_at, queued)
    select t.id || ' ' || at, livemode, network, tx_hash, at, asset, from_address, to_address, 10000, block_number, block_hash, block_time,
           carried, unproven, status, payment_id, attributed_by, evidence, first_seen_at, final_at, queued
      from transfers t cross join generate_series(1, $2::integer) at
     where tx_hash = $1`,
    [hash, count],
  );
}

async function stored(tx: Tx) {
  const [row] = await net.app.ctx.db.query<{
    paymentId: string | null;
    nearPaymentId: string | null;
    reason: string | null;
    status: string;
  }>('test_stored', 'select payment_id, near_payment_id, reason, status from transfers where tx_hash = $1 limit 1', [
    tx.hash,
  ]);
  if (!row) throw new Error('the transfer was not stored');
  return row;
}

async function amountReceived({ id }: FakeCheckout): Promise<string> {
  return (await net.app.inject('GET', `/v1/public/checkout/sessions/${id}`)).body.data.payment.amount_received;
}
