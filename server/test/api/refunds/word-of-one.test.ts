import { getAddress } from 'viem';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { DAY_MS, later, MINUTE_MS } from '../../../src/platform/time.ts';
import { refundsJob } from '../../../src/resources/refunds/verify.ts';
import { type FakeProvider, removeFaults } from '../../programs/simulation/fake-provider.ts';
import type { Tx } from '../../programs/simulation/ledger.ts';
import { FakeNetwork } from '../../support/fake-network.ts';

// While the transaction of a refund is pending, no honest provider contradicts one that says that it moved nothing.
let net: FakeNetwork;
let one: FakeProvider;
let other: FakeProvider;
beforeAll(async () => {
  net = await FakeNetwork.start();
  [one, other] = net.fake.providers as [FakeProvider, FakeProvider];
});
afterAll(() => net[Symbol.asyncDispose]());
afterEach(() => {
  for (const provider of net.fake.providers) removeFaults(provider);
});

const read = (id: string) => net.app.merchant.live.get(`/refunds/${id}`);
const cancel = (id: string) => net.app.merchant.live.post(`/refunds/${id}/cancel`);

/** A refund whose transaction is signed and not mined yet. */
async function sent(): Promise<{ id: string; pending: Tx }> {
  const { id: session, amountUnits } = await net.checkout(await net.wallet());
  const [payment] = await net.app.ctx.db.query<{ id: string }>(
    'test_arrived',
    `update payments set status = 'paid', actual_output_units = $2, created_at = $3 where session_id = $1 returning id`,
    [session, amountUnits, net.now],
  );
  const to = getAddress(net.random.hex(20));
  const pending = net.transaction(to, 5_000_000n);
  const body = { to, coin_amount: '5.000000', tx_hash: pending.hash };
  const { id } = await net.app.merchant.live.post(`/payments/${payment?.id}/refunds`, body);
  return { id, pending };
}

/** Looks at it once its next look is due. */
async function look(afterMs = 20 * MINUTE_MS): Promise<void> {
  net.now = later(net.now, afterMs);
  net.ledger.mineUntil(net.now);
  net.fake.sync();
  await refundsJob.run(net.ctx, new AbortController().signal, () => {});
}

async function mine(transaction: Tx): Promise<void> {
  net.send(transaction);
  await net.blocks(1, 0);
}

const toOthers = (one: Tx): Tx => ({
  ...one,
  movements: one.movements.map((movement) => ({ ...movement, to: getAddress(net.random.hex(20)) })),
});

describe.each(['first', 'second'] as const)('what the %s provider alone says of a pending refund', (which) => {
  const liar = () => (which === 'first' ? one : other);
  const isFinalOnceMined = async ({ id, pending }: Awaited<ReturnType<typeof sent>>) => {
    removeFaults(liar());
    await mine(pending);
    await net.blocks(4, 0);
    await look();
    expect(await read(id)).toMatchObject({ status: 'final', verified: true });
  };

  test('that it reverted: its amount is kept, and it is final once it is mined', async () => {
    const { id, pending } = await sent();
    liar().invents = [{ ...pending, reverted: true }];
    await look();
    expect(await read(id)).toMatchObject({ status: 'sent', failure_reason: null });
    await expect(cancel(id)).rejects.toMatchObject({ status: 400, code: 'invalid_payment_state' });
    await isFinalOnceMined({ id, pending });
  });

  test('that it reverted: one that no other provider knows for three days fails all the same', async () => {
    const { id, pending } = await sent();
    liar().invents = [{ ...pending, reverted: true }];
    await look(3 * DAY_MS);
    expect(await read(id)).toMatchObject({ status: 'failed', failure_reason: 'transaction_not_found' });
  });

  test('that it pays others: it is not called wrong, cannot be cancelled, and is final once it is mined', async () => {
    const { id, pending } = await sent();
    liar().invents = [toOthers(pending)];
    await look();
    expect(await read(id)).toMatchObject({ status: 'sent', mismatch: null });
    await expect(cancel(id)).rejects.toMatchObject({ status: 400, code: 'invalid_payment_state' });
    await isFinalOnceMined({ id, pending });
  });
});

test('a refund whose transaction reverted fails once a second provider says so', async () => {
  const { id, pending } = await sent();
  other.isFrozen = true;
  await mine({ ...pending, reverted: true });
  await net.blocks(4, 0);
  await look();
  expect(await read(id)).toMatchObject({ status: 'sent', failure_reason: null });
  other.isFrozen = false;
  await look();
  expect(await read(id)).toMatchObject({ status: 'failed', failure_reason: 'transaction_reverted' });
});

test('a refund whose transaction pays others can be cancelled once a second provider says so in a final block', async () => {
  const { id, pending } = await sent();
  other.isFrozen = true;
  await mine(toOthers(pending));
  await net.blocks(4, 0);
  await look();
  expect(await read(id)).toMatchObject({ status: 'sent', mismatch: null });
  other.isFrozen = false;
  await look();
  expect(await read(id)).toMatchObject({ status: 'sent', mismatch: { asset: null } });
  expect(await cancel(id)).toMatchObject({ status: 'cancelled' });
});

test('a refund whose transaction pays others is not called wrong while a reorg may change that', async () => {
  const { id, pending } = await sent();
  net.now = later(net.now, 20 * MINUTE_MS);
  net.ledger.mineUntil(net.now);
  await mine(toOthers(pending));
  await look(0);
  expect(await read(id)).toMatchObject({ status: 'sent', mismatch: null });
  await look();
  expect(await read(id)).toMatchObject({ status: 'sent', mismatch: { asset: null } });
});
