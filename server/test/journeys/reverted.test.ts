import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { transferCalldata } from '../support/anvil.ts';
import { type Settlement, startSettlement } from '../support/settlement.ts';

let shop: Settlement;

beforeAll(async () => {
  shop = await startSettlement();
});
afterAll(() => shop[Symbol.asyncDispose]());

describe('a transaction that reverted', () => {
  const POOR = '0x00000000000000000000000000000000000c0ffe';

  test("explains why nothing came where it was meant for the payment's wallet", async () => {
    const { id, amountUnits } = await shop.checkout({ expires_in: 600 });
    const txHash = await shop.chain.transferErc20({
      token: shop.usdc,
      to: shop.wallet,
      amount: amountUnits + 10n ** 18n,
      gas: 100_000n,
    });
    expect(await endedBy(id, txHash)).toMatchObject({ status: 'failed', failure_reason: 'transaction_reverted' });
  });

  test('inside the call of a smart wallet does so by its tag', async () => {
    const { id, amountUnits, tag } = await shop.checkout({ expires_in: 600 });
    const batcher = await shop.chain.deploy('Batcher');
    const txHash = await shop.chain.batch(
      batcher,
      [{ target: shop.usdc, data: transferCalldata(shop.wallet, amountUnits, tag) }],
      { gas: 1_000_000n },
    );
    expect((await shop.chain.included(txHash as `0x${string}`)).status).toBe('reverted');
    expect(await endedBy(id, txHash)).toMatchObject({ status: 'failed', failure_reason: 'transaction_reverted' });
  });

  test('of a stranger for something else changes nothing', async () => {
    const { id, amountUnits } = await shop.checkout({ expires_in: 600 });
    const txHash = await shop.chain.transferErc20({
      token: shop.usdc,
      to: POOR,
      amount: amountUnits + 10n ** 18n,
      gas: 100_000n,
    });
    expect((await shop.chain.included(txHash)).status).toBe('reverted');
    expect(await endedBy(id, txHash)).toMatchObject({ status: 'expired', failure_reason: null });
  });

  test('for another checkout of the same wallet changes nothing', async () => {
    const [{ id, amountUnits }, other] = [
      await shop.checkout({ expires_in: 600 }),
      await shop.checkout({ expires_in: 6000 }),
    ];
    const txHash = await shop.chain.transferErc20({
      token: shop.usdc,
      to: shop.wallet,
      amount: amountUnits + 10n ** 18n,
      tag: other.tag,
      gas: 100_000n,
    });
    expect(await endedBy(id, txHash)).toMatchObject({ status: 'expired', failure_reason: null });
  });

  /** The payment after a hint with the transaction and the end of its window. */
  async function endedBy(id: string, txHash: string) {
    expect(
      (await shop.app.inject('POST', `/v1/public/checkout/sessions/${id}/transactions`, { body: { tx_hash: txHash } }))
        .status,
    ).toBe(202);
    await shop.pass(601);
    await shop.watch();
    await shop.expire();
    return shop.payment(id);
  }
});
