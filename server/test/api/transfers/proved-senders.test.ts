import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Transfer } from '../../../src/outside/chains/chain.ts';
import type { StoredTransfer } from '../../../src/settlement/records/transfer-store.ts';
import { findCandidates } from '../../../src/settlement/attribution/candidates.ts';
import { type Merchant, startApp, type TestApp } from '../../support/index.ts';
import { take, transferTo } from '../../support/transfers.ts';

const WALLET = '0x52908400098527886E0F7030069857D2E4169EE7';
let app: TestApp;
let merchant: Merchant;

beforeAll(async () => {
  app = await startApp();
  merchant = app.merchant.live;
});
afterAll(() => app.stop());

test('a transfer of a sender with forty open checkouts is compared with two of them, and pays none', async () => {
  const customer = newKey();
  const sessions = await Promise.all(Array.from({ length: 40 }, () => open(customer)));
  const transfer = transferFrom(customer);
  const clues = await findCandidates(app.ctx, app.ctx.db, stored(transfer));
  expect(clues.senders).toHaveLength(2);
  await take(app.ctx, transfer);
  expect(new Set(await Promise.all(sessions.map(statusOf)))).toEqual(new Set(['pending']));
});

test('a transfer of a sender with one open checkout pays it, however many have ended and however often it was chosen', async () => {
  const customer = newKey();
  const ended = await Promise.all(Array.from({ length: 40 }, () => open(customer)));
  await app.ctx.db.query('test_end', `update payments set status = 'expired' where session_id = any($1)`, [ended]);
  const session = await open(customer);
  await choose(session);
  await choose(session, customer);
  await take(app.ctx, transferFrom(customer));
  expect(await statusOf(session)).toBe('paid');
});

test('a checkout that is younger than the transfer does not make the sender ambiguous', async () => {
  const customer = newKey();
  const session = await open(customer);
  const transfer = transferFrom(customer);
  const younger = await Promise.all([open(customer), open(customer)]);
  await app.ctx.db.query(
    'test_later',
    `update payments set created_at = created_at + interval '5 minutes' where session_id = any($1)`,
    [younger],
  );
  await take(app.ctx, transfer);
  expect(await Promise.all([session, ...younger].map(statusOf))).toEqual(['paid', 'pending', 'pending']);
});

function newKey(): PrivateKeyAccount {
  return privateKeyToAccount(generatePrivateKey());
}

async function open(customer: PrivateKeyAccount): Promise<string> {
  const { id } = await merchant.createSession();
  await choose(id, customer);
  return id;
}

async function choose(id: string, customer?: PrivateKeyAccount): Promise<void> {
  const message = ['Quittance payment sender', `Session: ${id}`, 'Network: base', `Address: ${customer?.address}`].join(
    '\n',
  );
  const proof = customer && { sender: customer.address, sender_signature: await customer.signMessage({ message }) };
  const { status, raw } = await app.inject('POST', `/v1/public/checkout/sessions/${id}/pay`, {
    body: { pay_asset: 'USDC', pay_network: 'base', ...proof },
  });
  expect([status, raw]).toEqual([200, raw]);
}

async function statusOf(sessionId: string): Promise<string> {
  return (await merchant.get(`/checkout/sessions/${sessionId}`)).status;
}

/** Enough for each of them, and not a reserved amount. */
function transferFrom(customer: PrivateKeyAccount): Transfer {
  return transferTo(WALLET, { from: customer.address, amountUnits: 51_000_000n });
}

/** A stored transfer that is not attributed yet. */
function stored(transfer: Transfer): StoredTransfer {
  return {
    ...transfer,
    id: 'tr_test',
    livemode: true,
    status: 'seen',
    paymentId: null,
    targetId: null,
    attributedBy: null,
    reason: null,
    nearPaymentId: null,
    handledAt: null,
    handledNote: null,
    evidence: {},
    firstSeenAt: transfer.block.time,
    finalAt: null,
    queued: true,
    attempts: 0,
    setAsideAt: null,
    releasedAt: null,
    confirmed: true,
    reportedBy: [],
    contested: null,
  };
}
