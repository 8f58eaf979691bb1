import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { claimText } from '../../../src/settlement/attribution/claim.ts';
import { claimsJob } from '../../../src/settlement/attribution/verify-claims.ts';
import { type FakeCheckout, FakeNetwork } from '../../support/fake-network.ts';
import type { Tx } from '../../programs/simulation/ledger.ts';

// A provider may report a transfer that does not exist in a block that does. Without a payment it is not verified by
// itself, and it becomes final with its block. It must not become money afterwards.
const CUSTOMER = privateKeyToAccount(`0x${'5'.repeat(64)}`);

let net: FakeNetwork;

beforeAll(async () => {
  net = await FakeNetwork.start();
});
afterAll(() => net[Symbol.asyncDispose]());

test('an invented transfer that became final with its block pays nothing when the merchant assigns it', async () => {
  const { meant, forged } = await forge();
  const { payment } = await net.app.merchant.live.get(`/checkout/sessions/${meant.id}`);
  await net.app.merchant.live.dashboard.post(`/transfers/${(await find(forged)).id}/assign`, { payment });
  await expectUnpaid(meant, forged);
});

test('an invented transfer that became final with its block pays nothing when its sender claims it', async () => {
  const { meant, forged } = await forge();
  const message = claimText({ sessionId: meant.id, network: 'base', txHash: forged.hash });
  const { status } = await net.app.inject('POST', `/v1/public/checkout/sessions/${meant.id}/transactions`, {
    body: { tx_hash: forged.hash, signature: await CUSTOMER.signMessage({ message }) },
  });
  expect(status).toBeLessThan(300);
  await claimsJob.run(net.ctx, new AbortController().signal, () => {});
  await expectUnpaid(meant, forged);
});

test('an invented transfer that a paid payment released pays nothing when it is assigned to another one', async () => {
  const wallet = await net.wallet();
  const [first, second] = [await net.checkout(wallet), await net.checkout(wallet)];
  await net.blocks(1);
  const { body } = await net.app.inject('GET', `/v1/public/checkout/sessions/${first.id}`);
  const forged = net.transaction(wallet.address, second.amountUnits + 1_000_000n);
  for (const movement of forged.movements) {
    movement.from = CUSTOMER.address;
    movement.carried = [Buffer.from(body.data.payment.tag.slice(2), 'hex').subarray(4)];
  }
  invent(forged);
  await net.blocks(10);
  expect(await find(forged)).toMatchObject({ status: 'seen', paymentId: expect.any(String) });
  net.send(net.transaction(wallet.address, first.amountUnits));
  await net.blocks(6);
  expect(await net.status(first)).toBe('paid');
  expect(await find(forged)).toMatchObject({ status: 'final', paymentId: null });

  const { payment } = await net.app.merchant.live.get(`/checkout/sessions/${second.id}`);
  await net.app.merchant.live.dashboard.post(`/transfers/${(await find(forged)).id}/assign`, { payment });
  await expectUnpaid(second, forged);
});

test('a real transfer that became final with its block pays once the providers confirm it', async () => {
  const wallet = await net.wallet();
  const meant = await net.checkout(wallet);
  await net.blocks(1);
  const real = net.transaction(wallet.address, meant.amountUnits + 1_000_000n);
  net.send(real);
  await net.blocks(6);
  expect(await find(real)).toMatchObject({ status: 'final', paymentId: null });
  const { payment } = await net.app.merchant.live.get(`/checkout/sessions/${meant.id}`);
  await net.app.merchant.live.dashboard.post(`/transfers/${(await find(real)).id}/assign`, { payment });
  await net.blocks(1);
  expect(await net.status(meant)).toBe('paid');
});

/** A checkout, and a transfer for it that only one provider reports, final with its block. */
async function forge(): Promise<{ meant: FakeCheckout; forged: Tx }> {
  const wallet = await net.wallet();
  const meant = await net.checkout(wallet);
  await net.blocks(1);
  const forged = net.transaction(wallet.address, meant.amountUnits + 1_000_000n);
  for (const movement of forged.movements) movement.from = CUSTOMER.address;
  invent(forged);
  await net.blocks(15);
  expect(await find(forged)).toMatchObject({ status: 'final', paymentId: null });
  return { meant, forged };
}

/** One provider reports the transfer once as part of a block, and confirms it in every check. */
function invent(forged: Tx): void {
  const [, liar] = net.fake.providers;
  if (!liar) throw new Error('there is no second provider');
  liar.invents = [forged];
  let isReported = false;
  net.use({
    async read(...args) {
      const reading = await net.fake.chain.read(...args);
      if (isReported)
        return { ...reading, transfers: reading.transfers.filter((transfer) => transfer.txHash !== forged.hash) };
      isReported = reading.transfers.some((transfer) => transfer.txHash === forged.hash);
      return reading;
    },
  });
}

async function expectUnpaid(meant: FakeCheckout, forged: Tx): Promise<void> {
  // Assigned, so that it is verified.
  expect((await find(forged)).paymentId).not.toBeNull();
  await net.blocks(10);
  expect(await net.status(meant)).toBe('pending');
  expect(await find(forged)).toMatchObject({ status: 'seen' });
}

async function find(tx: Tx): Promise<{ id: string; status: string; paymentId: string | null }> {
  const [row] = await net.app.ctx.db.query<{ id: string; status: string; paymentId: string | null }>(
    'test_find',
    'select id, status, payment_id from transfers where tx_hash = $1',
    [tx.hash],
  );
  if (!row) throw new Error('the transfer was not stored');
  return row;
}
