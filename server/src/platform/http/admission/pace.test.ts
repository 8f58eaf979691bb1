import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { Pace, type PaceLimits } from './pace.ts';

/** A pace whose clock moves only while it waits. */
function paced(limits: Partial<PaceLimits>) {
  const clock = { nowMs: 0, waits: [] as number[] };
  const pace = new Pace(limits, {
    nowMs: () => clock.nowMs,
    pause: async (ms) => {
      clock.waits.push(ms);
      clock.nowMs += ms;
    },
  });
  return { pace, clock };
}

test('the long answers of an account are made a few at a time, in order, and those of others meanwhile', async () => {
  const { pace } = paced({ atOnce: 2, waiting: 10 });
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const ask = (account: string, name: string) =>
    pace.inTurn(account, () => {
      started.push(name);
      return new Promise<void>((resolve) => ends.set(name, resolve));
    });
  const asked = [...['a', 'b', 'c', 'd'].map((name) => ask('acc_1', name)), ask('acc_2', 'other')];
  await expect.poll(() => started).toEqual(['a', 'b', 'other']);
  ends.get('b')?.();
  await expect.poll(() => started.at(-1)).toBe('c');
  ends.get('a')?.();
  await expect.poll(() => started.at(-1)).toBe('d');
  for (const end of ends.values()) end();
  await Promise.all(asked);
  await pace.inTurn('acc_1', async () => {});
});

test('one that fails gives its place back, and a full queue is refused', async () => {
  const { pace } = paced({ atOnce: 1, waiting: 1 });
  await expect(pace.inTurn('acc_1', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  let end = () => {};
  const running = pace.inTurn('acc_1', () => new Promise<void>((resolve) => (end = resolve)));
  const waiting = pace.inTurn('acc_1', async () => 'done');
  await expect(pace.inTurn('acc_1', async () => {})).rejects.toMatchObject({ status: 429, retryAfterSeconds: 1 });
  await pace.inTurn('acc_2', async () => {});
  end();
  await running;
  expect(await waiting).toBe('done');
});

test('above its rate an account waits, for as long as its bytes need', async () => {
  const { pace, clock } = paced({ burstBytes: 1_000, bytesPerSecond: 500 });
  const answer = (bytes: number) => pace.inTurn('acc_1', async () => pace.spend('acc_1', bytes));
  await answer(900);
  await answer(600);
  expect(clock.waits).toEqual([]);
  await answer(250);
  expect(clock.waits).toEqual([1_000]);
  clock.nowMs += 60_000;
  await answer(100);
  expect(clock.waits).toHaveLength(1);
});

test('an account whose programs do not read is refused until they have read', () => {
  const { pace } = paced({ unreadBytes: 1_000 });
  const response = new EventEmitter() as ServerResponse;
  pace.untilRead('acc_1', 1_000, response);
  expect(() => pace.refuseUnread('acc_1')).toThrow('have not read');
  expect(() => pace.refuseUnread('acc_2')).not.toThrow();
  response.emit('close');
  expect(() => pace.refuseUnread('acc_1')).not.toThrow();
});

test('an answer whose client has left before it was ready is not waited for', () => {
  const { pace } = paced({ unreadBytes: 1_000 });
  for (const gone of [{ closed: true }, { destroyed: true }])
    pace.untilRead('acc_1', 1_000, Object.assign(new EventEmitter(), gone) as unknown as ServerResponse);
  expect(() => pace.refuseUnread('acc_1')).not.toThrow();
});

test('ten accounts of one person have one rate together, and an account with short answers does not wait for it', async () => {
  const { pace, clock } = paced({ burstBytesOfAll: 2_000, bytesPerSecondOfAll: 1_000, smallBytes: 100 });
  const answer = (account: string, bytes: number) => pace.inTurn(account, async () => pace.spend(account, bytes));
  for (let number = 0; number < 10; number += 1) await answer(`acc_${number}`, 300);
  expect(clock.waits).toEqual([]);
  await answer('acc_small', 50);
  await answer('acc_small', 50);
  expect(clock.waits).toEqual([]);
  await answer('acc_3', 300);
  expect(clock.waits).toEqual([1_100]);
});

test('an account that gets much rests between the parts of an answer, and one that gets little does not', async () => {
  const { pace, clock } = paced({ smallBytes: 500, bytesPerSecond: 100, restMs: 15 });
  pace.spend('acc_1', 501);
  pace.spend('acc_2', 500);
  await pace.rest('acc_2');
  expect(clock.waits).toEqual([]);
  await pace.rest('acc_1');
  expect(clock.waits).toEqual([15]);
  clock.nowMs += 1_000;
  await pace.rest('acc_1');
  expect(clock.waits).toEqual([15]);
});
