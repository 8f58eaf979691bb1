import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { submitTransaction } from '../../../src/resources/checkout-sessions/submit-transaction.ts';
import { TemporaryError } from '../../../src/platform/errors.ts';
import { later } from '../../../src/platform/time.ts';
import { claimText } from '../../../src/settlement/attribution/claim.ts';
import { claimsJob } from '../../../src/settlement/attribution/verify-claims.ts';
import { type FakeCheckout, FakeNetwork } from '../../support/fake-network.ts';
import { toTransfer } from '../../programs/simulation/fake-chain.ts';
import type { Block, Tx } from '../../programs/simulation/ledger.ts';

// Providers may report a transfer that does not exist in a block that does. Without a payment it is not verified by
// itself, and it becomes final with its block once both passes report it. It must not become money afterwards.
const CUSTOMER = privateKeyToAccount(`0x${'5'.repeat(64)}`);

let net: FakeNetwork;

beforeAll(async () => {
  net = await FakeNetwork.start();
});
afterAll(() => net[Symbol.asyncDispose]());

test('an invented transfer that became final with its block pays nothing when the merchant assigns it', async () => {
  const { meant, forged } = await forge();
  const { payment } = await net.app.merchant.live.get(`/checkout/sessions/${meant.id}`);
  await net.app.merchant.live.dashboard.post(`/transfers/${(await find(forged)).id}/assign`, { payment });
  await expectUnpaid(meant, forged);
});

test('an invented transfer that became final with its block pays nothing when its sender claims it', async () => {
  const { meant, forged } = await forge();
  const message = claimText({ sessionId: meant.id, network: 'base', txHash: forged.hash });
  const { status } = await net.app.inject('POST', `/v1/public/checkout/sessions/${meant.id}/transactions`, {
    body: { tx_hash: forged.hash, signature: await CUSTOMER.signMessage({ message }) },
  });
  expect(status).toBeLessThan(300);
  await claimsJob.run(net.ctx, new AbortController().signal, () => {});
  await expectUnpaid(meant, forged);
});

test('an invented transfer that a paid payment released pays nothing when it is assigned to another one', async () => {
  const wallet = await net.wallet();
  const [first, second] = [await net.checkout(wallet), await net.checkout(wallet)];
  await net.blocks(1);
  const { body } = await net.app.inject('GET', `/v1/public/checkout/sessions/${first.id}`);
  const forged = net.transaction(wallet.address, second.amountUnits + 1_000_000n);
  for (const movement of forged.movements) {
    movement.from = CUSTOMER.address;
    movement.carried = [Buffer.from(body.data.payment.tag.slice(2), 'hex').subarray(4)];
  }
  invent(forged);
  await net.blocks(10);
  expect(await find(forged)).toMatchObject({ status: 'seen', paymentId: expect.any(String) });
  net.send(net.transaction(wallet.address, first.amountUnits));
  await net.blocks(6);
  expect(await net.status(first)).toBe('paid');
  expect(await find(forged)).toMatchObject({ status: 'final', paymentId: null });

  const { payment } = await net.app.merchant.live.get(`/checkout/sessions/${second.id}`);
  await net.app.merchant.live.dashboard.post(`/transfers/${(await find(forged)).id}/assign`, { payment });
  await expectUnpaid(second, forged);
});

test('a real transfer that became final with its block pays once the providers confirm it', async () => {
  const wallet = await net.wallet();
  const meant = await net.checkout(wallet);
  await net.blocks(1);
  const real = net.transaction(wallet.address, meant.amountUnits + 1_000_000n);
  net.send(real);
  await net.blocks(6);
  expect(await find(real)).toMatchObject({ status: 'final', paymentId: null });
  const { payment } = await net.app.merchant.live.get(`/checkout/sessions/${meant.id}`);
  await net.app.merchant.live.dashboard.post(`/transfers/${(await find(real)).id}/assign`, { payment });
  await net.blocks(1);
  expect(await net.status(meant)).toBe('paid');
});

test('a transfer that only one provider reports is not final, not mailed and not assignable until another one reports it', async () => {
  const wallet = await net.wallet();
  const meant = await net.checkout(wallet);
  await net.blocks(1);
  const [, early] = net.fake.providers;
  if (!early) throw new Error('there is no second provider');
  const sent = net.transaction(wallet.address, meant.amountUnits + 1_000_000n);
  early.invents = [sent];
  await net.blocks(15);
  await net.app.ctx.db.query('test_want_mail', `update accounts set notices = '{unattributed}'`);
  const { id } = await find(sent);
  expect(await listed(id)).toMatchObject({ confirmed: false, reason: 'no_match' });
  expect(await find(sent)).toMatchObject({ status: 'seen', paymentId: null });
  expect(await mailsAbout(id)).toBe(0);
  const { payment } = await net.app.merchant.live.get(`/checkout/sessions/${meant.id}`);
  const { body, status } = await assign(id, payment);
  expect([status, body.error.code, body.error.param]).toEqual([400, 'invalid_payment_state', 'id']);
  expect(body.error.message).toContain('Only one RPC provider has reported this transfer');

  // It was only early: the transaction comes.
  early.invents = [];
  net.send(sent);
  await net.blocks(6);
  expect(await listed(id)).toMatchObject({ confirmed: true });
  expect(await find(sent)).toMatchObject({ status: 'final' });
  expect(await mailsAbout(id)).toBe(1);
  expect((await assign(id, payment)).status).toBe(200);
  await net.blocks(1);
  expect(await net.status(meant)).toBe('paid');
});

test("a customer's hint to a transfer that only one provider reports makes nothing final", async () => {
  const wallet = await net.wallet();
  const meant = await net.checkout(wallet);
  await net.blocks(1);
  const [honest, liar] = net.fake.providers;
  if (!honest || !liar) throw new Error('there are no two providers');
  const forged = net.transaction(wallet.address, meant.amountUnits);
  liar.invents = [forged];
  for (let hint = 0; hint < 2; hint += 1) {
    expect(await submitTransaction(net.ctx, meant.id, { tx_hash: forged.hash })).toEqual({ accepted: true });
    expect(await find(forged)).toMatchObject({ status: 'seen', paymentId: expect.any(String) });
    await net.blocks(10);
  }
  expect(await net.status(meant)).toBe('pending');
  liar.invents = [];
  await net.minutes(10);
  expect(await find(forged)).toMatchObject({ status: 'dropped' });
});

test('a block that no provider serves keeps no other block from becoming final, and becomes final once one serves it', async () => {
  const [lost, served] = await unattributed(2);
  const blockOfLost = BigInt(net.ledger.blocks.findIndex(({ txs }) => txs.includes(lost as Tx)));
  net.use({
    async block(number, by) {
      if (number === blockOfLost) throw new TemporaryError('no provider serves the block');
      return net.fake.chain.block(number, by);
    },
  });
  await net.blocks(6);
  expect([await find(lost as Tx), await find(served as Tx)]).toMatchObject([{ status: 'seen' }, { status: 'final' }]);
  net.use({});
  await net.blocks(2);
  expect(await find(lost as Tx)).toMatchObject({ status: 'final' });
});

test('more blocks that no provider has than one turn asks about keep no later block from becoming final', async () => {
  const sent = await unattributed(52);
  const newest = BigInt(net.ledger.blocks.findIndex(({ txs }) => txs.includes(sent.at(-1) as Tx)));
  net.use({ block: async (number, by) => (number < newest ? undefined : net.fake.chain.block(number, by)) });
  await net.blocks(6);
  expect([await find(sent[0] as Tx), await find(sent[51] as Tx)]).toMatchObject([
    { status: 'seen' },
    { status: 'final' },
  ]);
  net.use({});
  await net.blocks(4);
  for (const one of sent) expect(await find(one)).toMatchObject({ status: 'final', paymentId: null });
});

/** Sends this many transfers that pay nothing, each in a block of its own. */
async function unattributed(count: number): Promise<Tx[]> {
  net.use({});
  const { address, ...wallet } = await net.wallet();
  await net.checkout({ address, ...wallet });
  await net.blocks(1);
  return Array.from({ length: count }, () => {
    const sent = net.transaction(address, 77_000_000n);
    net.send(sent);
    net.now = later(net.now, 2_000);
    net.ledger.mineUntil(net.now);
    return sent;
  });
}

/** A checkout, and a transfer for it that does not exist, final with its block. */
async function forge(): Promise<{ meant: FakeCheckout; forged: Tx }> {
  const wallet = await net.wallet();
  const meant = await net.checkout(wallet);
  await net.blocks(1);
  const forged = net.transaction(wallet.address, meant.amountUnits + 1_000_000n);
  for (const movement of forged.movements) movement.from = CUSTOMER.address;
  invent(forged);
  await net.blocks(15);
  expect(await find(forged)).toMatchObject({ status: 'final', paymentId: null });
  return { meant, forged };
}

/** Both passes are shown the transfer as part of one block, and one provider confirms it in every check. */
function invent(forged: Tx): void {
  const [, liar] = net.fake.providers;
  if (!liar) throw new Error('there is no second provider');
  liar.invents = [forged];
  let place: Block | undefined;
  net.use({
    async read(step) {
      const reading = await net.fake.chain.read(step);
      const others = reading.transfers.filter((transfer) => transfer.txHash !== forged.hash);
      place ??= net.ledger.blocks[Number(reading.covered.number)];
      const block = place;
      if (!block || block.number <= step.after.number || block.number > reading.covered.number)
        return { ...reading, transfers: others };
      const added = forged.movements.map((movement) => toTransfer('base', forged, movement, block));
      return { ...reading, transfers: [...others, ...added] };
    },
  });
}

async function expectUnpaid(meant: FakeCheckout, forged: Tx): Promise<void> {
  // Assigned, so that it is verified.
  expect((await find(forged)).paymentId).not.toBeNull();
  await net.blocks(10);
  expect(await net.status(meant)).toBe('pending');
  expect(await find(forged)).toMatchObject({ status: 'seen' });
}

function assign(id: string, payment: string) {
  return net.app.inject('POST', `/v1/transfers/${id}/assign`, {
    headers: { authorization: `Bearer ${net.app.merchant.live.loginToken}` },
    body: { payment },
  });
}

async function listed(id: string) {
  const { data } = await net.app.merchant.live.get('/transfers', { unattributed: 'true' });
  return data.find((one: { id: string }) => one.id === id);
}

async function mailsAbout(id: string): Promise<number> {
  const rows = await net.app.ctx.db.query('test_mails', 'select 1 from notices where transfer_id = $1', [id]);
  return rows.length;
}

async function find(tx: Tx): Promise<{ id: string; status: string; paymentId: string | null }> {
  const [row] = await net.app.ctx.db.query<{ id: string; status: string; paymentId: string | null }>(
    'test_find',
    'select id, status, payment_id from transfers where tx_hash = $1',
    [tx.hash],
  );
  if (!row) throw new Error('the transfer was not stored');
  return row;
}
