import { afterEach, beforeEach, expect, test } from 'vitest';
import { failures } from '../../../src/platform/metrics.ts';
import { DAY_MS, later, MINUTE_MS } from '../../../src/platform/time.ts';
import { prune } from '../../../src/retention/prune.ts';
import { type FakeCheckout, FakeNetwork } from '../../support/fake-network.ts';
import { paymentOfSession } from '../../support/payments.ts';

/** What fails each time it is tried must reach the operator, whichever piece of work it is. */
let net: FakeNetwork;
let wallet: { id: string; address: string };
beforeEach(async () => {
  net = await FakeNetwork.start();
  net.fake.sync();
  wallet = await net.wallet();
});
afterEach(() => net[Symbol.asyncDispose]());

/** From now on the database refuses that this payment gets the status. */
async function poison({ id }: FakeCheckout, status: string): Promise<void> {
  const { query } = net.app.ctx.db;
  const paymentId = await paymentOfSession(net.app.ctx.db, id);
  await query(
    'test_poison_payment',
    `create function test_poison() returns trigger language plpgsql as $$ begin
       if new.id = '${paymentId}' and new.status = '${status}' then raise exception 'poisoned'; end if;
       return new;
     end $$`,
    [],
  );
  await query(
    'test_poison_payment_trigger',
    'create trigger test_poison before update on payments for each row execute function test_poison()',
    [],
  );
}

async function failed(job: string): Promise<number> {
  return (await failures.get()).values.find(({ labels }) => labels.job === job)?.value ?? 0;
}

test('a final transfer whose settlement fails for ten minutes raises an alarm once, and is settled once it can be', async () => {
  const [one, other] = [await net.checkout(wallet), await net.checkout(wallet)];
  await poison(one, 'paid');
  const before = await failed('verify base');
  net.send(net.transaction(wallet.address, one.amountUnits), net.transaction(wallet.address, other.amountUnits));
  await net.blocks(8);
  expect([await net.status(one), await net.status(other)]).toEqual(['pending', 'paid']);
  expect(await failed('verify base')).toBeGreaterThan(before + 5);
  await net.minutes(8);
  expect(net.alarms('settlement_fails')).toEqual([]);
  await net.minutes(20);
  expect(net.alarms('settlement_fails')).toMatchObject([
    { network: 'base', transferId: expect.any(String), err: { message: 'poisoned' } },
  ]);

  await net.app.ctx.db.query('test_heal', 'drop trigger test_poison on payments');
  await net.minutes(1);
  expect(await net.status(one)).toBe('paid');
});

test('failures of a settlement that are a day apart raise no alarm, and those that last do', async () => {
  const one = await net.checkout(wallet);
  await poison(one, 'paid');
  net.send(net.transaction(wallet.address, one.amountUnits));
  await net.blocks(8);
  net.now = later(net.now, DAY_MS);
  const before = await failed('verify base');
  await net.blocks(2);
  expect(await failed('verify base')).toBeGreaterThan(before);
  expect(net.alarms('settlement_fails')).toEqual([]);
  await net.minutes(20);
  expect(net.alarms('settlement_fails')).toHaveLength(1);
});

test('a payment that cannot be closed counts as failed work', async () => {
  const one = await net.checkout(wallet, net.app.merchant.live, { expires_in: 1800 });
  await net.blocks(2);
  await poison(one, 'expired');
  const before = await failed('expiry');
  await net.closeAt(later(net.now, 31 * MINUTE_MS));
  expect(await net.status(one)).toBe('pending');
  expect(await failed('expiry')).toBe(before + 1);
});

test('a table that cannot be pruned counts as failed work', async () => {
  const before = await failed('pruning');
  const begin = () => async () => {
    throw new Error('poisoned');
  };
  const policy = { owner: 'the service', budget: 'none', expiry: 'a day', pruning: { by: 'batches', begin } } as const;
  await prune(net.ctx, new AbortController().signal, { quotes: policy });
  expect(await failed('pruning')).toBe(before + 1);
});
