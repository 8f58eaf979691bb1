import { describe, expect, test } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '../../../platform/time.ts';
import { afterAttempt, RETRY_DELAYS_MS } from './schedule.ts';

const ended = new Date('2026-03-14T09:00:00Z');
const after = (attempts: number, isDelivered: boolean, random = 0) =>
  afterAttempt({ livemode: true, attempts, resume: null }, isDelivered, ended, random);

describe('the schedule', () => {
  test.each([
    [0, 1 * MINUTE_MS],
    [1, 5 * MINUTE_MS],
    [2, 30 * MINUTE_MS],
    [3, 2 * HOUR_MS],
    [4, 6 * HOUR_MS],
  ])(
    'a failure after %i attempts is tried again %i ms after it ended, never earlier and at most two hundredths later',
    (attempts, delayMs) => {
      expect(after(attempts, false)).toEqual({
        state: 'pending',
        due: new Date(ended.getTime() + delayMs),
        attempts: attempts + 1,
        isDeadLetter: false,
      });
      expect(after(attempts, false, 0.999_999).due?.getTime()).toBe(ended.getTime() + Math.ceil(delayMs * 1.02));
    },
  );

  test.each(RETRY_DELAYS_MS.map((delayMs, attempts) => [attempts, delayMs]))(
    'in test mode a failure after %i attempts is retried exactly %i ms after it ended',
    (attempts, delayMs) => {
      const { due } = afterAttempt({ livemode: false, attempts, resume: null }, false, ended, 0.999_999);
      expect(due?.getTime()).toBe(ended.getTime() + delayMs);
    },
  );

  test('the sixth failure is the last', () => {
    expect(after(5, false)).toEqual({ state: 'failed', due: null, attempts: 6, isDeadLetter: true });
  });

  test('it lasts about nine hours', () => {
    expect(RETRY_DELAYS_MS.reduce((sum, ms) => sum + ms, 0) / HOUR_MS).toBeCloseTo(8.6, 1);
  });

  test.each([0, 3, 5])('a success after %i attempts ends it', (attempts) => {
    expect(after(attempts, true)).toEqual({
      state: 'delivered',
      due: null,
      attempts: attempts + 1,
      isDeadLetter: false,
    });
  });

  test('an attempt by hand does not count, and when it fails the delivery stands as it stood', () => {
    const resume = { state: 'pending', due: new Date('2026-03-14T12:00:00Z') } as const;
    expect(afterAttempt({ livemode: true, attempts: 3, resume }, false, ended)).toEqual({
      ...resume,
      attempts: 3,
      isDeadLetter: false,
    });
    expect(
      afterAttempt({ livemode: true, attempts: 6, resume: { state: 'failed', due: null } }, false, ended),
    ).toMatchObject({ state: 'failed', attempts: 6, isDeadLetter: false });
    expect(afterAttempt({ livemode: true, attempts: 3, resume }, true, ended)).toMatchObject({
      state: 'delivered',
      attempts: 3,
    });
  });
});
