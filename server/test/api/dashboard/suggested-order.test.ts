import { expect, test } from 'vitest';
import { findSuggestedPayments } from '../../../src/resources/dashboard/suggest-payments-store.ts';
import { NEAR_BPS, rankSuggested } from '../../../src/resources/dashboard/rank-suggested.ts';
import { findPaymentsById } from '../../../src/resources/dashboard/search-store.ts';
import { ACCEPTING_STATUSES } from '../../../src/resources/transfers/assign.ts';
import { DAY_MS, HOUR_MS, later, MINUTE_MS } from '../../../src/platform/time.ts';
import { startApp } from '../../support/index.ts';
import { pick, randomFrom } from '../../support/random.ts';

const ADDRESS = '0x7100000000000000000000000000000000000041';
const ARRIVED = new Date('2026-03-14T12:00:00.000Z');
// Around a transfer of 1,000.00, with the last amount of each step and the first beyond it.
const AMOUNTS = [
  '1000.00',
  '1000.50',
  '1001.00',
  '1001.01',
  '990.10',
  '990.09',
  '952.38',
  '1052.63',
  '800.00',
  '799.99',
];
/** When a payment was created and when its window ended, in ms from the transfer. */
const WINDOWS: [createdMs: number, endedMs: number][] = [
  [HOUR_MS, 2 * HOUR_MS],
  [1, HOUR_MS],
  [0, HOUR_MS],
  [-MINUTE_MS, 59 * MINUTE_MS],
  [-HOUR_MS, 0],
  [-HOUR_MS, -1],
  [-7 * DAY_MS, 7 * DAY_MS],
  [-3 * DAY_MS, -2 * DAY_MS],
];

test('the database ranks the payments that a transfer may be meant for as the service does', async () => {
  const app = await startApp();
  try {
    const merchant = await app.newMerchant({ mode: 'live' });
    await merchant.createWallet({ address: ADDRESS });
    const random = randomFrom(41);
    for (let count = 0; count < 60; count += 1) {
      const session = await merchant.createSession({ amount: AMOUNTS[count % AMOUNTS.length] });
      const [createdMs, endedMs] = pick(random, WINDOWS);
      for (const [table, column] of [
        ['checkout_sessions', 'id'],
        ['payments', 'session_id'],
      ])
        await app.ctx.db.query(
          `test_window_${table}`,
          `update ${table} set created_at = $2, expires_at = $3 where ${column} = $1`,
          [session.id, later(ARRIVED, createdMs), later(ARRIVED, endedMs)],
        );
      await app.ctx.db.query(
        'test_outcome',
        `update payments set status = $2, actual_output_units = $3, failure_reason = $4 where session_id = $1`,
        [session.id, ...pick(random, OUTCOMES)],
      );
    }

    const account = { id: merchant.accountId, livemode: true };
    const transfer = {
      to: ADDRESS,
      network: 'base' as const,
      asset: 'USDC' as const,
      amountUnits: 1_000_000_000n,
      block: { number: 1n, hash: '0x1', time: ARRIVED },
    };
    const byDatabase = await findSuggestedPayments(app.ctx.db, account, transfer, {
      statuses: ACCEPTING_STATUSES,
      from: later(ARRIVED, -30 * DAY_MS),
      until: later(ARRIVED, DAY_MS),
      steps: NEAR_BPS,
      limit: 100,
    });
    const ids = await app.ctx.db.query<{ id: string }>(
      'test_payments',
      'select id from payments where account_id = $1 order by id',
      [account.id],
    );
    const payments = await findPaymentsById(
      app.ctx.db,
      account,
      ids.map(({ id }) => id),
    );
    // Equally likely ones are ordered by id.
    const inOrder = ids.flatMap(({ id }) => payments.filter((payment) => payment.id === id));
    const ranked = rankSuggested(inOrder, transfer, { namedId: null, keepsAll: false });
    const byService = ranked.filter(({ accepts }) => accepts).map(({ payment }) => payment.id);
    expect(byService.length).toBeGreaterThan(30);
    expect(byService.length).toBeLessThan(60);
    expect(byDatabase).toEqual(byService);
  } finally {
    await app.stop();
  }
});

/** Status, received units, failure reason. */
const OUTCOMES: [string, string | null, string | null][] = [
  ['created', null, null],
  ['pending', null, null],
  ['expired', null, null],
  // A part arrived, or more than the whole amount.
  ['refund_required', '1000000', 'underpaid'],
  ['refund_required', '5000000000', 'paid_late'],
];
