import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { later, SECOND_MS } from '../../../src/platform/time.ts';
import { LEASE_MS, releaseDeliveries } from '../../../src/resources/webhooks/delivery/lease-store.ts';
import type { AttemptResult, LeasedDelivery } from '../../../src/resources/webhooks/delivery/delivery.ts';
import { recordAttempts, Recorder } from '../../../src/resources/webhooks/delivery/recorder.ts';
import { REAL_TIME } from '../../../src/resources/webhooks/delivery/database-clock.ts';
import { deliveriesJob } from '../../../src/resources/webhooks/delivery/deliver.ts';
import { DEAD_AFTER_MS, noteAlive } from '../../../src/resources/webhooks/delivery/worker-store.ts';
import { WaitingEndpoints } from '../../../src/resources/webhooks/delivery/waiting.ts';
import { type Merchant, startApp, type TestApp } from '../../support/index.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app?.stop());

const limits = { healthy: 100, probation: 100, slow: 100, busyEndpoints: [] as string[], busyAccounts: [] as string[] };
const newWorker = (name = 'worker', mono = () => 0) => new WaitingEndpoints(app.ctx, name, { mono });
/** A new worker leases what it finds. */
const claim = (now: Date) => newWorker().lease(() => now, limits);

test('of many workers that look at once, exactly one takes each delivery', async () => {
  const merchants = await Promise.all(Array.from({ length: 10 }, () => merchantWithEndpoint()));
  for (let round = 0; round < 10; round += 1) {
    await Promise.all(merchants.map((merchant) => merchant.createSession()));
    const now = await app.ctx.db.now();
    const taken = (await Promise.all(Array.from({ length: 6 }, () => claim(now)))).flat();
    expect(taken).toHaveLength(10);
    expect(new Set(taken.map(({ id }) => id)).size).toBe(10);
    await recordAttempts(
      app.ctx,
      taken.map((delivery) => attempt(delivery, 200, now)),
    );
  }
});

test('what a dead worker held is taken over within ten seconds, as the same attempt, and its own result is ignored', async () => {
  await clearQueue();
  const merchant = await merchantWithEndpoint();
  await merchant.createSession();
  const now = await app.ctx.db.now();
  const claimAt = async (worker: string, ms: number) => {
    await noteAlive(app.ctx.db, worker, { now: later(now, ms), frees: true });
    return newWorker(worker).lease(() => later(now, ms), limits);
  };
  const [first] = await claimAt('dead', 0);
  for (let ms = 0; ms < DEAD_AFTER_MS; ms += SECOND_MS) expect(await claimAt('living', ms), `${ms} ms`).toEqual([]);
  expect(DEAD_AFTER_MS).toBeLessThan(9 * SECOND_MS);
  const [second] = await claimAt('living', DEAD_AFTER_MS);
  expect(second).toMatchObject({ id: first?.id, attempts: 0 });
  expect(await recordAttempts(app.ctx, [attempt(first as LeasedDelivery, 500, now)])).toEqual([]);
  expect(await recordAttempts(app.ctx, [attempt(second as LeasedDelivery, 200, now)])).toHaveLength(1);
});

test("a row that the database refuses keeps no other account's attempts from being recorded, nor its own account's", async () => {
  await clearQueue();
  const merchants = [await merchantWithEndpoint(), await merchantWithEndpoint()];
  for (const merchant of merchants) {
    await merchant.createEndpoint({ url: 'http://127.0.0.1:9/' });
    await merchant.createSession();
  }
  const now = await app.ctx.db.now();
  const leased = await claim(now);
  const poisoned = leased.find(({ accountId }) => accountId === merchants[0]?.accountId) as LeasedDelivery;
  const recorder = new Recorder(app.ctx, REAL_TIME, () => {});
  for (const delivery of leased) {
    // An instant that is not a date.
    const clockOffsetMs = delivery === poisoned ? Number.MAX_SAFE_INTEGER : 0;
    recorder.add(attempt({ ...delivery, clockOffsetMs }, 200, now), null);
  }
  await recorder.finish();

  const open = await app.ctx.db.query<{ id: string }>('test_open', `select id from deliveries where state = 'pending'`);
  expect([leased.length, open]).toEqual([4, [{ id: poisoned.id }]]);
});

test('a living worker keeps what it holds for as long as an attempt may take', async () => {
  await clearQueue();
  const merchant = await merchantWithEndpoint();
  await merchant.createSession();
  const now = await app.ctx.db.now();
  await noteAlive(app.ctx.db, 'sending', { now: now, frees: true });
  const [sent] = await newWorker('sending').lease(() => now, limits);
  for (let second = 1; second < LEASE_MS / SECOND_MS; second += 1) {
    await noteAlive(app.ctx.db, 'sending', { now: later(now, second * SECOND_MS), frees: true });
    await noteAlive(app.ctx.db, 'another', { now: later(now, second * SECOND_MS), frees: true });
    expect(await newWorker('another').lease(() => later(now, second * SECOND_MS), limits), `${second} s`).toEqual([]);
  }
  expect(await recordAttempts(app.ctx, [attempt(sent as LeasedDelivery, 200, now)])).toHaveLength(1);
});

test('a worker says each second that it lives, until what it has sent is recorded', async () => {
  await clearQueue();
  const { job, ring } = startEngine();
  const aliveUntil = async () => {
    const [row] = await app.ctx.db.query<{ until: Date }>('test_alive', 'select until from delivery_workers', []);
    return row?.until.getTime() ?? 0;
  };
  await app.ctx.db.query('test_no_workers', 'delete from delivery_workers', []);
  await job.run(app.ctx, new AbortController().signal, () => {});
  const first = await aliveUntil();
  for (let seconds = 1; seconds <= 3; seconds += 1) {
    ring(SECOND_MS);
    // Its timer fires again and again, and is idle while the answer to the last beat is on its way.
    const beaten = () => {
      ring(0);
      return aliveUntil();
    };
    await expect.poll(beaten).toBe(first + seconds * SECOND_MS);
  }
  await job.finish?.(app.ctx);
  expect(ring(SECOND_MS)).toBe(0);
});

test('a worker that was paused for so long that others took over sends nothing more of what it held', async () => {
  await clearQueue();
  const merchant = await merchantWithEndpoint();
  await app.ctx.db.query('test_heal', `update webhook_endpoints set lane = 'healthy' where account_id = $1`, [
    merchant.accountId,
  ]);
  await Promise.all(Array.from({ length: 12 }, () => merchant.createSession()));
  const answer = { status: 200, body: '', error: null, durationMs: 1 };
  let sent = 0;
  let answers = Promise.withResolvers<void>();
  const ctx = {
    ...app.ctx,
    outbound: {
      ...app.ctx.outbound,
      async post() {
        sent += 1;
        await answers.promise;
        return answer;
      },
    },
  };
  const leases = async () => {
    const rows = await app.ctx.db.query('test_leases', 'select from delivery_leases', []);
    return rows.length;
  };
  await app.ctx.db.query('test_no_leases', 'delete from delivery_leases', []);
  const { job, pass } = startEngine();
  await job.run(ctx, new AbortController().signal, () => {});
  expect([sent, await leases()]).toEqual([4, 12]);

  pass(DEAD_AFTER_MS);
  answers.resolve();
  await expect.poll(leases).toBe(0);
  expect(sent).toBe(4);

  answers = Promise.withResolvers();
  await job.run(ctx, new AbortController().signal, () => {});
  expect([sent, await leases()]).toEqual([8, 8]);
  answers.resolve();
  await job.finish?.(ctx);
});

/** The deliveries of a worker whose clock stands still between these calls. */
function startEngine() {
  let mono = 0;
  const timers = new Set<() => void>();
  const job = deliveriesJob({
    ...REAL_TIME,
    mono: () => mono,
    every(_ms, run) {
      timers.add(run);
      return { stop: () => void timers.delete(run) };
    },
  });
  const pass = (ms: number) => {
    mono += ms;
  };
  /** Time passes, and its timers fire. Returns how many there are. */
  const ring = (ms: number) => {
    pass(ms);
    for (const run of timers) run();
    return timers.size;
  };
  return { job, pass, ring };
}

test("what a worker held is taken over once the lease is over, as the same attempt, and the first one's result is ignored", async () => {
  const merchant = await merchantWithEndpoint();
  await merchant.createSession();
  const now = await app.ctx.db.now();
  const [first] = await claim(now);
  expect(await claim(later(now, LEASE_MS - 1))).toEqual([]);
  const [second] = await claim(later(now, LEASE_MS));
  expect(second).toMatchObject({ id: first?.id, attempts: 0 });

  expect(await recordAttempts(app.ctx, [attempt(first as LeasedDelivery, 500, now)])).toEqual([]);
  expect(await recordAttempts(app.ctx, [attempt(second as LeasedDelivery, 200, now)])).toHaveLength(1);
  const [stored] = await app.ctx.db.query(
    'stored_for_test',
    `
    select state, attempts, (select count(*)::integer from delivery_attempts
      where delivery_id = deliveries.id) as written from deliveries where id = $1`,
    [first?.id],
  );
  expect(stored).toEqual({ state: 'delivered', attempts: 1, written: 1 });
});

test('a batch is shared by accounts before their endpoints: twenty endpoints of one account leave room for the one of another', async () => {
  await clearQueue();
  const [many, one] = [await app.newMerchant(), await app.newMerchant()];
  for (let index = 0; index < 19; index += 1) await many.createEndpoint({ url: `http://127.0.0.1:9/${index}` });
  await one.createEndpoint({ url: 'http://127.0.0.1:9/one' });
  await many.createSession();
  await one.createSession();
  const lookedAt = await app.ctx.db.now();
  const taken = await newWorker().lease(() => lookedAt, { ...limits, probation: 4 });
  expect(taken.map(({ accountId }) => accountId).sort()).toEqual(
    [many.accountId, many.accountId, many.accountId, one.accountId].sort(),
  );
  await releaseDeliveries(app.ctx.db, taken);
});

test('a released delivery is available to the next worker at once', async () => {
  const merchant = await merchantWithEndpoint();
  await merchant.createSession();
  const now = await app.ctx.db.now();
  const taken = await claim(now);
  await releaseDeliveries(app.ctx.db, taken);
  const again = await claim(now);
  expect(again.map(({ id }) => id)).toEqual(taken.map(({ id }) => id));
  await recordAttempts(
    app.ctx,
    again.map((delivery) => attempt(delivery, 200, now)),
  );
});

test('an endpoint on probation gets one delivery at a time, a healthy one several', async () => {
  const merchant = await merchantWithEndpoint();
  await Promise.all(Array.from({ length: 9 }, () => merchant.createSession()));
  const now = await app.ctx.db.now();
  const first = await claim(now);
  expect(first).toHaveLength(1);
  expect(await claim(now)).toEqual([]);
  await recordAttempts(
    app.ctx,
    first.map((delivery) => attempt(delivery, 200, now)),
  );
  await app.ctx.db.query('prove_for_test', `update webhook_endpoints set lane = 'healthy' where id = $1`, [
    first[0]?.endpointId,
  ]);
  expect(await claim(now)).toHaveLength(8);
});

describe('a worker that has seen an empty queue', () => {
  const start = async () => {
    await clearQueue();
    let mono = 0;
    const worker = newWorker('worker', () => mono);
    const merchant = await merchantWithEndpoint();
    await merchant.createSession();
    const now = await app.ctx.db.now();
    const leaseAt = async (ms: number, busy: Partial<typeof limits> = {}) => {
      mono = ms;
      const leased = await worker.lease(() => later(now, ms), { ...limits, ...busy });
      await releaseDeliveries(app.ctx.db, leased);
      return leased.length;
    };
    const setDue = (ms: number) =>
      app.ctx.db.query('test_due', `update deliveries set due_at = $1 where state = 'pending'`, [later(now, ms)]);
    return { merchant, leaseAt, setDue };
  };

  test('finds what became due since, a new delivery as well as a retry, whenever it looks', async () => {
    const { leaseAt, setDue } = await start();
    await setDue(3 * SECOND_MS);
    expect(await leaseAt(0)).toBe(0);
    expect(await leaseAt(2_999)).toBe(0);
    expect(await leaseAt(4_000)).toBe(1);
  });

  test('finds what was committed a moment after it was due', async () => {
    const { leaseAt, setDue } = await start();
    await setDue(60 * SECOND_MS);
    expect(await leaseAt(0)).toBe(0);
    expect(await leaseAt(1_000)).toBe(0);
    await setDue(800);
    expect(await leaseAt(1_001)).toBe(1);
  });

  test('finds within five seconds what became due in the past', async () => {
    const { leaseAt, setDue } = await start();
    await setDue(60 * SECOND_MS);
    expect(await leaseAt(0)).toBe(0);
    await setDue(-60 * SECOND_MS);
    expect(await leaseAt(4_999)).toBe(0);
    expect(await leaseAt(5_000)).toBe(1);
  });

  test('finds what became due while its account was busy, once it is not', async () => {
    const { merchant, leaseAt, setDue } = await start();
    await setDue(1 * SECOND_MS);
    expect(await leaseAt(0)).toBe(0);
    expect(await leaseAt(1_000, { busyAccounts: [merchant.accountId] })).toBe(0);
    expect(await leaseAt(4_000)).toBe(1);
  });

  test('still sees the first of a queue when a later one is finished before it', async () => {
    const { leaseAt } = await start();
    expect(await leaseAt(0)).toBe(1);
    // Released, and still the first.
    expect(await leaseAt(4_000)).toBe(1);
  });
});

async function clearQueue(): Promise<void> {
  await app.ctx.db.query(
    'clear_queue',
    `update deliveries set state = 'cancelled', due_at = null where state = 'pending'`,
  );
}

async function merchantWithEndpoint(): Promise<Merchant> {
  const merchant = await app.newMerchant();
  await merchant.createEndpoint({ url: 'http://127.0.0.1:9/' });
  return merchant;
}

function attempt(delivery: LeasedDelivery, status: number, at: Date): AttemptResult {
  return { delivery, startedAt: at, endedAt: at, answer: { status, body: '', error: null, durationMs: 1 } };
}
