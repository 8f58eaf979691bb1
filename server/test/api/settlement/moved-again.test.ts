import { afterEach, expect, test } from 'vitest';
import type { Transfer } from '../../../src/outside/chains/chain.ts';
import { findPaymentOfSession } from '../../../src/settlement/records/payment-store.ts';
import type { Tx } from '../../programs/simulation/ledger.ts';
import { FakeNetwork, type FakeCheckout } from '../../support/fake-network.ts';

// A reader may show a transfer once more in each of its newer blocks, with the receipt that says so. No reorg says it.
let net: FakeNetwork;

afterEach(() => net[Symbol.asyncDispose]());

test.each([2, 3])(
  'one of %s providers that shows a transfer again in newer blocks moves it nowhere',
  async (providers) => {
    const { checkout, sent } = await sentAndRead(providers);
    showAgain(sent);
    await net.blocks(8);
    expect(await net.status(checkout)).toBe('paid');
  },
);

test('where one of two shows it with another amount in newer blocks, it stays assigned by hand', async () => {
  const { checkout, sent } = await sentAndRead(2, 1_234_567n);
  const { db } = net.app.ctx;
  const [transfer] = await db.query<{ id: string }>('test_id', 'select id from transfers where tx_hash = $1', [
    sent.hash,
  ]);
  const payment = await findPaymentOfSession(db, checkout.id);
  await net.app.merchant.live.dashboard.post(`/transfers/${transfer?.id}/assign`, { payment: payment?.id });
  showAgain(sent, { amountUnits: checkout.amountUnits - 1_000_000n });
  await net.blocks(8);
  expect(await net.status(checkout)).toBe('paid');
});

test.each([2, 3])(
  'of %s, one that did so before another had read it is corrected after two minutes',
  async (providers) => {
    const { checkout, sent } = await sentAndRead(providers);
    await net.app.ctx.db.query(
      'test_one_reader',
      `update transfers set confirmed = false, reported_by = '{"provider 0"}' where tx_hash = $1`,
      [sent.hash],
    );
    showAgain(sent);
    await net.minutes(5);
    expect(await net.status(checkout)).toBe('paid');
    expect(net.alarms('provider_contradicted')).not.toEqual([]);
  },
);

/** A payment that both passes have read. */
async function sentAndRead(providers: number, more = 0n): Promise<{ checkout: FakeCheckout; sent: Tx }> {
  net = await FakeNetwork.start({ providers });
  const checkout = await net.checkout(await net.wallet());
  await net.blocks(1);
  const sent = net.transaction(checkout.wallet, checkout.amountUnits + more);
  net.send(sent);
  await net.blocks(1);
  return { checkout, sent };
}

function showAgain({ hash: txHash, movements }: Tx, lie: Partial<Transfer> = {}): void {
  const { read } = net.fake.chain;
  net.use({
    read: async (step) => {
      const reading = await read(step);
      if (step.pass !== 'first' || reading.covered.number === step.after.number) return reading;
      const block = reading.covered;
      const again = movements.map((one): Transfer => ({ ...one, network: 'base', txHash, block, ...lie }));
      return { ...reading, transfers: [...reading.transfers, ...again] };
    },
  });
}
