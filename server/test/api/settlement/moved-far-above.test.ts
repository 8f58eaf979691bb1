import { afterEach, expect, test } from 'vitest';
import { later } from '../../../src/platform/time.ts';
import { submitTransaction } from '../../../src/resources/checkout-sessions/submit-transaction.ts';
import type { FakeProvider } from '../../programs/simulation/fake-provider.ts';
import type { Tx } from '../../programs/simulation/ledger.ts';
import { FakeNetwork, type FakeCheckout } from '../../support/fake-network.ts';

// Anyone can submit a hash, and one provider alone answers where its transfer is. No pass reads a block far above the head.
const ALL = '0123456789abcdef';
let net: FakeNetwork;

afterEach(() => net[Symbol.asyncDispose]());

test('a transfer that one provider moves far above the head in a look-up is paid, and the liar stays', async () => {
  const { checkout, sent } = await paidAndMoved({ providers: 3 });
  liar().changes = { field: 'out', digits: ALL };
  await net.minutes(3);
  expect(await blockOf(sent)).toBeLessThan(1_000_000n);
  expect(await net.status(checkout)).toBe('paid');
});

test('a transfer of no payment that one provider moves far above the head is asked about, and goes back', async () => {
  const { checkout, sent } = await paidAndMoved({ providers: 3, more: 1_234_567n });
  liar().changes = { field: 'out', digits: ALL };
  await net.minutes(3);
  expect(await blockOf(sent)).toBeLessThan(1_000_000n);
  expect(await net.status(checkout)).not.toBe('paid');
});

test.each([
  ['denies it', 'providers_disagree'],
  ['stays behind', 'verification_waits'],
] as const)('where one of two providers moved it there and %s, an alarm says so', async (how, alarm) => {
  for (const more of [0n, 1_234_567n]) {
    const { sent } = await paidAndMoved({ providers: 2, more });
    if (how === 'denies it') liar().changes = { field: 'out', digits: ALL };
    else liar().view = liar().view.slice(0, -3);
    liar().isFrozen = how === 'stays behind';
    await net.minutes(14);
    expect(net.alarms(alarm)).toContainEqual(expect.objectContaining({ txHash: sent.hash }));
    if (more === 0n) await net[Symbol.asyncDispose]();
  }
});

function liar(): FakeProvider {
  return net.fake.providers[0] as FakeProvider;
}

/** A payment that one pass has read, and that a look-up by a stranger then shows a million blocks above. */
async function paidAndMoved({ providers, more = 0n }: { providers: number; more?: bigint }): Promise<{
  checkout: FakeCheckout;
  sent: Tx;
}> {
  net = await FakeNetwork.start({ providers });
  const checkout = await net.checkout(await net.wallet());
  await net.blocks(1);
  const sent = net.transaction(checkout.wallet, checkout.amountUnits + more);
  net.send(sent);
  await net.blocks(2);
  expect(await blockOf(sent)).toBeLessThan(1_000_000n);

  await net.app.ctx.db.query('test_one_pass', 'update transfers set confirmed = false where tx_hash = $1', [sent.hash]);
  const { transaction } = net.fake.chain;
  net.use({
    transaction: async (...asked) => {
      const found = await transaction(...asked);
      const far = ({ number, time }: { number: bigint; time: Date }) =>
        ({ number: number + 1_000_000n, hash: 'fa'.repeat(32), time: later(time, 1_000) }) as const;
      return found && { ...found, transfers: found.transfers.map((one) => ({ ...one, block: far(one.block) })) };
    },
  });
  await submitTransaction(net.ctx, checkout.id, { tx_hash: sent.hash });
  net.use({});
  expect(await blockOf(sent)).toBeGreaterThan(1_000_000n);
  return { checkout, sent };
}

async function blockOf({ hash }: Tx): Promise<bigint | undefined> {
  const rows = await net.app.ctx.db.query<{ blockNumber: bigint }>(
    'test_block',
    'select block_number from transfers where tx_hash = $1',
    [hash],
  );
  return rows[0]?.blockNumber;
}
