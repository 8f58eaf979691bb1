import { afterAll, beforeAll, expect, test } from 'vitest';
import { verifyReceipt } from '../../../sdk/src/receipts.ts';
import { keysOfReceipt } from '../support/receipt-keys.ts';
import { CONFIRMATIONS, type Settlement, startSettlement } from '../support/settlement.ts';

let shop: Settlement;
beforeAll(async () => {
  shop = await startSettlement();
  // So that no reorg removes the token itself.
  await shop.chain.mine(30);
});
afterAll(() => shop[Symbol.asyncDispose]());

test('a live receipt carries the evidence of the chain, and a reorg makes a new one that names the old', async () => {
  const { id, amountUnits } = await shop.checkout();
  const hash = await shop.send(amountUnits);
  await shop.settle();
  const payment = await shop.payment(id);

  const first = await shop.merchant.get(`/payments/${payment.id}/receipt`);
  const network = `eip155:${shop.chain.chainId}`;
  const claims = await verify(first.jws);
  const { blockNumber, blockHash } = await shop.chain.included(hash as `0x${string}`);
  expect(claims).toMatchObject({
    livemode: true,
    status: 'paid',
    network,
    asset: `${network}/erc20:${shop.usdc}`,
    payee: `${network}:${shop.wallet}`,
    payer: `${network}:${shop.customer}`,
    supersedes: null,
    transfers: [
      {
        tx_hash: hash,
        from: `${network}:${shop.customer}`,
        block_number: blockNumber.toString(),
        block_hash: blockHash,
        providers: 1,
        on_chain: true,
      },
    ],
  });
  expect(claims.transfers[0]?.confirmations).toBeGreaterThanOrEqual(CONFIRMATIONS);

  const { number } = await shop.chain.head();
  await shop.chain.reorg(Number(number - blockNumber) + 1);
  await shop.chain.mine();
  while ((await shop.watch()) === 'more');
  const second = await shop.merchant.get(`/payments/${payment.id}/receipt`);
  expect(await verify(second.jws)).toMatchObject({
    supersedes: first.id,
    settlement_alert: { type: 'transfer_disappeared', tx_hash: hash },
    transfers: [{ tx_hash: hash, on_chain: false }],
  });
  expect(await shop.merchant.post('/receipts/verify', { receipt: first.jws })).toMatchObject({
    valid: true,
    superseded_by: second.id,
  });
});

test('a receipt and its twin of the other mode pass with the keys of their own mode only', async () => {
  const { id, amountUnits, tag } = await shop.checkout({ order_id: 'A-7' });
  await shop.send(amountUnits, { tag });
  await shop.settle();
  const { test: inTest } = shop.merchant;
  const wallet = await inTest.createWallet({ network: 'ethereum', address: shop.wallet });
  const session = await inTest.createSession({ payout_wallet_id: wallet.id, order_id: 'A-7' });
  const pay = { pay_asset: 'USDC', pay_network: 'ethereum', outcome: 'paid' };
  const { payment } = await inTest.post(`/test_helpers/checkout/sessions/${session.id}/pay`, pay);
  const live = (await shop.merchant.get(`/payments/${(await shop.payment(id)).id}/receipt`)).jws;
  const twin = (await inTest.get(`/payments/${payment}/receipt`)).jws;
  const keys = { live: await keysOfReceipt(shop.app, live), test: await keysOfReceipt(shop.app, twin) };

  const options = { payee: shop.wallet, issuer: shop.app.config.publicUrl };
  const ofLive = { livemode: true, status: 'paid', order_id: 'A-7' };
  for (const allowTestMode of [false, true]) {
    const withLive = { ...options, jwks: keys.live, allowTestMode };
    expect(await verifyReceipt(live, withLive)).toMatchObject(ofLive);
    await expect(verifyReceipt(twin, withLive)).rejects.toThrow('could have signed');
    await expect(verifyReceipt(live, { ...withLive, jwks: keys.test })).rejects.toThrow('could have signed');
  }
  const withTest = { ...options, jwks: keys.test };
  await expect(verifyReceipt(twin, withTest)).rejects.toThrow('test mode');
  expect(await verifyReceipt(twin, { ...withTest, allowTestMode: true })).toMatchObject({ ...ofLive, livemode: false });
  for (const [receipt, livemode] of [[live, true] as const, [twin, false] as const])
    expect(await shop.merchant.post('/receipts/verify', { receipt })).toMatchObject({
      valid: true,
      claims: { livemode },
    });
});

/** Without options that weaken the verification. */
async function verify(jws: string) {
  const jwks = await keysOfReceipt(shop.app, jws);
  return verifyReceipt(jws, { jwks, payee: shop.wallet, issuer: shop.app.config.publicUrl });
}
