import { afterAll, beforeAll, expect, test } from 'vitest';
import { privateKeyToAccount, generatePrivateKey } from 'viem/accounts';
import { lockPayments } from '../../src/resources/payments/store.ts';
import { inSandbox } from '../../src/resources/test-helpers/sandbox.ts';
import { startApp, type Merchant, type TestApp } from '../support/index.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

test('where another account has saved the address too, a transfer is dealt with by the one that has proved it', async () => {
  const owner = privateKeyToAccount(generatePrivateKey());
  const [mine, theirs] = [await app.newMerchant(), await app.newMerchant()];
  const wallet = await mine.createWallet({ address: owner.address });
  await theirs.createWallet({ address: owner.address });
  const transferId = await strayTransfer(mine);

  for (const merchant of [mine, theirs]) {
    await expect(merchant.dashboard.post(`/transfers/${transferId}/handle`)).rejects.toMatchObject({ status: 403, code: 'forbidden' });
  }
  const { message } = await mine.dashboard.post(`/payout-wallets/${wallet.id}/prove`);
  const proof = await mine.dashboard.post(`/payout-wallets/${wallet.id}/prove`, { signature: await owner.signMessage({ message }) });
  expect(proof.proved).toBe(true);

  expect(await mine.dashboard.post(`/transfers/${transferId}/handle`)).toMatchObject({ id: transferId, handled_at: expect.any(String) });
  await expect(theirs.dashboard.post(`/transfers/${transferId}/handle`)).rejects.toMatchObject({ status: 403, code: 'forbidden' });
});

/** Money that no payment asked for. */
async function strayTransfer(merchant: Merchant): Promise<string> {
  const session = await merchant.createSession();
  const { payment: paymentId } = await merchant.post(`/test_helpers/checkout/sessions/${session.id}/pay`, { pay_asset: 'USDC', pay_network: 'base', outcome: 'paid' });
  await inSandbox(app.ctx, merchant.accountId, async (sandbox) => {
    const payment = (await lockPayments(sandbox.db, [paymentId])).get(paymentId);
    if (payment) await sandbox.send(payment, 12_345_678n, { bare: true });
  });
  const { data } = await merchant.get('/transfers', { unattributed: 'true' });
  return data[0].id;
}
