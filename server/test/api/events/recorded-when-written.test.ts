import { afterAll, beforeAll, expect, test } from 'vitest';
import { findDue } from '../../../src/settlement/outcome/expiry-store.ts';
import { expiryJob } from '../../../src/settlement/outcome/expire.ts';
import { later, MINUTE_MS, SECOND_MS } from '../../../src/platform/time.ts';
import { lookAtDue } from '../../../src/resources/outgoing-transfers/look-at-due.ts';
import type { Outgoing } from '../../../src/resources/outgoing-transfers/outgoing.ts';
import { startApp, type TestApp } from '../../support/index.ts';
import { paymentOfSession, referenceOf } from '../../support/payments.ts';
import { take, transferTo } from '../../support/transfers.ts';

// Streams look some seconds back for events that were committed late, so none may be recorded long before its commit.
const WALLET = '0x52908400098527886E0F7030069857D2E4169EE7';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

test('windows that close together are recorded one after the other, each when it closes', async () => {
  const sessions = [];
  for (let at = 0; at < 3; at += 1) sessions.push(await app.merchant.live.createSession({ expires_in: 60 }));
  const { ctx, reads } = slowly();
  await expiryJob.run(ctx, new AbortController().signal, () => {});
  const times = await recordedOf('payment.expired');
  expect(times.length).toBe(3);
  expect(new Set(times.map(String)).size).toBe(3);
  expect(times.at(-1)).toEqual(reads.at(-1));
  expect(await findDue(app.ctx.db, { now: reads.at(-1) as Date, left: [], covered: new Map() })).toEqual([]);
});

test('what was found about a sent transfer is applied with the time after the look', async () => {
  const { ctx, reads } = slowly();
  const sent = { id: 'rf_1', status: 'sent', network: 'base', txHash: null, toAddress: null, otherHashes: [] };
  const applied: Date[] = [];
  await lookAtDue(ctx, {
    lease: async () => [sent as unknown as Outgoing],
    end: async () => {},
    notBefore: async () => ctx.db.now(),
    apply: async (_one, _finding, now) => {
      applied.push(now);
    },
  });
  expect(applied).toEqual([reads.at(-1)]);
  expect(reads).toHaveLength(3);
});

test('a request that asks a network first is recorded after the answer', async () => {
  const merchant = app.merchant.live;
  const session = await merchant.createSession({ amount: '20.00' });
  const carried = [await referenceOf(app.ctx.db, session.id)];
  await take(app.ctx, transferTo(WALLET, { amountUnits: 20_000_000n, carried }));
  let answeredAt: Date | undefined;
  const chains = app.ctx.chains as Map<string, unknown>;
  chains.set('base', {
    accountKindOf: async () => {
      answeredAt = await app.ctx.db.now();
    },
  });
  const payment = await paymentOfSession(app.ctx.db, session.id);
  await merchant.post(`/payments/${payment}/refunds`, { to: '0x3333333333333333333333333333333333333333' });
  chains.delete('base');
  const [recorded] = await recordedOf('refund.created');
  expect(recorded?.getTime()).toBeGreaterThanOrEqual(answeredAt?.getTime() ?? Number.POSITIVE_INFINITY);
});

/** A context whose clock goes on by ten seconds with each reading, two minutes ahead. */
function slowly() {
  const reads: Date[] = [];
  const now = async () => {
    const next = later(reads.at(-1) ?? later(await app.ctx.db.now(), 2 * MINUTE_MS), 10 * SECOND_MS);
    reads.push(next);
    return next;
  };
  return { ctx: { ...app.ctx, db: { ...app.ctx.db, now } }, reads };
}

async function recordedOf(type: string): Promise<Date[]> {
  const rows = await app.ctx.db.query<{ recordedAt: Date }>(
    'test_recorded',
    'select recorded_at from events where type = $1 order by recorded_at',
    [type],
  );
  return rows.map(({ recordedAt }) => recordedAt);
}
