import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { attributeTransfer } from '../../../src/settlement/attribution/attribute-transfer.ts';
import { findDays, keepDays, sumPaid } from '../../../src/resources/dashboard/overview-store.ts';
import { saveRefund } from '../../../src/resources/refunds/save.ts';
import { lockRefund } from '../../../src/resources/refunds/store.ts';
import { savers } from '../../support/address-savers.ts';
import { type Merchant, startApp, type TestApp } from '../../support/index.ts';
import { ethereumWallet } from '../../support/logins.ts';

let app: TestApp;
const { arrive, checkout, payment, prove, saver, transferOf } = savers(() => app);

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

async function walk(paymentId: string): Promise<string[]> {
  const rows = await app.ctx.db.query<{ type: string }>(
    'test_events_of_payment',
    'select type from events where object_id = $1 order by sequence',
    [paymentId],
  );
  return rows.map((row) => row.type.replace('payment.', ''));
}

describe('POST /v1/transfers/{id}/release', () => {
  /** A squatter whose payment took a transfer, and the account that proves the address afterwards. */
  async function takenByAnother({ parts = 1 } = {}) {
    const owner = ethereumWallet();
    const squatter = await saver(owner.address);
    const held = await checkout(squatter.merchant);
    const ids: string[] = [];
    for (let part = 1; part < parts; part += 1) ids.push(await arrive(owner.address, 10_000_000n, [held.reference]));
    ids.push(await arrive(owner.address, held.units - 10_000_000n * BigInt(parts - 1), [held.reference]));
    expect((await payment(squatter.merchant, held.paymentId)).status).toBe('paid');
    const rightful = await saver(owner.address);
    await prove(rightful.merchant, rightful.wallet, owner);
    return { squatter, rightful, held, ids, owner };
  }

  test('200: the other payment fails with an event, and the owner assigns the transfer', async () => {
    const { squatter, rightful, held, ids } = await takenByAnother();
    const [id = ''] = ids;
    expect(await transferOf(rightful.merchant, id)).toMatchObject({ held_by_other_account: true, payment: null });
    const own = await checkout(rightful.merchant);
    await expect(
      rightful.merchant.dashboard.post(`/transfers/${id}/assign`, { payment: own.paymentId }),
    ).rejects.toMatchObject({ code: 'invalid_payment_state', param: 'id' });

    await app.ctx.db.query(
      'test_sum_of_today',
      `insert into activity_so_far (account_id, livemode, day, summed_until, paid, started)
        values ($1, $2, '2026-01-01', '2026-01-01', '[]', 1)`,
      [squatter.merchant.accountId, true],
    );
    const released = await rightful.merchant.dashboard.post(`/transfers/${id}/release`);

    // The sales of today are summed again without it.
    expect(await app.ctx.db.query('test_sums_of_today', 'select 1 from activity_so_far')).toEqual([]);
    expect(released).toMatchObject({ reason: 'released', payment: null, held_by_other_account: false });
    expect(await rightful.merchant.dashboard.post(`/transfers/${id}/release`)).toEqual(released);
    expect(await payment(squatter.merchant, held.paymentId)).toMatchObject({
      status: 'failed',
      failure_reason: 'transfer_released',
      actual_output: '0.000000',
      tx_hashes: [],
    });
    expect(await walk(held.paymentId)).toEqual(['created', 'pending', 'paid', 'failed']);
    const assigned = await rightful.merchant.dashboard.post(`/transfers/${id}/assign`, { payment: own.paymentId });
    expect(assigned.payment).toBe(own.paymentId);
    expect((await payment(rightful.merchant, own.paymentId)).status).toBe('paid');
  });

  test('200: where a part of the money is left, the other payment needs a decision', async () => {
    const { squatter, rightful, held, ids } = await takenByAnother({ parts: 2 });
    await rightful.merchant.dashboard.post(`/transfers/${ids[0]}/release`);
    const left = await payment(squatter.merchant, held.paymentId);
    expect(left).toMatchObject({ status: 'refund_required', failure_reason: 'transfer_released' });
    expect(left.tx_hashes).toHaveLength(1);
    await rightful.merchant.dashboard.post(`/transfers/${ids[1]}/release`);
    expect(await payment(squatter.merchant, held.paymentId)).toMatchObject({ status: 'failed', tx_hashes: [] });
    expect(await walk(held.paymentId)).toEqual(['created', 'pending', 'paid', 'refund_required', 'failed']);
  });

  /** A refund that was seen on the chain. */
  async function giveBack(merchant: Merchant, paymentId: string, amount: string) {
    const to = ethereumWallet().address;
    const planned = await merchant.post(`/payments/${paymentId}/refunds`, { amount, to });
    const now = await app.ctx.db.now();
    await app.ctx.db.transaction(async (db) => {
      const caller = { id: merchant.accountId, livemode: true };
      const { payment: of, refund: before } = await lockRefund(db, caller, planned.id);
      const at = { created: now, recorded: now };
      await saveRefund({ ctx: app.ctx, db, at }, of, { before, after: { ...before, status: 'final', dueAt: null } });
    });
  }

  test('200: where all that is left was returned before, the other payment is refunded', async () => {
    const { squatter, rightful, held, ids } = await takenByAnother({ parts: 2 });
    await giveBack(squatter.merchant, held.paymentId, '39.00');
    expect((await payment(squatter.merchant, held.paymentId)).status).toBe('paid');

    await rightful.merchant.dashboard.post(`/transfers/${ids[0]}/release`);
    const after = await payment(squatter.merchant, held.paymentId);
    expect(after).toMatchObject({ status: 'refunded', refunded_amount: '39.00', refund: { amount: '39.00' } });
    expect(await walk(held.paymentId)).toEqual(['created', 'pending', 'paid', 'refund_required', 'refunded']);
    await rightful.merchant.dashboard.post(`/transfers/${ids[1]}/release`);
    expect((await payment(squatter.merchant, held.paymentId)).status).toBe('refunded');
  });

  test('200: a payment that stays paid in full, and all that is left was returned before, is refunded', async () => {
    const owner = ethereumWallet();
    const squatter = await saver(owner.address);
    const held = await checkout(squatter.merchant);
    const first = await arrive(owner.address, 45_000_000n, [held.reference]);
    await arrive(owner.address, 60_000_000n, [held.reference]);
    const rightful = await saver(owner.address);
    await prove(rightful.merchant, rightful.wallet, owner);
    await giveBack(squatter.merchant, held.paymentId, '56.00');
    expect((await payment(squatter.merchant, held.paymentId)).status).toBe('paid');

    await rightful.merchant.dashboard.post(`/transfers/${first}/release`);
    expect(await payment(squatter.merchant, held.paymentId)).toMatchObject({
      status: 'refunded',
      actual_output: '60.000000',
      refund: { amount: '56.00' },
    });
    expect(await walk(held.paymentId)).toEqual(['created', 'pending', 'paid', 'refunded']);
  });

  test('a payment that is paid again is one payment of its link, and the sales of its first day lose it', async () => {
    const { squatter, rightful, held, ids } = await takenByAnother({ parts: 2 });
    const link = await squatter.merchant.createLink();
    const paidAt = new Date('2026-01-01T12:00:00Z');
    const { db } = app.ctx;
    await db.query('test_link', 'update checkout_sessions set payment_link_id = $2 where id = $1', [held.id, link.id]);
    await db.query('test_counted', 'update payment_links set payments = 1 where id = $1', [link.id]);
    await db.query('test_paid_at', 'update payments set paid_at = $2 where id = $1', [held.paymentId, paidAt]);
    const euros = { currency: 'EUR', route: 'direct', paid: 1, volume_minor: '2000', fee_minor: '0' };
    const dollars = { currency: 'USD', route: 'direct', paid: 3, volume_minor: '14700', fee_minor: '0' };
    await db.query(
      'test_days',
      `insert into activity_days (account_id, livemode, day, paid, started)
       values ($1, true, '2026-01-01', $2, 5), ($1, true, '2026-01-02', $2, 5)`,
      [squatter.merchant.accountId, JSON.stringify([euros, dollars])],
    );

    await rightful.merchant.dashboard.post(`/transfers/${ids[0]}/release`);
    const days = await db.query(
      'test_days_left',
      'select day::text, paid, started from activity_days where account_id = $1 order by day',
      [squatter.merchant.accountId],
    );
    expect(days).toEqual([
      { day: '2026-01-01', paid: [euros, { ...dollars, paid: 2, volume_minor: '9800' }], started: 5 },
      { day: '2026-01-02', paid: [euros, dollars], started: 5 },
    ]);
    expect((await squatter.merchant.dashboard.post(`/payments/${held.paymentId}/accept`)).status).toBe('paid');
    expect((await squatter.merchant.get(`/payment-links/${link.id}`)).payments).toBe(1);
  });

  test('the sales of its day lose what an accepted short payment added to them', async () => {
    const { squatter, rightful, held, ids } = await takenByAnother({ parts: 2 });
    const account = { id: squatter.merchant.accountId, livemode: true };
    const { db } = app.ctx;
    await rightful.merchant.dashboard.post(`/transfers/${ids[0]}/release`);
    await squatter.merchant.dashboard.post(`/payments/${held.paymentId}/accept`);
    const day = { from: new Date('2026-01-01'), to: new Date('2026-01-02') };
    await db.query('test_paid_at', 'update payments set paid_at = $2 where id = $1', [held.paymentId, day.from]);
    const [sold] = await sumPaid(db, account, day);
    expect(sold?.volumeMinor).toBe(3900n);
    const others = { currency: 'USD', route: 'direct', paid: 1, volumeMinor: 5000n, feeMinor: 0n } as const;
    await keepDays(db, account, [['2026-01-01', { started: 2, paid: [{ ...others, paid: 2, volumeMinor: 8900n }] }]]);

    await rightful.merchant.dashboard.post(`/transfers/${ids[1]}/release`);
    expect((await findDays(db, account, ['2026-01-01'])).get('2026-01-01')?.paid).toEqual([others]);
  });

  test('sales have the whole price of a payment that was paid by less, at an earlier rate', async () => {
    const { squatter, held } = await takenByAnother();
    const { db } = app.ctx;
    await db.query(
      'test_rate',
      `update payments set paid_at = '2026-01-03', expected_output_units = expected_output_units * 2 where id = $1`,
      [held.paymentId],
    );
    const account = { id: squatter.merchant.accountId, livemode: true };
    const [sold] = await sumPaid(db, account, { from: new Date('2026-01-03'), to: new Date('2026-01-04') });
    expect(sold?.volumeMinor).toBe(4900n);
  });

  test('a released transfer never goes back to another account, however often it is read again', async () => {
    const { squatter, rightful, held, ids } = await takenByAnother();
    const [id = ''] = ids;
    await rightful.merchant.dashboard.post(`/transfers/${id}/release`);
    await app.ctx.db.query(
      'test_queue_again',
      `update transfers set queued = true, status = 'seen', final_at = null where id = $1`,
      [id],
    );
    const now = await app.ctx.db.now();
    await app.ctx.db.transaction((db) => attributeTransfer(app.ctx, db, id, now));
    expect(await transferOf(rightful.merchant, id)).toMatchObject({ payment: null, held_by_other_account: false });
    await expect(
      squatter.merchant.dashboard.post(`/transfers/${id}/assign`, { payment: held.paymentId }),
    ).rejects.toMatchObject({ status: 403, param: 'id' });
  });

  test('403 and 404: only the owner releases, and unproved accounts do not see the transfer', async () => {
    const { squatter, ids, owner } = await takenByAnother();
    const [id = ''] = ids;
    const third = await saver(owner.address);
    await expect(third.merchant.dashboard.post(`/transfers/${id}/release`)).rejects.toMatchObject({ status: 404 });
    expect(await transferOf(third.merchant, id)).toBeUndefined();
    await expect(squatter.merchant.dashboard.post(`/transfers/${id}/release`)).rejects.toMatchObject({
      status: 403,
      param: 'id',
    });
    await expect(squatter.merchant.post(`/transfers/${id}/release`)).rejects.toMatchObject({ status: 403 });
  });

  test('400: a transfer of the own account, and one that no payment took', async () => {
    const owner = ethereumWallet();
    const { merchant, wallet } = await saver(owner.address);
    await prove(merchant, wallet, owner);
    const own = await checkout(merchant);
    for (const id of [await arrive(owner.address, own.units), await arrive(owner.address, 7_000_000n)]) {
      await expect(merchant.dashboard.post(`/transfers/${id}/release`)).rejects.toMatchObject({
        status: 400,
        code: 'invalid_payment_state',
        param: 'id',
      });
    }
  });
});
