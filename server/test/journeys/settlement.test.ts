import { getAddress } from 'viem';
import { afterEach, beforeAll, afterAll, describe, expect, test } from 'vitest';
import { formatUnits } from '../../src/platform/money.ts';
import { reconcile, rescan } from '../../src/settlement/rescan.ts';
import { transferCalldata } from '../support/anvil.ts';
import { type Settlement, startSettlement } from '../support/settlement.ts';

let shop: Settlement;

beforeAll(async () => {
  shop = await startSettlement();
});
afterAll(() => shop[Symbol.asyncDispose]());
// A test's transactions must not reach the next test.
afterEach(() =>
  shop.app.ctx.db.query('test_handle_all', `update transfers set handled_at = block_time where payment_id is null`),
);

const half = 24_500_000n;

describe('a transfer of a real token', () => {
  test('of the exact amount, from any wallet, pays', async () => {
    const { id, amountUnits } = await shop.checkout();
    const before = await shop.chain.call<bigint>('TestToken', shop.usdc, 'balanceOf', [shop.wallet]);

    const txHash = await shop.send(amountUnits);
    await shop.settle();

    expect(await shop.walk(id)).toEqual(['created', 'pending', 'paid']);
    expect(await shop.payment(id)).toMatchObject({
      status: 'paid',
      tx_hashes: [txHash],
      actual_output: formatUnits(amountUnits, 6),
      failure_reason: null,
      route: 'direct',
    });
    expect((await shop.chain.call<bigint>('TestToken', shop.usdc, 'balanceOf', [shop.wallet])) - before).toBe(
      amountUnits,
    );
    expect(await shop.unattributed()).toEqual([]);
  });

  test('with a tag pays, though its amount is a round one', async () => {
    const { id, tag } = await shop.checkout();
    await shop.send(49_000_000n, { tag });
    await shop.settle();
    expect(await shop.payment(id)).toMatchObject({ status: 'paid', actual_output: '49.000000' });
  });

  test('with a tag starts and pays a session that was not started', async () => {
    const session = await shop.session();
    const [row = missing()] = await shop.ctx.db.query<{ reference: Buffer }>(
      'test_reference',
      'select reference from checkout_sessions where id = $1',
      [session.id],
    );
    const tag = Buffer.concat([Buffer.from('51544e43', 'hex'), row.reference.subarray(0, 16)]);
    await shop.send(49_000_000n, { tag });
    await shop.settle();
    expect(await shop.walk(session.id)).toEqual(['created', 'pending', 'paid']);
  });

  test('changes no status before it is final, and is shown to the customer meanwhile', async () => {
    const { id, amountUnits } = await shop.checkout();
    await shop.send(amountUnits);
    await shop.watch();

    expect(await shop.publicSession(id)).toMatchObject({
      status: 'pending',
      payment: {
        amount: formatUnits(amountUnits, 6),
        amount_due: '0.000000',
        amount_seen: formatUnits(amountUnits, 6),
        amount_received: '0.000000',
        confirmations: 1,
        confirmations_needed: 3,
      },
    });
    await shop.chain.mine(1);
    await shop.watch();
    expect(await shop.publicSession(id)).toMatchObject({ status: 'pending', payment: { confirmations: 2 } });

    await shop.chain.mine(1);
    await shop.watch();
    expect(await shop.publicSession(id)).toMatchObject({
      status: 'paid',
      payment: { amount_received: formatUnits(amountUnits, 6) },
    });
  });

  test('in two parts adds up, the rest being an exact amount of its own', async () => {
    const { id, amountUnits, tag } = await shop.checkout();
    await shop.send(half, { tag });
    await shop.settle();
    const { status, payment } = await shop.publicSession(id);
    expect(status).toBe('pending');
    expect(payment).toMatchObject({
      amount: formatUnits(amountUnits, 6),
      amount_received: formatUnits(half, 6),
      amount_due: expect.stringMatching(/^24\.50\d{4}$/),
    });

    await shop.send(BigInt(payment.amount_due.replace('.', '')));
    await shop.settle();

    expect(await shop.walk(id)).toEqual(['created', 'pending', 'paid']);
    expect((await shop.payment(id)).tx_hashes).toHaveLength(2);
  });

  test('half a percent short counts as paid, a unit less does not', async () => {
    const [enough, short] = [await shop.checkout(), await shop.checkout()];
    await shop.send(48_755_000n, { tag: enough.tag });
    await shop.send(48_754_999n, { tag: short.tag });
    await shop.settle();
    expect((await shop.payment(enough.id)).status).toBe('paid');
    expect((await shop.payment(short.id)).status).toBe('pending');
  });

  test('of too much pays, the surplus visible', async () => {
    const { id, tag } = await shop.checkout();
    await shop.send(60_000_000n, { tag });
    await shop.settle();
    expect(await shop.payment(id)).toMatchObject({
      status: 'paid',
      actual_output: '60.000000',
      expected_output: '49.000000',
    });
  });

  test('a second time is listed as already paid', async () => {
    const { id, amountUnits, tag } = await shop.checkout();
    await shop.send(amountUnits, { mine: false });
    await shop.send(amountUnits, { tag });
    await shop.settle();

    expect(await shop.walk(id)).toEqual(['created', 'pending', 'paid']);
    const payment = await shop.payment(id);
    expect(payment).toMatchObject({ actual_output: formatUnits(amountUnits, 6), tx_hashes: [expect.any(String)] });
    expect(await shop.unattributed()).toMatchObject([
      { reason: 'already_paid', payment: payment.id, amount: formatUnits(amountUnits, 6) },
    ]);
  });

  test('of another supported coin is listed, tagged or not, and pays nothing', async () => {
    const { id, amountUnits, tag } = await shop.checkout();
    await shop.send(amountUnits, { token: shop.usdt });
    await shop.send(amountUnits, { token: shop.usdt, tag });
    await shop.settle();
    const payment = await shop.payment(id);
    expect(payment.status).toBe('pending');
    expect((await shop.unattributed()).map((one) => [one.asset, one.reason, one.payment])).toEqual(
      expect.arrayContaining([
        ['USDT', 'other_asset', payment.id],
        ['USDT', 'other_asset', null],
      ]),
    );
  });

  test('of a look-alike coin is not even listed', async () => {
    const { id, amountUnits } = await shop.checkout();
    const fake = await shop.chain.deployToken({ symbol: 'USDC' });
    await shop.send(amountUnits, { token: fake });
    await shop.settle();
    expect((await shop.payment(id)).status).toBe('pending');
    expect(await shop.unattributed()).toEqual([]);
  });

  test('of dust changes nothing and is listed as too small', async () => {
    const { id, tag } = await shop.checkout();
    await shop.send(489_999n, { tag });
    await shop.settle();
    expect(await shop.publicSession(id)).toMatchObject({ status: 'pending', payment: { amount_seen: '0.000000' } });
    expect(await shop.unattributed()).toMatchObject([{ reason: 'too_small', amount: '0.489999' }]);
  });

  test('that matches nothing is kept', async () => {
    await shop.checkout();
    await shop.send(12_345_678n);
    await shop.settle();
    expect(await shop.unattributed()).toMatchObject([
      { reason: 'no_match', amount: '12.345678', from: getAddress(shop.customer), to: shop.wallet, payment: null },
    ]);
  });

  test("beside another's in one bundle: two tags pay nothing twice and steal nothing", async () => {
    const [victim, thief] = [await shop.checkout(), await shop.checkout()];
    const batcher = await shop.chain.deploy('Batcher');
    await shop.chain.transferErc20({ token: shop.usdc, to: batcher, amount: 200_000_000n });
    // The victim's exact amount, with the thief's tag right after the call and again after the bundle.
    await shop.chain.batch(
      batcher,
      [{ target: shop.usdc, data: transferCalldata(shop.wallet, victim.amountUnits, thief.tag) }],
      { tag: thief.tag },
    );
    await shop.settle();
    expect((await shop.payment(victim.id)).status).toBe('paid');
    expect((await shop.payment(thief.id)).status).toBe('pending');
  });

  test('two tags behind one transfer pay one session', async () => {
    const [one, two] = [await shop.checkout(), await shop.checkout()];
    const batcher = await shop.chain.deploy('Batcher');
    await shop.chain.transferErc20({ token: shop.usdc, to: batcher, amount: 200_000_000n });
    await shop.chain.batch(batcher, [
      { target: shop.usdc, data: transferCalldata(shop.wallet, 49_500_000n, Buffer.concat([one.tag, two.tag])) },
    ]);
    await shop.settle();
    const statuses = [(await shop.payment(one.id)).status, (await shop.payment(two.id)).status].sort();
    expect(statuses).toEqual(['paid', 'pending']);
  });
});

describe('the end of the window', () => {
  test('money that comes later is late: it passes through expired to refund_required, and can be accepted', async () => {
    const { id, amountUnits } = await shop.checkout({ expires_in: 600 });
    await shop.pass(601);
    const txHash = await shop.send(amountUnits);
    await shop.settle();

    expect(await shop.walk(id)).toEqual(['created', 'pending', 'expired', 'refund_required']);
    const payment = await shop.payment(id);
    expect(payment).toMatchObject({
      failure_reason: 'paid_late',
      actual_output: formatUnits(amountUnits, 6),
      tx_hashes: [txHash],
    });

    const accepted = await shop.merchant.dashboard.post(`/payments/${payment.id}/accept`);
    expect(accepted).toMatchObject({
      status: 'paid',
      failure_reason: null,
      actual_output: formatUnits(amountUnits, 6),
    });
    expect(await shop.walk(id)).toEqual(['created', 'pending', 'expired', 'refund_required', 'paid']);
  });

  test('paid in time and once more late, both final at the same moment: it is paid, not late', async () => {
    for (let round = 0; round < 4; round += 1) {
      const { id, amountUnits, tag } = await shop.checkout({ expires_in: 600 });
      const inTime = await shop.send(amountUnits, { tag });
      await shop.pass(601);
      await shop.send(amountUnits, { tag });
      await shop.settle();
      expect(await shop.walk(id)).toEqual(['created', 'pending', 'paid']);
      expect((await shop.payment(id)).tx_hashes).toEqual([inTime]);
    }
  });

  test('an amount that is short by then needs a refund', async () => {
    const { id, tag } = await shop.checkout({ expires_in: 600 });
    await shop.send(half, { tag });
    await shop.settle();
    await shop.pass(601);
    await shop.watch();
    await shop.expire();
    expect(await shop.payment(id)).toMatchObject({
      status: 'refund_required',
      failure_reason: 'underpaid',
      actual_output: formatUnits(half, 6),
    });
  });

  test('nothing pending expires before the chain has been read past it', async () => {
    const { id, amountUnits } = await shop.checkout({ expires_in: 600 });
    await shop.watch();
    await shop.send(amountUnits);
    await shop.pass(6000);
    // The window has ended by the clock, but the chain was not read past it, so the payment must not expire.
    await shop.expire();
    expect((await shop.payment(id)).status).toBe('pending');

    await shop.settle();
    await shop.expire();
    expect(await shop.walk(id)).toEqual(['created', 'pending', 'paid']);
  });

  test('a transfer in sight that is not final yet delays the expiry', async () => {
    const { id, amountUnits } = await shop.checkout({ expires_in: 600 });
    await shop.send(amountUnits, { mine: false });
    await shop.chain.mine();
    await shop.pass(601);
    await shop.watch();
    await shop.expire();
    expect((await shop.payment(id)).status).toBe('pending');
    await shop.settle();
    expect(await shop.walk(id)).toEqual(['created', 'pending', 'paid']);
  });

  test('with nothing in sight it expires, and frees its amount only 30 minutes later', async () => {
    const { id } = await shop.checkout({ expires_in: 600 });
    await shop.pass(601);
    await shop.watch();
    await shop.expire();
    expect(await shop.walk(id)).toEqual(['created', 'pending', 'expired']);
    const [row] = await shop.ctx.db.query<{ minutes: string }>(
      'test_quarantine',
      `
      select (extract(epoch from (r.reserved_until - p.ended_at)) / 60)::text as minutes from reserved_amounts r
        join payments p on p.id = r.payment_id where p.session_id = $1`,
      [id],
    );
    expect(Number(row?.minutes)).toBe(30);
  });

  test('a late payer within those 30 minutes pays only their own order', async () => {
    const late = await shop.checkout({ expires_in: 600 });
    await shop.pass(601);
    await shop.watch();
    await shop.expire();
    await shop.checkout();
    await shop.send(late.amountUnits);
    await shop.settle();
    expect(await shop.payment(late.id)).toMatchObject({ status: 'refund_required', failure_reason: 'paid_late' });
  });
});

describe('an operator', () => {
  test('reads a stretch again: what was lost is found, what is known stays as it is', async () => {
    const { number } = await shop.chain.head();
    const [lost, known] = [await shop.checkout(), await shop.checkout()];
    await shop.send(lost.amountUnits);
    await shop.send(known.amountUnits);
    await shop.settle();
    await forget(lost.id);
    expect(await foundSince(number)).toBe(1);
    expect(await shop.walk(known.id)).toEqual(['created', 'pending', 'paid']);
    expect(await foundSince(number)).toBe(0);
  });

  test('has one transaction looked at for a payment', async () => {
    const { id, amountUnits } = await shop.checkout();
    const txHash = await shop.send(amountUnits);
    await shop.chain.mine(3);
    const payment = await shop.payment(id);
    for (let round = 0; round < 2; round += 1) {
      const { status, transfers } = await reconcile(shop.ctx, payment.id, txHash);
      expect([status, transfers.map((transfer) => transfer.status)]).toEqual(['paid', ['final']]);
    }
    expect(await shop.walk(id)).toEqual(['created', 'pending', 'paid']);
    await shop.settle();
  });

  async function foundSince(block: bigint): Promise<number> {
    let found = 0;
    for await (const progress of rescan(shop.ctx, 'ethereum', block)) found = progress.found;
    return found;
  }

  /** As if no provider had ever reported the transfers of a session. */
  async function forget(sessionId: string): Promise<void> {
    await shop.ctx.db.query(
      'test_forget',
      `delete from transfers where payment_id = (select id from payments where session_id = $1)`,
      [sessionId],
    );
  }
});

function missing(): never {
  throw new Error('value not found');
}
