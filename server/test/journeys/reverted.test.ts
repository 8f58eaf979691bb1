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

  test('explains why nothing came where it would have paid what its session asks for', async () => {
    const { id, amountUnits } = await shop.checkout({ expires_in: 600 });
    const txHash = await fail(amountUnits);
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

  test('explains why nothing came where it carries the reference of its session, whatever its amount', async () => {
    const { id, amountUnits, tag } = await shop.checkout({ expires_in: 600 });
    expect(await endedBy(id, await fail(amountUnits + 5n, tag))).toMatchObject({ status: 'failed' });
  });

  test('of another customer of the same wallet changes nothing, with a tag or without', async () => {
    const [{ id, amountUnits, tag }, other] = [
      await shop.checkout({ expires_in: 600 }),
      await shop.checkout({ expires_in: 6000 }),
    ];
    for (const txHash of [await fail(other.amountUnits), await fail(amountUnits, other.tag)]) await point(id, txHash);
    // The tag in the call of a contract proves nothing either, unless the amount is the right one.
    const batcher = await shop.chain.deploy('Batcher');
    const call = { target: shop.usdc, data: transferCalldata(shop.wallet, other.amountUnits, tag) };
    const txHash = await shop.chain.batch(batcher, [call], { gas: 1_000_000n });
    expect(await endedBy(id, txHash)).toMatchObject({ status: 'expired', failure_reason: null });
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
    await point(id, txHash);
    await shop.pass(601);
    await shop.watch();
    await shop.expire();
    return shop.payment(id);
  }

  async function point(id: string, txHash: string) {
    const { status, raw } = await shop.app.inject('POST', `/v1/public/checkout/sessions/${id}/transactions`, {
      body: { tx_hash: txHash },
    });
    expect(status, raw).toBe(202);
  }

  /** A transfer to the wallet that runs out of gas. */
  function fail(amount: bigint, tag?: Uint8Array) {
    return shop.chain.send({ to: shop.usdc, data: transferCalldata(shop.wallet, amount, tag), gas: 25_000n });
  }
});
