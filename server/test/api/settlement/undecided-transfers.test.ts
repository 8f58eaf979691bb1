import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Verdict } from '../../../src/outside/chains/chain.ts';
import { DAY_MS, HOUR_MS, later, MINUTE_MS } from '../../../src/platform/time.ts';
import { FakeNetwork, type FakeCheckout } from '../../support/fake-network.ts';

// A single provider can invent a transfer that the balances of the others leave open, with the exact amount of a checkout.
let net: FakeNetwork;

beforeAll(async () => {
  net = await FakeNetwork.start();
});
afterAll(() => net[Symbol.asyncDispose]());

test('a transfer that providers leave open for a day no longer keeps its payment from closing, and still pays if it stands', async () => {
  const { checkout } = await payTo({ type: 'wait', details: 'balances do not prove it' });
  await net.blocks(6);
  await looks(23);
  await net.closeAt(later(net.now, HOUR_MS - MINUTE_MS));
  expect(await net.status(checkout)).toBe('pending');

  await looks(1);
  await net.closeAt(later(net.now, MINUTE_MS));
  expect(await net.status(checkout)).toBe('expired');

  net.use({});
  await net.blocks(2);
  expect(await net.status(checkout)).toBe('paid');
});

test('the day does not run while the service is away, and begins again then: nothing is closed before providers have been asked', async () => {
  const { checkout } = await payTo({ type: 'wait', details: 'balances do not prove it' });
  await net.blocks(6);
  await net.closeAt(later(net.now, 7 * DAY_MS));
  expect(await net.status(checkout)).toBe('pending');

  net.now = later(net.now, 7 * DAY_MS);
  await net.watch(1);
  await net.closeAt(later(net.now, MINUTE_MS));
  expect(await net.status(checkout)).toBe('pending');
  await looks(24);
  await net.closeAt(later(net.now, MINUTE_MS));
  expect(await net.status(checkout)).toBe('expired');
});

test('the day begins again when too few providers answer: an outage closes no payment', async () => {
  const { checkout } = await payTo({ type: 'wait', details: 'balances do not prove it' });
  await net.blocks(6);
  net.use({ check: async () => ({ type: 'unknown', details: 'no provider answered' }) });
  await net.blocks(1);
  await looks(25);
  await net.closeAt(later(net.now, MINUTE_MS));
  expect(await net.status(checkout)).toBe('pending');
});

test('late money does not wait longer than a day for a transfer that providers leave open', async () => {
  const { check } = net.fake.chain;
  const { checkout, txHash } = await payTo({ type: 'disagree', details: 'one of two' });
  await net.blocks(6);
  await net.app.ctx.db.query('test_end', 'update payments set expires_at = $1 where session_id = $2', [
    net.now,
    checkout.id,
  ]);
  net.use({
    check: async (transfer, ...more) =>
      transfer.txHash === txHash ? { type: 'disagree', details: 'one of two' } : check(transfer, ...more),
  });
  await net.blocks(1);
  net.send(net.transaction(checkout.wallet, checkout.amountUnits));
  await net.blocks(8);
  expect(await net.status(checkout)).toBe('pending');

  await net.app.ctx.db.query(
    'test_day',
    `update transfers set evidence = evidence || jsonb_build_object('undecidedSince', $2::timestamptz) where tx_hash = $1`,
    [txHash, later(net.now, -DAY_MS)],
  );
  await net.blocks(2);
  expect(await net.status(checkout)).toBe('refund_required');
});

/** The providers are asked again each hour, and no block comes. */
async function looks(hours: number): Promise<void> {
  for (let passed = 0; passed < hours; passed += 1) {
    net.now = later(net.now, HOUR_MS);
    await net.watch(1);
  }
}

/** A checkout that is paid in full, and the verdict on its transfer. */
async function payTo(verdict: Verdict): Promise<{ checkout: FakeCheckout; txHash: string }> {
  const checkout = await net.checkout(await net.wallet());
  await net.blocks(1);
  net.use({ check: async () => verdict });
  const sent = net.transaction(checkout.wallet, checkout.amountUnits);
  net.send(sent);
  return { checkout, txHash: sent.hash };
}
