import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Transfer } from '../../../src/outside/chains/chain.ts';
import { settleTransfer } from '../../../src/settlement/outcome/settle.ts';
import { receive } from '../../../src/settlement/attribution/attribute-transfer.ts';
import { findTransfersByHash } from '../../../src/settlement/records/transfer-store.ts';
import { type Merchant, startApp, type TestApp } from '../../support/index.ts';

let app: TestApp;
let merchant: Merchant;
let made = 0;
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

  const [row] = await app.ctx.db.query<{ paymentId: string }>(
    'test_payment',
    'select payment_id from checkout_sessions where id = $1',
    [session.id],
  );
  await merchant.dashboard.post(`/transfers/${id}/assign`, { payment: row?.paymentId });
  expect(await merchant.get(`/checkout/sessions/${session.id}`)).toMatchObject({ status: 'paid' });
});

test('a transfer that its merchant marked as handled stays unattributed when a reorg moves it to another block', async () => {
  const session = await merchant.createSession();
  const now = await app.ctx.db.now();
  const transfer = transferOf(48_900_000n, now);
  await app.ctx.db.transaction((db) => receive(app.ctx, db, { livemode: true, transfers: [transfer] }, now));
  const [stored] = await findTransfersByHash(app.ctx.db, true, 'base', transfer.txHash);
  await merchant.dashboard.post(`/transfers/${stored?.id}/handle`);
  expect((await claim(session.id, transfer)).status).toBe(202);

  await take({ ...transfer, block: { number: 2n, hash: '0x2', time: now } }, now);
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
  const now = await app.ctx.db.now();
  const transfer = transferOf(amountUnits, now);
  await take(transfer, now);
  return transfer;
}

function transferOf(amountUnits: bigint, time: Date): Transfer {
  return {
    network: 'base',
    txHash: `0x${(++made).toString(16).padStart(64, '0')}`,
    index: 0,
    asset: 'USDC',
    from: customer.address,
    to: WALLET,
    amountUnits,
    block: { number: 1n, hash: '0x1', time },
    carried: [],
  };
}

/** Stores a final transfer and attributes it. */
async function take(transfer: Transfer, now: Date): Promise<void> {
  await app.ctx.db.transaction((db) => receive(app.ctx, db, { livemode: true, transfers: [transfer] }, now));
  for (const stored of await findTransfersByHash(app.ctx.db, true, 'base', transfer.txHash)) {
    await app.ctx.db.transaction((db) =>
      settleTransfer({ ctx: app.ctx, db, at: { created: now, recorded: now } }, stored, {}),
    );
  }
}
