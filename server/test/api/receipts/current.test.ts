import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Context } from '../../../src/context.ts';
import { receiptFor } from '../../../src/resources/receipts/receipt-for.ts';
import { findPaymentOfSession } from '../../../src/settlement/records/payment-store.ts';
import { savers } from '../../support/address-savers.ts';
import { startApp, type TestApp } from '../../support/index.ts';
import { ethereumWallet } from '../../support/logins.ts';

type Data = any;

let app: TestApp;
const { arrive, checkout, prove, saver } = savers(() => app);

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

describe('verification by the service', () => {
  test('says that a receipt is not current after a refund, before the newer one is read', async () => {
    const { receipt, payment } = await paidInTestMode();
    expect(await verdictOf(receipt)).toMatchObject({ valid: true, current: true, superseded_by: null });
    await app.merchant.post(`/payments/${payment}/refund`, { amount: '10.00' });
    const verdict = await verdictOf(receipt);
    expect(verdict).toMatchObject({ valid: true, current: false, superseded_by: expect.stringMatching(/^rct_/) });
    const newest = await app.merchant.get(`/payments/${payment}/receipt`);
    expect(newest).toMatchObject({ id: verdict.superseded_by, supersedes: receipt.id });
    expect(await verdictOf(newest)).toMatchObject({ current: true, superseded_by: null });
  });

  test("says that a receipt is not current once the address's owner took the money back", async () => {
    const { squatter, rightful, held, ids } = await takenByAnother();
    const receipt = await squatter.merchant.get(`/payments/${held.paymentId}/receipt`);
    expect(await verdictOf(receipt)).toMatchObject({ valid: true, current: true });
    await rightful.merchant.dashboard.post(`/transfers/${ids[0]}/release`);
    // The payment has no money, so a newer receipt could not state anything.
    expect(await verdictOf(receipt)).toMatchObject({ valid: true, current: false, superseded_by: null });
  });

  test('says of a receipt that is not valid that it is not current', async () => {
    expect(await verdictOf({ jws: 'a.b.c' })).toMatchObject({ valid: false, current: false });
  });
});

test('a receipt states one moment, also if money is taken back while it is read', async () => {
  const { squatter, rightful, held, ids } = await takenByAnother({ parts: 2 });
  const payment = await findPaymentOfSession(app.ctx.db, held.id);
  if (!payment) throw new Error('the session has a payment');
  let isReleased = false;
  const slow = {
    ...app.ctx,
    db: {
      ...app.ctx.db,
      now: () => app.ctx.db.now(),
      query: async (name: string, sql: string, values?: readonly unknown[]) => {
        const rows = await app.ctx.db.query(name, sql, values);
        if (name === 'find_payment' && !isReleased) {
          isReleased = true;
          await rightful.merchant.dashboard.post(`/transfers/${ids[0]}/release`);
        }
        return rows;
      },
    },
  } as unknown as Context;

  const receipt = await receiptFor(slow, payment);
  expect(isReleased).toBe(true);
  // Never `paid` with half of its transfers.
  const { status, transfers } = receipt?.claims ?? {};
  expect([status, transfers?.length]).toEqual(['refund_required', 1]);
  expect((await squatter.merchant.get(`/payments/${held.paymentId}/receipt`)).id).toBe(receipt?.id);
});

/** An account's payment that took another account's transfers, and the owner who proves the address afterwards. */
async function takenByAnother({ parts = 1 } = {}) {
  const owner = ethereumWallet();
  const squatter = await saver(owner.address);
  const held = await checkout(squatter.merchant);
  const ids: string[] = [];
  for (let part = 1; part < parts; part += 1) ids.push(await arrive(owner.address, 10_000_000n, [held.reference]));
  ids.push(await arrive(owner.address, held.units - 10_000_000n * BigInt(parts - 1), [held.reference]));
  const rightful = await saver(owner.address);
  await prove(rightful.merchant, rightful.wallet, owner);
  return { squatter, rightful, held, ids };
}

async function paidInTestMode(): Promise<{ receipt: Data; payment: string }> {
  const session = await app.merchant.createSession();
  await app.merchant.pay(session.id);
  const receipt = await app.merchant.get(`/public/checkout/sessions/${session.id}/receipt`);
  return { receipt, payment: receipt.payment };
}

const verdictOf = ({ jws }: { jws: string }): Promise<Data> => app.merchant.post('/receipts/verify', { receipt: jws });
