import { type Address, getAddress, toHex } from 'viem';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Chain } from '../../../src/outside/chains/chain.ts';
import { DAY_MS, SECOND_MS } from '../../../src/platform/time.ts';
import { refundsJob } from '../../../src/resources/refunds/verify.ts';
import { transferCalldata } from '../../support/anvil.ts';
import { proveWallet } from '../../support/prove.ts';
import { type Settlement, startSettlement } from '../../support/settlement.ts';

type Data = any;

let shop: Settlement;
let customer: string;
let other: `0x${string}`;
beforeAll(async () => {
  shop = await startSettlement();
  [, customer, other] = shop.chain.accounts.map(({ address }) => address) as [string, string, `0x${string}`];
});
afterAll(() => shop[Symbol.asyncDispose]());

/** A live payment of 98.00 that was paid, with `surplus` base units too much. */
async function paid(surplus = 0n): Promise<string> {
  const { id, amountUnits, tag } = await shop.checkout({ amount: '98.00' });
  await shop.send(amountUnits + surplus, { tag });
  await shop.settle();
  return (await shop.payment(id)).id;
}

const create = (id: string, body: object) => shop.merchant.post(`/payments/${id}/refunds`, { to: customer, ...body });
const read = (id: string) => shop.merchant.get(`/refunds/${id}`);
const report = (id: string, txHash: string) => shop.merchant.post(`/refunds/${id}/sent`, { tx_hash: txHash });
/** From a wallet that is not watched. */
const sendBack = (units: bigint, to = customer, token = shop.usdc) =>
  shop.send(units, { from: other, to: to as `0x${string}`, token });

/** Looks once at every refund that is sent. */
async function look(): Promise<void> {
  await shop.pass(20 * 60);
  await refundsJob.run(shop.ctx, new AbortController().signal, () => {});
}

/** How often the chain was asked about a refund. */
async function looksOf(id: string): Promise<number | undefined> {
  const [row] = await shop.ctx.db.query<{ looks: number }>('test_looks', 'select looks from refunds where id = $1', [
    id,
  ]);
  return row?.looks;
}

async function eventsOf(objectId: string): Promise<string[]> {
  const rows = await shop.ctx.db.query<{ type: string }>(
    'test_events_of',
    'select type from events where object_id = $1 order by sequence',
    [objectId],
  );
  return rows.map(({ type }) => type);
}

test('a refund is final once the quorum says that exactly this transfer is, not before', async () => {
  const id = await paid(9_800_000n);
  const refund = await create(id, { amount: '9.80' });
  const hash = await sendBack(9_800_000n);
  expect(await report(refund.id, hash)).toMatchObject({ status: 'sent', verified: false, tx_hash: hash });
  await refundsJob.run(shop.ctx, new AbortController().signal, () => {});
  expect(await read(refund.id)).toMatchObject({ status: 'sent', mismatch: null });
  await expect(shop.merchant.post(`/refunds/${refund.id}/cancel`)).rejects.toMatchObject({
    status: 400,
    code: 'invalid_payment_state',
  });

  await shop.chain.mine(3);
  await look();
  expect(await read(refund.id)).toMatchObject({ status: 'final', verified: true, sequence: 2, mismatch: null });
  expect(await shop.merchant.get(`/payments/${id}`)).toMatchObject({
    status: 'paid',
    refunded_amount: '9.80',
    surplus: '9.80',
  });
  expect(await eventsOf(refund.id)).toEqual(['refund.created', 'refund.final']);

  const whole = await create(id, { amount: '98.00', tx_hash: await sendBack(98_000_000n) });
  await shop.chain.mine(3);
  await look();
  expect(await read(whole.id)).toMatchObject({ status: 'final', verified: true });
  expect(await shop.merchant.get(`/payments/${id}`)).toMatchObject({ status: 'refunded', refunded_amount: '107.80' });
  expect((await eventsOf(id)).filter((type) => type === 'payment.refunded')).toHaveLength(1);
});

test.each([
  ['of less', () => sendBack(9_000_000n), { asset: 'USDC', coin_amount: '9.000000' }],
  ['of more', () => sendBack(9_800_001n), { asset: 'USDC', coin_amount: '9.800001' }],
  ['of another coin', () => sendBack(9_800_000n, customer, shop.usdt), { asset: 'USDT', coin_amount: '9.800000' }],
  ['to another address', () => sendBack(9_800_000n, getAddress(toHex(7n, { size: 20 }))), { asset: null, to: null }],
])(
  'a transfer %s is its own case, never done, and keeps the amount until a person decides',
  async (_what, send, found) => {
    const id = await paid(9_800_000n);
    const refund = await create(id, { amount: '9.80', tx_hash: await send() });
    await shop.chain.mine(3);
    await look();
    expect(await read(refund.id)).toMatchObject({ status: 'sent', verified: false, mismatch: found });
    const asked = await looksOf(refund.id);
    await look();
    expect(await looksOf(refund.id)).toBe(asked);
    expect(await shop.merchant.get(`/payments/${id}`)).toMatchObject({ status: 'paid', refunded_amount: '0.00' });
    await expect(create(id, { amount: '98.01' })).rejects.toMatchObject({ status: 400, param: 'amount' });
    expect(await eventsOf(refund.id)).toEqual(['refund.created']);

    // The right transaction, or none.
    await report(refund.id, await sendBack(9_800_000n));
    expect(await read(refund.id)).toMatchObject({ status: 'sent', mismatch: null });
    await shop.chain.mine(3);
    await look();
    expect(await read(refund.id)).toMatchObject({ status: 'final', verified: true, mismatch: null });
  },
);

test('a refund for which another transaction is named is final by the one that moved its money', async () => {
  const id = await paid(9_800_000n);
  const refund = await create(id, { amount: '9.80' });
  const hash = await sendBack(9_800_000n);
  await report(refund.id, hash);
  await report(refund.id, `0x${'5d'.repeat(32)}`);
  await shop.chain.mine(3);
  await look();
  expect(await read(refund.id)).toMatchObject({ status: 'final', verified: true, tx_hash: hash });
});

test('a refund that was sent twice is final once, and keeps both transactions', async () => {
  const id = await paid(9_800_000n);
  const refund = await create(id, { amount: '9.80' });
  const [first, second] = [await sendBack(9_800_000n), await sendBack(9_800_000n)];
  await report(refund.id, first);
  await report(refund.id, second);
  await shop.chain.mine(3);
  await look();
  expect(await read(refund.id)).toMatchObject({ status: 'final', verified: true, tx_hash: second });
  const [row] = await shop.ctx.db.query('test_named', 'select other_hashes from refunds where id = $1', [refund.id]);
  expect(row).toEqual({ otherHashes: [first] });
  expect(await shop.merchant.get(`/payments/${id}`)).toMatchObject({ refunded_amount: '9.80' });
});

test('a refund with a mismatch keeps its amount while another transaction that was named may still be mined', async () => {
  const id = await paid();
  const refund = await create(id, { amount: '9.80' });
  await report(refund.id, `0x${'5d'.repeat(32)}`);
  await report(refund.id, await sendBack(5_000_000n));
  await shop.chain.mine(3);
  await look();
  expect(await read(refund.id)).toMatchObject({ status: 'sent', mismatch: { coin_amount: '5.000000' } });
  const cancel = () => shop.merchant.post(`/refunds/${refund.id}/cancel`);
  await expect(cancel()).rejects.toMatchObject({ status: 400, code: 'invalid_payment_state' });

  // No provider knows it after three days.
  await shop.ctx.db.query('test_age', `update refunds set sent_at = sent_at - interval '3 days' where id = $1`, [
    refund.id,
  ]);
  expect(await cancel()).toMatchObject({ status: 'cancelled' });
});

test('a refund with a mismatch can be cancelled', async () => {
  const id = await paid();
  const refund = await create(id, { amount: '9.80', tx_hash: await sendBack(5_000_000n) });
  await shop.chain.mine(3);
  await look();
  expect(await shop.merchant.post(`/refunds/${refund.id}/cancel`)).toMatchObject({ status: 'cancelled' });
});

test('one transfer returns the money of one refund', async () => {
  const id = await paid();
  const hash = await sendBack(5_000_000n);
  const [one, two] = [
    await create(id, { amount: '5.00', tx_hash: hash }),
    await create(id, { amount: '5.00', tx_hash: hash }),
  ];
  await shop.chain.mine(3);
  await look();
  await look();
  const statuses = [await read(one.id), await read(two.id)].map(({ status, mismatch }: Data) => [
    status,
    mismatch?.asset,
  ]);
  expect(statuses.sort()).toEqual([
    ['final', undefined],
    ['sent', 'USDC'],
  ]);
  expect(await shop.merchant.get(`/payments/${id}`)).toMatchObject({ refunded_amount: '5.00' });
});

test('one signature returns as many equal refunds as it has transfers', async () => {
  const batcher = await shop.chain.deploy('Batcher');
  await shop.chain.transferErc20({ token: shop.usdc, to: batcher, amount: 100_000_000n, from: other });
  const hash = await shop.chain.batch(
    batcher,
    Array.from({ length: 6 }, () => ({ target: shop.usdc, data: transferCalldata(customer as Address, 5_000_000n) })),
  );
  const id = await paid();
  const made: string[] = [];
  for (let at = 0; at < 7; at += 1) made.push((await create(id, { amount: '5.00', tx_hash: hash })).id);
  await shop.chain.mine(3);
  for (let times = 0; times < 7; times += 1) await look();
  const statuses = (await Promise.all(made.map(read))).map(({ status }: Data) => status).sort();
  expect(statuses).toEqual([...Array.from({ length: 6 }, () => 'final'), 'sent']);
  expect(await shop.merchant.get(`/payments/${id}`)).toMatchObject({ refunded_amount: '30.00' });
});

test('a transfer that another refund takes at the same moment leaves this one, with no error in the log', async () => {
  const refund = await create(await paid(), { amount: '5.00', tx_hash: await sendBack(5_000_000n) });
  await shop.chain.mine(3);
  const errors = vi.spyOn(shop.ctx.log, 'error');
  let looking: Promise<void> | undefined;
  await shop.ctx.db.transaction(async (db) => {
    await db.query(
      'test_take_transfers',
      `
      insert into outgoing_transfers
      select account_id, livemode, network, tx_hash, n, 'rf_taker' || n from refunds, generate_series(0, 5) n where id = $1`,
      [refund.id],
    );
    looking = look();
    await expect
      .poll(() =>
        shop.ctx.db.query(
          'test_blocked',
          `select 1 from pg_locks where not granted and locktype = 'transactionid'`,
          [],
        ),
      )
      .toHaveLength(1);
  });
  await looking;
  expect(errors.mock.calls).toEqual([]);
  errors.mockRestore();
  await look();
  expect(await read(refund.id)).toMatchObject({ status: 'sent', mismatch: { asset: 'USDC', coin_amount: '5.000000' } });
  await shop.ctx.db.query('test_forget_takers', `delete from outgoing_transfers where used_by like 'rf_taker%'`);
});

describe('of two transfers of one signature to the same customer', () => {
  let id: string;
  let chain: Chain;
  beforeEach(async () => {
    const batcher = await shop.chain.deploy('Batcher');
    await shop.chain.transferErc20({ token: shop.usdc, to: batcher, amount: 11_000_000n, from: other });
    const hash = await shop.chain.batch(
      batcher,
      [5_000_000n, 6_000_000n].map((units) => ({
        target: shop.usdc,
        data: transferCalldata(customer as Address, units),
      })),
    );
    ({ id } = await create(await paid(), { amount: '5.00', tx_hash: hash }));
    await shop.chain.mine(3);
    await shop.pass(20 * 60);
    chain = [...shop.ctx.chains.values()][0] as Chain;
  });
  const lookBy = (faulty: Partial<Chain>) =>
    refundsJob.run(
      { ...shop.ctx, chains: new Map([['ethereum' as const, { ...bound(chain), ...faulty }]]) },
      new AbortController().signal,
      () => {},
    );

  test('one is not called wrong while it is not confirmed, though the other one is', async () => {
    await lookBy({
      check: async (transfer, ...asked) =>
        transfer.amountUnits === 5_000_000n
          ? { type: 'unknown', details: 'no answer in time' }
          : chain.check(transfer, ...asked),
    });
    expect(await read(id)).toMatchObject({ status: 'sent', mismatch: null });
    await look();
    expect(await read(id)).toMatchObject({ status: 'final', verified: true });
  });

  test('one is found, though the provider that was asked first hides it behind the other one', async () => {
    await lookBy({
      transaction: async (...asked) => {
        const found = await chain.transaction(...asked);
        return found && { ...found, transfers: found.transfers.filter((one) => one.amountUnits !== 5_000_000n) };
      },
    });
    expect(await read(id)).toMatchObject({ status: 'final', verified: true, mismatch: null });
  });
});

test('what a wallet sent that another account has proved does not count as a refund of this one', async () => {
  const owner = await shop.app.newMerchant();
  const sender = shop.chain.accounts[4]?.address as Address;
  await shop.chain.transferErc20({ token: shop.usdc, to: sender, amount: 10_000_000n, from: other });
  const wallet = await owner.live.createWallet({ asset: 'USDC', network: 'ethereum', address: sender });
  await proveWallet(shop.ctx.db, wallet.id);
  const id = await paid();
  const hash = await shop.send(5_000_000n, { from: sender, to: customer as Address });
  const refund = await create(id, { amount: '5.00', tx_hash: hash });
  await shop.chain.mine(3);
  await look();
  expect(await read(refund.id)).toMatchObject({ status: 'sent', verified: false, mismatch: { asset: 'USDC' } });
});

test('a transfer from before the payment returns nothing of it', async () => {
  const before = await sendBack(5_000_000n);
  await shop.pass(3_600);
  const { id } = await shop.checkout({ amount: '98.00' });
  const [row] = await shop.ctx.db.query<{ id: string }>(
    'test_arrived',
    `update payments set status = 'paid', actual_output_units = 98000000, created_at = $2 where session_id = $1 returning id`,
    [id, await shop.ctx.db.now()],
  );
  const refund = await create(String(row?.id), { amount: '5.00', tx_hash: before });
  await shop.chain.mine(3);
  await look();
  expect(await read(refund.id)).toMatchObject({ status: 'sent', mismatch: { asset: 'USDC', coin_amount: '5.000000' } });
});

test('a reverted transaction fails the refund and frees its amount, where the only provider says so', async () => {
  const id = await paid();
  const reverted = await shop.chain.send({ from: other, to: shop.usdc, data: '0xdeadbeef', gas: 100_000n } as never);
  const refund = await create(id, { tx_hash: reverted });
  await shop.chain.mine(3);
  await look();
  expect(await read(refund.id)).toMatchObject({
    status: 'failed',
    failure_reason: 'transaction_reverted',
    sequence: 2,
  });
  expect(await eventsOf(refund.id)).toEqual(['refund.created', 'refund.failed']);
  await expect(shop.merchant.post(`/refunds/${refund.id}/cancel`)).rejects.toMatchObject({ status: 400 });
  expect(await create(id, {})).toMatchObject({ status: 'planned' });
});

test('a transaction that no provider knows is waited for, and fails the refund after three days', async () => {
  const id = await paid();
  const refund = await create(id, { tx_hash: `0x${'ab'.repeat(32)}` });
  await look();
  expect(await read(refund.id)).toMatchObject({ status: 'sent', mismatch: null });
  await shop.pass((3 * DAY_MS) / SECOND_MS);
  await look();
  expect(await read(refund.id)).toMatchObject({ status: 'failed', failure_reason: 'transaction_not_found' });
});

test('one provider alone makes no refund final, and none failed', async () => {
  const id = await paid();
  const [chain] = [...shop.ctx.chains.values()] as [Chain];
  const alone: Chain = {
    ...bound(chain),
    check: async (...asked) => {
      const verdict = await chain.check(...asked);
      return verdict.type === 'stands' ? { ...verdict, alone: { unreachable: [] } } : verdict;
    },
  };
  const run = async () => {
    await shop.pass(20 * 60);
    const ctx = { ...shop.ctx, chains: new Map([['ethereum' as const, alone]]) };
    await refundsJob.run(ctx, new AbortController().signal, () => {});
  };
  const refund = await create(id, { amount: '5.00', tx_hash: await sendBack(5_000_000n) });
  await shop.chain.mine(3);
  await run();
  expect(await read(refund.id)).toMatchObject({ status: 'sent', mismatch: null });

  const reverted = await shop.chain.send({ from: other, to: shop.usdc, data: '0xdeadbeef', gas: 100_000n } as never);
  alone.transaction = async (...asked) => {
    const found = await chain.transaction(...asked);
    if (!found?.reverted) return found;
    const { movedNothing: _agreed, ...said } = found;
    return said;
  };
  const second = await create(id, { amount: '6.00', tx_hash: reverted });
  await shop.chain.mine(3);
  await run();
  expect(await read(second.id)).toMatchObject({ status: 'sent', failure_reason: null });
});

/** A copy of the chain's methods, so that single ones can be replaced. */
function bound(chain: Chain): Chain {
  return {
    ...chain,
    transaction: (...asked: Parameters<Chain['transaction']>) => chain.transaction(...asked),
    check: (...asked: Parameters<Chain['check']>) => chain.check(...asked),
  } as Chain;
}
