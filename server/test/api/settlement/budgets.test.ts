import { afterAll, beforeAll, expect, test } from 'vitest';
import { ADDRESS_BUDGET } from '../../../src/settlement/verification/turn.ts';
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

/** A number of one-dollar payments that carry the reference of a checkout. */
async function flood(to: string, { id }: FakeCheckout, count: number): Promise<void> {
  const { body } = await net.app.inject('GET', `/v1/public/checkout/sessions/${id}`);
  const reference = Buffer.from(body.data.payment.tag.slice(2), 'hex').subarray(4);
  for (let at = 0; at < count; at += 1) {
    const sent = net.transaction(to, FLOOD_UNITS);
    for (const movement of sent.movements) movement.carried = [reference];
    net.send(sent);
  }
}
