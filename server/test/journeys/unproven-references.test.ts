import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { calldata, transferCalldata } from '../support/anvil.ts';
import { type Settlement, startSettlement } from '../support/settlement.ts';

let shop: Settlement;

beforeAll(async () => {
  shop = await startSettlement();
});
afterAll(() => shop[Symbol.asyncDispose]());

const INCOME = 60_000_000n;

describe('income of the merchant that a stranger triggers', () => {
  test("never pays the stranger's order, though its tag is in the calldata; the merchant can assign it with one click", async () => {
    const { id, tag } = await shop.checkout();
    const payment = await shop.payment(id);
    const vault = await shop.chain.deploy('Release');
    await shop.chain.transferErc20({ token: shop.usdc, to: vault, amount: INCOME });
    const contract = await shop.chain.deploy('Batcher');
    const txHash = await shop.chain.batch(
      contract,
      [{ target: vault, data: calldata('Release', 'release', [shop.usdc, shop.wallet, INCOME]) }],
      {
        tag: Buffer.from(transferCalldata(shop.wallet, INCOME, tag).slice(2), 'hex'),
      },
    );
    await shop.settle();

    expect(await shop.payment(id)).toMatchObject({ status: 'pending', tx_hashes: [] });
    expect((await shop.publicSession(id)).payment).toMatchObject({ amount_seen: '0.000000', other_transfers: [] });
    const [transfer] = await shop.unattributed();
    expect(transfer).toMatchObject({ tx_hash: txHash, from: vault, reason: 'no_match', payment: payment.id });

    await shop.merchant.dashboard.post(`/transfers/${transfer.id}/assign`, { payment: transfer.payment });
    await shop.settle();
    expect(await shop.payment(id)).toMatchObject({ status: 'paid', tx_hashes: [txHash] });
    expect(await shop.unattributed()).toEqual([]);
  });

  test('still names that payment after a reorganization has moved it', async () => {
    const { id, tag } = await shop.checkout();
    const payment = await shop.payment(id);
    const contract = await shop.chain.deploy('Batcher');
    await shop.watch();
    const hash = await shop.chain.batch(
      contract,
      [{ target: shop.usdc, data: calldata('TestToken', 'mint', [shop.wallet, INCOME]) }],
      {
        tag: Buffer.from(transferCalldata(shop.wallet, INCOME, tag).slice(2), 'hex'),
      },
    );
    await shop.watch();
    const signed = await shop.chain.signed(hash);
    await shop.chain.reorg(1, [{ block: 0, transaction: signed }]);
    await shop.settle();

    expect(await shop.unattributed()).toMatchObject([{ tx_hash: hash, reason: 'no_match', payment: payment.id }]);
    expect((await shop.payment(id)).status).toBe('pending');
    await shop.ctx.db.query('test_handle_all', `update transfers set handled_at = block_time where payment_id is null`);
  });
});

test("a smart wallet's own tagged call pays by its reference, whichever account sent the transaction", async () => {
  const { id, tag } = await shop.checkout();
  const batcher = await shop.chain.deploy('Batcher');
  const wallet = await shop.chain.deploy('ProxyWallet', [batcher]);
  await shop.chain.transferErc20({ token: shop.usdc, to: wallet, amount: INCOME });
  await shop.chain.batch(wallet, [{ target: shop.usdc, data: transferCalldata(shop.wallet, 49_000_000n, tag) }]);
  await shop.settle();

  expect(await shop.payment(id)).toMatchObject({ status: 'paid', actual_output: '49.000000' });
  expect(await shop.unattributed()).toEqual([]);
});

test('money whose exact amount belongs to a payment that is over goes to the payment that its payer names', async () => {
  const [over, open] = [await shop.checkout(), await shop.checkout()];
  await shop.send(over.amountUnits);
  await shop.settle();
  await shop.send(over.amountUnits, { tag: open.tag });
  await shop.settle();

  expect((await shop.payment(open.id)).status).toBe('paid');
  expect(await shop.unattributed()).toEqual([]);
});
