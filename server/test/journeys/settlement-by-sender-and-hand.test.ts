import type { Address } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Settlement, startSettlement } from '../support/settlement.ts';

let shop: Settlement;

beforeAll(async () => {
  shop = await startSettlement();
});
afterAll(() => shop[Symbol.asyncDispose]());
// A test's transactions must not reach the next test.
afterEach(() =>
  shop.app.ctx.db.query('test_handle_all', `update transfers set handled_at = block_time where payment_id is null`),
);

describe('the sender', () => {
  const stranger = privateKeyToAccount(`0x${'77'.repeat(32)}`);

  test('a wallet that proved its address beforehand is known by it', async () => {
    const session = await shop.session();
    const payer = payerOf(3);
    const message = [
      'Quittance payment sender',
      `Session: ${session.id}`,
      'Network: ethereum',
      `Address: ${payer.address}`,
    ].join('\n');
    await shop.choose(session.id, { sender: payer.address, sender_signature: await payer.signMessage({ message }) });
    await shop.send(51_000_000n, { from: payer.address as Address });
    await shop.settle();
    expect((await shop.payment(session.id)).status).toBe('paid');
  });

  test('a hash alone claims nothing: every receipt is public', async () => {
    const { id } = await shop.checkout();
    const txHash = await shop.send(49_123_456n);
    await shop.settle();
    const { status } = await shop.app.inject('POST', `/v1/public/checkout/sessions/${id}/transactions`, {
      body: { tx_hash: txHash },
    });
    await shop.settle();
    expect([status, (await shop.payment(id)).status]).toEqual([202, 'pending']);
  });

  test('a claim signed by the sender takes the transfer, one signed by another does not', async () => {
    const { id } = await shop.checkout();
    const payer = payerOf(4);
    const txHash = await shop.send(49_111_111n, { from: payer.address as Address });
    await shop.settle();
    const message = ['Quittance payment claim', `Session: ${id}`, 'Network: ethereum', `Transaction: ${txHash}`].join(
      '\n',
    );
    const claim = async (signer: typeof stranger) =>
      shop.app.inject('POST', `/v1/public/checkout/sessions/${id}/transactions`, {
        body: { tx_hash: txHash, signature: await signer.signMessage({ message }) },
      });

    expect((await claim(stranger)).status).toBe(202);
    expect((await shop.payment(id)).status).toBe('pending');

    expect((await claim(payer as typeof stranger)).status).toBe(202);
    await shop.settle();
    expect(await shop.payment(id)).toMatchObject({ status: 'paid', tx_hashes: [txHash] });
  });

  test('a claim may come before its transfer is final', async () => {
    const { id } = await shop.checkout();
    const payer = payerOf(5);
    const txHash = await shop.send(49_222_222n, { from: payer.address as Address });
    const message = ['Quittance payment claim', `Session: ${id}`, 'Network: ethereum', `Transaction: ${txHash}`].join(
      '\n',
    );
    await shop.app.inject('POST', `/v1/public/checkout/sessions/${id}/transactions`, {
      body: { tx_hash: txHash, signature: await payer.signMessage({ message }) },
    });
    expect((await shop.publicSession(id)).payment).toMatchObject({ amount_seen: '49.222222' });
    await shop.settle();
    expect((await shop.payment(id)).status).toBe('paid');
  });
});

describe('by hand', () => {
  test('a merchant assigns what came without a sign, and the payment is paid', async () => {
    const { id } = await shop.checkout();
    await shop.send(49_333_333n);
    await shop.settle();
    const [transfer] = await shop.unattributed();
    const payment = await shop.payment(id);
    const assigned = await shop.merchant.dashboard.post(`/transfers/${transfer.id}/assign`, { payment: payment.id });
    await shop.watch();
    expect(assigned).toMatchObject({ reason: null, payment: payment.id });
    expect(await shop.walk(id)).toEqual(['created', 'pending', 'paid']);
    expect(await shop.unattributed()).toEqual([]);
  });

  test('a merchant marks a transfer as handled, twice the same', async () => {
    await shop.checkout();
    await shop.send(49_444_444n);
    await shop.settle();
    const [transfer] = await shop.unattributed();
    const first = await shop.merchant.dashboard.post(`/transfers/${transfer.id}/handle`);
    const second = await shop.merchant.dashboard.post(`/transfers/${transfer.id}/handle`);
    expect(second).toEqual(first);
    expect(await shop.unattributed()).toEqual([]);
  });

  test('a secret key may not, and another merchant finds nothing', async () => {
    await shop.checkout();
    await shop.send(49_555_555n);
    await shop.settle();
    const [transfer] = await shop.unattributed();
    await expect(shop.merchant.post(`/transfers/${transfer.id}/handle`)).rejects.toMatchObject({
      status: 403,
      code: 'forbidden',
    });
    const other = await shop.app.newMerchant({ mode: 'live' });
    await expect(other.dashboard.post(`/transfers/${transfer.id}/handle`)).rejects.toMatchObject({
      status: 404,
      code: 'not_found',
    });
  });

  test('the timeline shows each state with its evidence', async () => {
    const { id, amountUnits } = await shop.checkout();
    const txHash = await shop.send(amountUnits);
    await shop.settle();
    const payment = await shop.payment(id);
    const { entries } = await shop.merchant.get(`/payments/${payment.id}/timeline`);
    expect(entries.map((entry: { type: string }) => entry.type).sort()).toEqual([
      'status',
      'status',
      'status',
      'target',
      'transfer',
    ]);
    const paid = entries.find((entry: { data: { status?: string } }) => entry.data.status === 'paid');
    expect(paid.data).toMatchObject({
      seen: 'funded',
      txHash,
      rule: 'amount',
      confirmations: 4,
      finality: { type: 'confirmations', count: 3 },
      providers: [expect.any(String)],
      block: { number: expect.any(String), hash: expect.any(String) },
    });
  });
});

function payerOf(account: number) {
  const payer = shop.chain.accounts[account];
  if (!payer) throw new Error('account not found');
  return payer;
}
