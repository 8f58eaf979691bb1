import { getAddress } from 'viem';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { SignedAuthorization } from '../../../src/outside/chains/pure/authorization.ts';
import { later } from '../../../src/platform/time.ts';
import { TemporaryError } from '../../../src/platform/errors.ts';
import { submitTransaction } from '../../../src/resources/checkout-sessions/submit-transaction.ts';
import { checkRefund } from '../../../src/resources/dashboard/refund.ts';
import type { Offer } from '../../../src/resources/machine-payments/offer.ts';
import { wasUsedBefore } from '../../../src/resources/machine-payments/pay.ts';
import { expiryJob } from '../../../src/settlement/outcome/expire.ts';
import { type FakeProvider, removeFaults } from '../../programs/simulation/fake-provider.ts';
import { type FakeCheckout, FakeNetwork } from '../../support/fake-network.ts';
import { paymentOfSession } from '../../support/payments.ts';

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

describe('a transaction that only one provider can be asked about', () => {
  test('and that says that it failed: a refund is not called failed, and a payer is not asked again', async () => {
    // Answers about a hint are kept for a while.
    const [first, second, third] = [await mined(), await mined(), await mined()];
    one.changes = { field: 'reverted', digits: '0123456789abcdef' };
    other.isDown = true;
    expect(await lookAtRefund(...first)).toEqual({ verdict: 'unknown', transfers: [] });
    expect(await wasUsed(...first)).toBe(true);
    other.isDown = false;
    expect(await lookAtRefund(...second)).toMatchObject({ verdict: 'unconfirmed' });
    expect(await wasUsed(...second)).toBe(true);
    other.changes = one.changes;
    expect(await lookAtRefund(...third)).toEqual({ verdict: 'reverted', transfers: [] });
    expect(await wasUsed(...third)).toBe(false);
  });

  test('and that does not have it: a refund is not called unknown, and a payer is not asked again', async () => {
    one.isFrozen = true;
    const [wallet, sent] = await mined();
    other.isDown = true;
    await expect(lookAtRefund(wallet, sent)).rejects.toMatchObject({ code: 'service_unavailable' });
    await expect(wasUsed(wallet, sent)).rejects.toBeInstanceOf(TemporaryError);
    other.isDown = false;
    expect(await lookAtRefund(wallet, sent)).toMatchObject({ verdict: 'unconfirmed' });
    one.isFrozen = false;
    net.fake.sync();
    expect(await lookAtRefund(wallet, sent)).toMatchObject({ verdict: 'found' });
    for (const provider of [one, other]) provider.isFrozen = true;
    expect(await lookAtRefund(wallet, 'ab'.repeat(32))).toEqual({ verdict: 'unknown', transfers: [] });
    expect(await wasUsed(wallet, 'ab'.repeat(32))).toBe(false);
  });

  test.each(['first', 'second'] as const)(
    'and that invents it, as the %s one: a refund that never happened is not called found',
    async (which) => {
      const [liar, honest] = which === 'first' ? [one, other] : [other, one];
      const to = getAddress(net.random.hex(20));
      const invented = net.transaction(to, 12_000_000n);
      liar.invents.push(invented);
      await net.blocks(1, 0);
      net.fake.sync();
      expect(await lookAtRefund(to, invented.hash)).toEqual({ verdict: 'unconfirmed', transfers: [] });
      honest.isDown = true;
      expect(await lookAtRefund(to, invented.hash)).toEqual({ verdict: 'unconfirmed', transfers: [] });
    },
  );

  test('and that shows another amount of it: a refund of that amount is not called found', async () => {
    const [wallet, sent] = await mined();
    one.changes = { field: 'amount', digits: '0123456789abcdef' };
    expect(await lookAtRefund(wallet, sent)).toEqual({ verdict: 'unconfirmed', transfers: [] });
    removeFaults(one);
    net.fake.sync();
    expect(await lookAtRefund(wallet, sent)).toMatchObject({ verdict: 'found', transfers: [{ amount: '12.000000' }] });
  });

  test('and that says whether an authorization was used: a payer is not asked again', async () => {
    const isUsed = async () => null;
    const signed = { isUsed, domain: async () => null } as never;
    net.use({ signed });
    const one = { from: getAddress(net.random.hex(20)), nonce: '0x01' } as unknown as SignedAuthorization;
    const trace = { type: 'authorization', one } as const;
    await expect(wasUsedBefore(net.ctx, trace, offerOf('0x'), null)).rejects.toBeInstanceOf(TemporaryError);
    net.use({});
  });

  /** A mined transfer to a new address, that no reader has seen. */
  async function mined(): Promise<[string, string]> {
    const to = getAddress(net.random.hex(20));
    const sent = net.transaction(to, 12_000_000n);
    net.send(sent);
    await net.blocks(1, 0);
    net.fake.sync();
    return [to, sent.hash];
  }

  async function lookAtRefund(address: string, txHash: string) {
    const { accountId } = net.app.merchant;
    const { id } = await net.checkout(await net.wallet());
    const payment = await paymentOfSession(net.app.ctx.db, id);
    const hash = txHash.startsWith('0x') ? txHash : `0x${txHash}`;
    return checkRefund(net.ctx, { id: accountId, livemode: true }, payment, { txHash: hash, address });
  }

  const wasUsed = (payTo: string, txHash: string) =>
    wasUsedBefore(net.ctx, { type: 'transaction', txHash }, offerOf(payTo), null);

  const offerOf = (payTo: string) =>
    ({ livemode: true, network: 'base', payTo, machine: { family: 'evm', token: '0x' } }) as unknown as Offer;
});

async function hint({ id }: FakeCheckout, txHash: string): Promise<void> {
  const answer = await submitTransaction(net.ctx, id, { tx_hash: txHash });
  expect(answer).toEqual({ accepted: true });
}
