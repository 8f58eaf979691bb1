import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Transfer } from '../../../src/outside/chains/chain.ts';
import { type Merchant, startApp, type TestApp } from '../../support/index.ts';
import { paymentOfSession } from '../../support/payments.ts';
import { arrive, take, transferTo } from '../../support/transfers.ts';

let app: TestApp;
let merchant: Merchant;
const WALLET = '0x52908400098527886E0F7030069857D2E4169EE7';
const customer = privateKeyToAccount(generatePrivateKey());

beforeAll(async () => {
  app = await startApp();
  merchant = app.merchant.live;
});
afterAll(() => app.stop());

test('a transfer that its merchant has handled cannot be claimed any more', async () => {
  const session = await merchant.createSession();
  const transfer = await send(49_000_000n);
  const {
    data: [listed],
  } = await merchant.get('/transfers', { unattributed: 'true' });
  // For example, the merchant has returned the money.
  await merchant.dashboard.post(`/transfers/${listed.id}/handle`);

  expect((await claim(session.id, transfer)).status).toBe(202);
  expect(await merchant.get(`/checkout/sessions/${session.id}`)).toMatchObject({ status: 'created', payment: null });
});

test('a transfer that its merchant has handled can still be assigned to a payment by the merchant', async () => {
  const session = await merchant.createSession();
  const transfer = await send(48_800_000n);
  const { data } = await merchant.get('/transfers', { unattributed: 'true' });
  const { id } = data.find((one: { tx_hash: string }) => one.tx_hash === transfer.txHash);
  await merchant.dashboard.post(`/transfers/${id}/handle`);

  const payment = await paymentOfSession(app.ctx.db, session.id);
  await merchant.dashboard.post(`/transfers/${id}/assign`, { payment });
  expect(await merchant.get(`/checkout/sessions/${session.id}`)).toMatchObject({ status: 'paid' });
});

test('a transfer that its merchant marked as handled stays unattributed when a reorg moves it to another block', async () => {
  const session = await merchant.createSession();
  const now = await app.ctx.db.now();
  const transfer = transferTo(WALLET, { from: customer.address, amountUnits: 48_900_000n });
  await merchant.dashboard.post(`/transfers/${await arrive(app.ctx, transfer)}/handle`);
  expect((await claim(session.id, transfer)).status).toBe(202);

  await take(app.ctx, { ...transfer, block: { number: 2n, hash: '0x2', time: now } });
  expect(await merchant.get(`/checkout/sessions/${session.id}`)).toMatchObject({ status: 'created', payment: null });
});

test('a transfer that a payment has taken cannot be marked as handled, even at the same moment', async () => {
  const answers = await Promise.all(
    Array.from({ length: 8 }, async (_, at) => {
      const session = await merchant.createSession();
      const transfer = await send(48_700_000n + BigInt(at));
      const { data } = await merchant.get('/transfers', { unattributed: 'true', limit: '100' });
      const { id } = data.find((one: { tx_hash: string }) => one.tx_hash === transfer.txHash);
      await Promise.allSettled([claim(session.id, transfer), merchant.dashboard.post(`/transfers/${id}/handle`)]);
      const [row] = await app.ctx.db.query<{ taken: boolean; handled: boolean }>(
        'test_both',
        'select payment_id is not null as taken, handled_at is not null as handled from transfers where id = $1',
        [id],
      );
      return row;
    }),
  );
  for (const row of answers) expect([row?.taken, row?.handled]).not.toEqual([true, true]);
});

async function claim(sessionId: string, { txHash }: Transfer, by = customer) {
  const message = ['Quittance payment claim', `Session: ${sessionId}`, 'Network: base', `Transaction: ${txHash}`].join(
    '\n',
  );
  return app.inject('POST', `/v1/public/checkout/sessions/${sessionId}/transactions`, {
    body: { tx_hash: txHash, signature: await by.signMessage({ message }) },
  });
}

async function send(amountUnits: bigint): Promise<Transfer> {
  const transfer = transferTo(WALLET, { from: customer.address, amountUnits });
  await take(app.ctx, transfer);
  return transfer;
}
