import { afterAll, beforeAll, expect, test } from 'vitest';
import { submitTransaction } from '../../../src/resources/checkout-sessions/submit-transaction.ts';
import type { Tx } from '../../programs/simulation/ledger.ts';
import { FakeNetwork, type FakeCheckout } from '../../support/fake-network.ts';
import { referenceOf } from '../../support/payments.ts';

let net: FakeNetwork;
beforeAll(async () => {
  net = await FakeNetwork.start();
});
afterAll(() => net[Symbol.asyncDispose]());

// A provider that does not trace may confirm a reference and show none itself.
test.each([
  ['hides them', [], true],
  ['shows them again', null, false],
])(
  'a transfer that a lie moved goes back with its references where the first provider %s',
  async (_, shown, isKept) => {
    const { checkout, sent } = await sentWithReference();
    const { check } = net.fake.chain;
    net.use({
      check: async (...asked) => {
        const verdict = await check(...asked);
        return verdict.type === 'stands'
          ? { ...verdict, transfer: { ...verdict.transfer, ...(shown && { carried: shown }) } }
          : verdict;
      },
    });
    await net.app.ctx.db.query(
      'test_moved',
      `update transfers set block_number = block_number + 1, block_hash = $2, carried = case when $3 then carried else '{}' end
      where tx_hash = $1`,
      [sent.hash, net.random.hex(32), isKept],
    );

    await net.blocks(6);
    expect(await net.status(checkout)).toBe('paid');
  },
);

test('a look-up by one provider cuts no reference off that two have read, though it names another block', async () => {
  const { checkout, sent } = await sentWithReference();
  const { check, transaction } = net.fake.chain;
  net.use({
    transaction: async (...asked) => {
      const found = await transaction(...asked);
      const cutOff = { hash: net.random.hex(32) };
      return (
        found && {
          ...found,
          transfers: found.transfers.map((one) => ({ ...one, carried: [], block: { ...one.block, ...cutOff } })),
        }
      );
    },
    check: async (...asked) => {
      const verdict = await check(...asked);
      return verdict.type === 'stands' ? { ...verdict, transfer: { ...verdict.transfer, carried: [] } } : verdict;
    },
  });
  await submitTransaction(net.ctx, checkout.id, { tx_hash: sent.hash });

  await net.blocks(6);
  expect(await net.status(checkout)).toBe('paid');
});

/** Too much for a checkout, with its reference, as both passes have read it. */
async function sentWithReference(): Promise<{ checkout: FakeCheckout; sent: Tx }> {
  const checkout = await net.checkout(await net.wallet());
  const reference = await referenceOf(net.app.ctx.db, checkout.id);
  const sent = net.transaction(checkout.wallet, checkout.amountUnits + 1_000_000n);
  for (const movement of sent.movements) movement.carried = [reference];
  net.send(sent);
  await net.blocks(2);
  return { checkout, sent };
}
