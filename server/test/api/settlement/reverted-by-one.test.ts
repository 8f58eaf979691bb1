import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { later } from '../../../src/platform/time.ts';
import { submitTransaction } from '../../../src/resources/checkout-sessions/submit-transaction.ts';
import { expiryJob } from '../../../src/settlement/outcome/expire.ts';
import { type FakeProvider, removeFaults } from '../../programs/simulation/fake-provider.ts';
import { type FakeCheckout, FakeNetwork } from '../../support/fake-network.ts';

// A provider may say of any transaction that it failed. Its word alone neither hides money nor explains why none came.
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

test.each(['first', 'second'] as const)(
  'a transaction of which the %s provider says that it failed is found by a hint, and paid once that one is repaired',
  async (which) => {
    const liar = which === 'first' ? one : other;
    const meant = await net.checkout(await net.wallet());
    await net.blocks(1);
    liar.changes = { field: 'reverted', digits: '0123456789abcdef' };
    const sent = net.transaction(meant.wallet, meant.amountUnits);
    net.send(sent);
    await net.blocks(1, 0);
    net.fake.sync();
    await hint(meant, sent.hash);
    expect(
      await net.app.ctx.db.query('test_known', 'select status from transfers where tx_hash = $1', [sent.hash]),
    ).toEqual([{ status: 'seen' }]);
    await net.blocks(6);
    expect(await net.status(meant)).toBe('pending');
    removeFaults(liar);
    await net.minutes(5);
    expect(await net.status(meant)).toBe('paid');
  },
);

test.each([
  ['one provider', 'expired', 1],
  ['both providers', 'failed', 2],
] as const)('where %s say(s) that the transaction failed, the payment ends %s', async (_, end, count) => {
  const meant = await net.checkout(await net.wallet());
  await net.blocks(1);
  const failed = { ...net.transaction(meant.wallet, meant.amountUnits), reverted: true };
  for (const provider of [other, one].slice(0, count)) provider.invents.push(failed);
  for (let hints = 0; hints < 2; hints += 1) {
    await hint(meant, failed.hash);
    await net.blocks(4);
  }
  net.now = later(net.now, 7_260_000);
  net.ledger.mineUntil(net.now);
  await net.watch(20);
  await expiryJob.run(net.ctx, new AbortController().signal, () => {});
  expect(await net.status(meant)).toBe(end);
});

async function hint({ id }: FakeCheckout, txHash: string): Promise<void> {
  const answer = await submitTransaction(net.ctx, id, { tx_hash: txHash });
  expect(answer).toEqual({ accepted: true });
}
