import { afterEach, beforeEach, expect, test } from 'vitest';
import { later } from '../../../src/platform/time.ts';
import { retrySetAsideJob } from '../../../src/settlement/attribution/retry-set-aside.ts';
import { rescan } from '../../../src/settlement/rescan.ts';
import { type FakeCheckout, FakeNetwork } from '../../support/fake-network.ts';

let net: FakeNetwork;

beforeEach(async () => {
  net = await FakeNetwork.start();
});
afterEach(() => net[Symbol.asyncDispose]());

test('a transfer whose attribution fails is paid if the fault has passed by the third attempt, and was not set aside', async () => {
  const meant = await poisoned();
  await net.blocks(4);
  await removePoison();
  await pass(31_000);
  await net.blocks(4);
  expect(await net.status(meant)).toBe('paid');
  expect(net.alarms('transfer_set_aside')).toEqual([]);
});

test('a transfer that was set aside is tried again every hour, three times, and attributed once the fault has passed', async () => {
  const meant = await poisoned();
  await net.blocks(4);
  await pass(31_000);
  expect(net.alarms('transfer_set_aside')).toHaveLength(1);
  await retrySetAside();
  expect(net.alarms('transfer_set_aside')).toHaveLength(1);

  await pass(61 * 60_000);
  await retrySetAside();
  expect(net.alarms('transfer_set_aside')).toHaveLength(2);
  await removePoison();
  await pass(61 * 60_000);
  await retrySetAside();
  expect(await attributed(meant)).toEqual({ paymentId: expect.stringMatching(/^pay_/), isSetAside: false });
});

test('a transfer that was set aside is tried three times more, then only by a rescan of its operator', async () => {
  const meant = await poisoned();
  await net.blocks(4);
  await pass(31_000);
  const block = BigInt(net.ledger.highest - 30);
  for (let hour = 0; hour < 6; hour += 1) {
    await pass(61 * 60_000);
    await retrySetAside();
  }
  expect(net.alarms('transfer_set_aside')).toHaveLength(4);

  await removePoison();
  for await (const _ of rescan(net.ctx, 'base', block));
  expect(await attributed(meant)).toEqual({ paymentId: expect.stringMatching(/^pay_/), isSetAside: false });
});

/** A payment whose transfer cannot be attributed. */
async function poisoned(): Promise<FakeCheckout> {
  const wallet = await net.wallet();
  const meant = await net.checkout(wallet);
  await net.blocks(1);
  const poison = net.transaction(wallet.address, meant.amountUnits);
  await net.app.ctx.db.query(
    'test_poison_function',
    `
    create or replace function test_poison() returns trigger language plpgsql as $$
    begin
      if new.tx_hash = '${poison.hash}' and not new.queued and new.set_aside_at is null then raise exception 'poisoned'; end if;
      return new;
    end $$`,
  );
  await net.app.ctx.db.query(
    'test_poison',
    'create trigger test_poison before update on transfers for each row execute function test_poison()',
  );
  net.send(poison);
  return meant;
}

/** Time passes, and the loops look at what is due. */
async function pass(ms: number): Promise<void> {
  net.now = later(net.now, ms);
  await net.watch();
}

async function retrySetAside(): Promise<void> {
  await retrySetAsideJob.run(net.ctx, new AbortController().signal, () => {});
  await net.watch();
}

async function attributed({ wallet }: FakeCheckout) {
  const [row] = await net.app.ctx.db.query<{ paymentId: string | null; isSetAside: boolean }>(
    'test_attributed',
    'select payment_id, set_aside_at is not null as is_set_aside from transfers where to_address = $1',
    [wallet],
  );
  return row;
}

async function removePoison(): Promise<void> {
  await net.app.ctx.db.query('test_remove_poison', 'drop trigger if exists test_poison on transfers');
}
