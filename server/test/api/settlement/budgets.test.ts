import { afterAll, beforeAll, expect, test } from 'vitest';
import { ADDRESS_BUDGET, MAX_ITEM_TRANSFERS } from '../../../src/settlement/verification/turn.ts';
import type { Tx } from '../../programs/simulation/ledger.ts';
import { FakeNetwork, type FakeCheckout } from '../../support/fake-network.ts';

const FLOOD_UNITS = 1_000_000n;

let net: FakeNetwork;

beforeAll(async () => {
  net = await FakeNetwork.start();
});
afterAll(() => net[Symbol.asyncDispose]());

test('one busy address of an account does not delay a payment to another address of the same account', async () => {
  const [busy, quiet] = [await net.wallet(), await net.wallet()];
  const flooded = await net.checkout(busy);
  const honest = await net.checkout(quiet);
  await net.blocks(1);
  const checked: string[] = [];
  net.use({
    check: (transfer, ...more) => {
      checked.push(transfer.to);
      return net.fake.chain.check(transfer, ...more);
    },
  });
  await flood(busy.address, flooded, 260);
  await net.blocks(1, 0);
  net.send(net.transaction(quiet.address, honest.amountUnits));
  await net.blocks(5, 0);
  for (let turn = 0; turn < 10 && checked.length === 0; turn += 1) await net.watch(1);

  // The busy address has more than one turn can check.
  expect(checked.slice(0, 8)).toContain(quiet.address);
  expect(checked).toHaveLength(200);
  expect(await net.status(honest)).toBe('paid');
  net.use({});
});

test('an address spends at most its budget of calls in a turn, and the account goes on with its other address', async () => {
  const [busy, quiet] = [await net.wallet(), await net.wallet()];
  const flooded = await net.checkout(busy);
  const honest = await net.checkout(quiet);
  await net.blocks(1);
  const checked: string[] = [];
  net.use({
    check: (transfer, watching, memory) => {
      checked.push(transfer.to);
      if (memory && transfer.to === busy.address) memory.calls += ADDRESS_BUDGET.calls / 10;
      return net.fake.chain.check(transfer, watching, memory);
    },
  });
  await flood(busy.address, flooded, 40);
  await net.blocks(1, 0);
  net.send(net.transaction(quiet.address, honest.amountUnits));
  await net.blocks(5, 0);
  for (let turn = 0; turn < 10 && checked.length === 0; turn += 1) await net.watch(1);

  // Checks that have started together all end.
  expect(checked.filter((to) => to === busy.address).length).toBeLessThan(10 + 8);
  expect(await net.status(honest)).toBe('paid');
  net.use({});
});

test("one transaction with hundreds of transfers does not delay another account's payment until all are verified", async () => {
  const count = 4 * MAX_ITEM_TRANSFERS;
  // The first turn of a chain begins with the first account by ID: the one with the large transaction.
  const merchants = [net.app.merchant.live, await net.app.newMerchant({ mode: 'live' })];
  const [large, other] = merchants.toSorted((a, b) => (a.accountId < b.accountId ? -1 : 1));
  const [busy, quiet] = [await net.wallet(large), await net.wallet(other)];
  const flooded = await net.checkout(busy, large);
  const honest = await net.checkout(quiet, other);
  await net.blocks(1);
  let checked = 0;
  // The third part looks whether the other account is paid. Its money comes after one part at most.
  let isPaid: Promise<boolean> | undefined;
  net.use({
    check: async (transfer, ...more) => {
      checked += 1;
      if (transfer.to === busy.address && transfer.index >= 2 * MAX_ITEM_TRANSFERS)
        await (isPaid ??= becomesPaid(honest));
      return net.fake.chain.check(transfer, ...more);
    },
  });
  const batch = net.transaction(busy.address, ...Array<bigint>(count).fill(FLOOD_UNITS));
  await refer([batch], flooded);
  net.send(batch);
  await net.blocks(1, 0);
  net.send(net.transaction(quiet.address, honest.amountUnits));
  await net.blocks(5, 0);
  for (let turn = 0; turn < 10 && checked === 0; turn += 1) await net.watch(1);

  expect(await isPaid).toBe(true);
  // One turn verified everything, part by part.
  expect(checked).toBe(count + 1);
  expect(await net.status(flooded)).toBe('paid');
  net.use({});
});

test('the process does other work between the transfers of one transaction', async () => {
  const wallet = await net.wallet();
  const checkout = await net.checkout(wallet);
  await net.blocks(1);
  let rounds = 0;
  let next = setImmediate(function count() {
    rounds += 1;
    next = setImmediate(count);
  });
  const checkedIn: number[] = [];
  net.use({
    check: (transfer, ...more) => {
      if (transfer.to === wallet.address) checkedIn.push(rounds);
      return net.fake.chain.check(transfer, ...more);
    },
  });
  const batch = net.transaction(wallet.address, ...Array<bigint>(20).fill(FLOOD_UNITS));
  await refer([batch], checkout);
  net.send(batch);
  await net.blocks(6, 0);
  for (let turn = 0; turn < 10 && checkedIn.length === 0; turn += 1) await net.watch(1);
  clearImmediate(next);

  expect(checkedIn).toHaveLength(20);
  expect(new Set(checkedIn).size).toBe(20);
  net.use({});
});

/** Looks at a payment until it is paid, or it has looked often enough. */
async function becomesPaid(checkout: FakeCheckout): Promise<boolean> {
  for (let looks = 0; looks < 3_000; looks += 1) if ((await net.status(checkout)) === 'paid') return true;
  return false;
}

/** A number of one-dollar payments that carry the reference of a checkout. */
async function flood(to: string, checkout: FakeCheckout, count: number): Promise<void> {
  const sent = Array.from({ length: count }, () => net.transaction(to, FLOOD_UNITS));
  await refer(sent, checkout);
  net.send(...sent);
}

/** Lets every transfer of these transactions carry the reference of a checkout. */
async function refer(sent: readonly Tx[], { id }: FakeCheckout): Promise<void> {
  const { body } = await net.app.inject('GET', `/v1/public/checkout/sessions/${id}`);
  const reference = Buffer.from(body.data.payment.tag.slice(2), 'hex').subarray(4);
  for (const { movements } of sent) for (const movement of movements) movement.carried = [reference];
}
