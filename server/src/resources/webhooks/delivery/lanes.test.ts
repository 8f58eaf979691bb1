import { describe, expect, test } from 'vitest';
import type { AttemptResult, LeasedDelivery, Lane } from './delivery.ts';
import { type Sending, Lanes } from './lanes.ts';

let made = 0;

function delivery(endpointId: string, accountId = `acc_${endpointId}`, lane: Lane = 'healthy'): LeasedDelivery {
  made += 1;
  return {
    id: `dlv_${made}`,
    recordedAt: new Date(0),
    lease: 'lease',
    accountId,
    livemode: true,
    endpointId,
    url: '',
    keys: [],
    isAsymmetric: false,
    lane,
    eventId: 'evt',
    body: Buffer.alloc(0),
    dueAt: new Date(0),
    attempts: 0,
    resume: null,
    clockOffsetMs: 0,
  };
}

function many(count: number, endpointId: string, accountId?: string, lane?: Lane): LeasedDelivery[] {
  return Array.from({ length: count }, () => delivery(endpointId, accountId, lane));
}

function start(lanes: Lanes, at = 0): Sending[] {
  const sent: Sending[] = [];
  lanes.start(at, (sending) => sent.push(sending));
  return sent;
}

function answered(sending: Sending, status: number | null, durationMs = 10): AttemptResult {
  const answer =
    status === null
      ? { status, body: null, error: 'timeout' as const, durationMs }
      : { status, body: '', error: null, durationMs };
  return { delivery: sending.delivery, startedAt: new Date(0), endedAt: new Date(durationMs), answer };
}

describe('at once are on their way', () => {
  test('four of a healthy endpoint, two of a slow one, one of one on probation', () => {
    const lanes = new Lanes();
    lanes.add(
      [...many(9, 'we_good'), ...many(9, 'we_slow', undefined, 'slow'), ...many(9, 'we_new', undefined, 'probation')],
      0,
    );
    const counts = Map.groupBy(start(lanes), ({ delivery }) => delivery.endpointId);
    expect([...counts].map(([id, list]) => [id, list.length])).toEqual([
      ['we_good', 4],
      ['we_slow', 2],
      ['we_new', 1],
    ]);
  });

  test('sixteen of an account', () => {
    const lanes = new Lanes();
    for (let index = 0; index < 10; index += 1) lanes.add(many(4, `we_${index}`, 'acc_1'), 0);
    expect(start(lanes)).toHaveLength(16);
  });

  test('a quarter of the slots of slow endpoints, and no more, however many there are', () => {
    const lanes = new Lanes();
    for (let index = 0; index < 100; index += 1) lanes.add(many(2, `we_${index}`, undefined, 'slow'), 0);
    expect(start(lanes)).toHaveLength(32);
    lanes.add(many(1, 'we_good'), 0);
    expect(start(lanes)).toHaveLength(1);
  });
});

test('every endpoint has its turn before any has a second', () => {
  const lanes = new Lanes();
  lanes.add([...many(4, 'we_a'), ...many(4, 'we_b'), ...many(4, 'we_c')], 0);
  expect(
    start(lanes)
      .map(({ delivery }) => delivery.endpointId)
      .slice(0, 6),
  ).toEqual(['we_a', 'we_b', 'we_c', 'we_a', 'we_b', 'we_c']);
});

test('accounts take turns before their endpoints do: many slow endpoints of eight accounts delay those of a ninth by one round', () => {
  const lanes = new Lanes();
  for (let account = 0; account < 8; account += 1)
    for (let index = 0; index < 100; index += 1)
      lanes.add(many(2, `we_${account}_${index}`, `acc_${account}`, 'slow'), 0);
  const running = start(lanes);
  expect(running).toHaveLength(32);

  lanes.add(many(1, 'we_honest', 'acc_honest', 'slow'), 0);
  const turns: string[] = [];
  for (let freed = 0; freed < 16 && !turns.includes('acc_honest'); freed += 1) {
    const oldest = running.shift();
    if (oldest) lanes.finished(oldest, answered(oldest, null, 10_000));
    const started = start(lanes);
    running.push(...started);
    turns.push(...started.map(({ delivery: { accountId } }) => accountId));
  }
  expect(turns).toContain('acc_honest');
  expect(turns.length).toBeLessThanOrEqual(9);
});

test('an account with a hundred good endpoints gets no more of a round than one with a single endpoint', () => {
  const lanes = new Lanes();
  for (let index = 0; index < 100; index += 1) lanes.add(many(4, `we_many_${index}`, 'acc_many'), 0);
  lanes.add(many(4, 'we_one', 'acc_one'), 0);
  expect(
    start(lanes)
      .slice(0, 8)
      .map(({ delivery: { accountId } }) => accountId),
  ).toEqual(['acc_many', 'acc_one', 'acc_many', 'acc_one', 'acc_many', 'acc_one', 'acc_many', 'acc_one']);
});

test('silent endpoints of one account hold at most 32 sockets beyond their slots', () => {
  const lanes = new Lanes();
  for (let index = 0; index < 100; index += 1) lanes.add(many(1, `we_silent_${index}`, 'acc_1', 'probation'), 0);
  let held = 0;
  for (let at = 0; at < 10_000; at += 200) {
    held += start(lanes, at).length;
    lanes.tidy(at + 150);
  }
  expect(held).toBe(32 + 16);
});

test('silent endpoints give their slots back before they are known to be silent', () => {
  const lanes = new Lanes();
  for (let index = 0; index < 200; index += 1) lanes.add(many(5, `we_silent_${index}`, undefined, 'probation'), 0);
  const first = start(lanes);
  expect(first).toHaveLength(64);
  expect(start(lanes, 50)).toHaveLength(0);
  lanes.tidy(150);
  expect(start(lanes, 150)).toHaveLength(64);
  // One send per endpoint until it has answered, however many wait for it.
  expect(new Set(first.map(({ delivery }) => delivery.endpointId)).size).toBe(64);
});

test('an endpoint that fails is slow from then on, and what was taken for it beyond its share is given back', () => {
  const lanes = new Lanes();
  lanes.add(many(20, 'we_a'), 0);
  const [one] = start(lanes);
  expect(one && lanes.finished(one, answered(one, 500))).toBe('slow');
  expect(lanes.tidy(1)).toHaveLength(14);
});

test('an endpoint that answers well again is good at once', () => {
  const lanes = new Lanes();
  lanes.add(many(4, 'we_a', undefined, 'slow'), 0);
  const [one, two] = start(lanes);
  expect(one && lanes.finished(one, answered(one, 204))).toBe('healthy');
  expect(two && lanes.finished(two, answered(two, 200))).toBe(null);
});

test('an endpoint that takes seconds is slow though it answers 200', () => {
  const lanes = new Lanes();
  lanes.add(many(1, 'we_a'), 0);
  const [one] = start(lanes);
  expect(one && lanes.finished(one, answered(one, 200, 8_000))).toBe('slow');
});

test('a delivery that waits too long is released: its lease would not outlast an attempt', () => {
  const lanes = new Lanes();
  lanes.add(many(6, 'we_a'), 0);
  start(lanes);
  expect(lanes.tidy(11_000)).toHaveLength(0);
  expect(lanes.tidy(13_000)).toHaveLength(2);
  expect(lanes.queuedEndpoints).toEqual([]);
});

test('nothing is left over once all is done', () => {
  const lanes = new Lanes();
  lanes.add(many(30, 'we_a'), 0);
  for (let sent = start(lanes); sent.length > 0; sent = start(lanes))
    for (const sending of sent) lanes.finished(sending, answered(sending, 200));
  expect(lanes.isIdle).toBe(true);
  expect(lanes.limits()).toEqual({ healthy: 1024, probation: 128, slow: 64, busyEndpoints: [], busyAccounts: [] });
});
