import { describe, expect, test, vi } from 'vitest';
import type { Head } from '../chain.ts';
import { ImplausibleHeadError, ProviderBehindError } from './errors.ts';
import { createHeads } from './heads.ts';

const START_MS = 1_800_000_000_000;
const BLOCK_MS = 2_000;

const head = (number: bigint, branch = 'a'): Head => ({
  number,
  hash: `${branch}${number}`,
  time: new Date(START_MS),
  safe: null,
  finalized: null,
});

function start(usualBlockMs: number | null = null) {
  const clock = { nowMs: START_MS };
  const error = vi.fn<(fields: unknown, message: string) => void>();
  return { clock, error, heads: createHeads({ maxLag: 3n, usualBlockMs, nowMs: () => clock.nowMs, log: { error } }) };
}

test('a slightly older head is replaced by the last one, one far behind is rejected', () => {
  const { heads } = start();
  heads.accept('first', head(100n), 'one');
  expect(heads.accept('first', head(98n), 'two').number).toBe(100n);
  expect(() => heads.accept('first', head(50n), 'two')).toThrow(ProviderBehindError);
  expect(() => heads.accept('second', head(50n), 'two')).toThrow(ProviderBehindError);
  expect(heads.accept('first', head(101n), 'one').number).toBe(101n);
});

test('a lower head on another fork is accepted at once', () => {
  const { heads } = start();
  for (let number = 90n; number <= 100n; number++) heads.accept('first', head(number), 'one');
  expect(heads.accept('first', head(95n, 'b'), 'one')).toMatchObject({ number: 95n, hash: 'b95' });
  expect(heads.accept('first', head(96n, 'b'), 'one').number).toBe(96n);
});

test('a lower head that is reported for half a minute is accepted', () => {
  const { heads, clock } = start();
  heads.accept('first', head(100n), 'one');
  expect(() => heads.accept('first', head(5n), 'one')).toThrow(ProviderBehindError);
  clock.nowMs += 31_000;
  expect(heads.accept('first', head(6n), 'one').number).toBe(6n);
  expect(heads.accept('first', head(7n), 'one').number).toBe(7n);
});

test('a pass that accepted a lower head is not stopped again by a provider that is ahead', () => {
  const { heads, clock } = start();
  heads.accept('first', head(1_000n), 'liar');
  expect(() => heads.accept('second', head(100n), 'honest')).toThrow(ProviderBehindError);
  clock.nowMs += 31_000;
  for (let number = 101n; number < 110n; number++) {
    heads.accept('first', head(1_000n + number), 'liar');
    expect(heads.accept('second', head(number), 'honest').number).toBe(number);
  }
});

describe('a head must be plausible', () => {
  test('it may not be further than twice the usual speed plus 64 blocks allow', () => {
    const { heads, clock } = start(BLOCK_MS);
    heads.requirePlausible(head(1_000n), 'one');
    clock.nowMs += 60_000;
    expect(() => heads.requirePlausible(head(1_000n + 60n + 65n), 'one')).toThrow(ImplausibleHeadError);
    heads.requirePlausible(head(1_000n + 60n + 64n), 'one');
  });

  test('the same holds for a provider that has not reported before', () => {
    const { heads } = start(BLOCK_MS);
    heads.requirePlausible(head(1_000n), 'honest');
    expect(() => heads.requirePlausible(head(1_900n), 'liar')).toThrow('900 further than time allows');
  });

  test('a lying provider cannot advance by many small jumps', () => {
    const { heads, clock } = start(BLOCK_MS);
    let number = 1_000n;
    heads.requirePlausible(head(number), 'liar');
    for (let at = 0; at < 1_000; at++) {
      clock.nowMs += 100;
      try {
        heads.requirePlausible(head(number + 20n), 'liar');
        number += 20n;
      } catch (error) {
        expect(error).toBeInstanceOf(ImplausibleHeadError);
      }
    }
    // 100 seconds are 50 blocks.
    expect(number).toBeLessThanOrEqual(1_000n + 2n * 50n + 64n);
  });

  test("a provider that was frozen recovers because of the other providers' reports", () => {
    const { heads, clock } = start(BLOCK_MS);
    heads.requirePlausible(head(1_000n), 'frozen');
    for (let at = 0n; at < 500n; at++) {
      clock.nowMs += BLOCK_MS;
      heads.requirePlausible(head(1_000n + at), 'honest');
      heads.requirePlausible(head(1_000n), 'frozen');
    }
    heads.requirePlausible(head(1_500n), 'frozen');
  });

  test('after hours without any call a much higher head is accepted', () => {
    const { heads, clock } = start(BLOCK_MS);
    heads.requirePlausible(head(1_000n), 'one');
    clock.nowMs += 7_200_000;
    heads.requirePlausible(head(4_600n), 'one');
  });

  test('a jump that a second provider confirms means that the chain became faster', () => {
    const { heads, clock } = start(BLOCK_MS);
    for (const name of ['one', 'two']) heads.requirePlausible(head(1_000n), name);
    clock.nowMs += 600_000;
    expect(() => heads.requirePlausible(head(5_000n), 'one')).toThrow(ImplausibleHeadError);
    heads.requirePlausible(head(5_001n), 'two');
    heads.requirePlausible(head(5_002n), 'one');
  });

  test('it may not be dated more than 30 seconds in the future', () => {
    const { heads } = start(BLOCK_MS);
    heads.requirePlausible({ number: 1_000n, time: new Date(START_MS + 30_000) }, 'one');
    expect(() => heads.requirePlausible({ number: 1_000n, time: new Date(START_MS + 31_000) }, 'one')).toThrow(
      '31 s in the future',
    );
  });

  test('a provider that keeps reporting implausible heads raises an alarm after ten minutes, then every ten minutes', () => {
    const { heads, clock, error } = start(BLOCK_MS);
    heads.requirePlausible(head(1_000n), 'honest');
    for (let second = 0; second <= 1_500; second += 1) {
      expect(() => heads.requirePlausible(head(100_000n), 'liar')).toThrow(ImplausibleHeadError);
      heads.requirePlausible(head(1_000n + BigInt(Math.floor(second / 2))), 'honest');
      clock.nowMs += 1_000;
    }
    expect(error.mock.calls.map(([fields]) => fields)).toEqual(
      [1, 2].map(() => expect.objectContaining({ provider: 'liar', alarm: 'implausible_head' })),
    );
  });

  test('a provider whose heads are right and whose transfers are not raises an alarm after ten minutes', () => {
    const { heads, clock, error } = start(BLOCK_MS);
    for (let minute = 0; minute <= 10; minute += 1) {
      heads.requirePlausible(head(1_000n), 'liar');
      expect(() => heads.requireReached({ transfers: [{ block: head(100_000n) }] }, 'liar')).toThrow(
        ImplausibleHeadError,
      );
      clock.nowMs += 60_000;
    }
    expect(error.mock.calls.map(([fields]) => fields)).toEqual([
      expect.objectContaining({ provider: 'liar', alarm: 'implausible_head' }),
    ]);
  });

  test('a block that was read confirms no jump of a head', () => {
    const { heads } = start(BLOCK_MS);
    heads.requirePlausible(head(1_000n), 'honest');
    expect(() => heads.requireReached({ transfers: [{ block: head(5_000n) }] }, 'one')).toThrow(ImplausibleHeadError);
    expect(() => heads.requirePlausible(head(5_000n), 'two')).toThrow(ImplausibleHeadError);
  });

  test('on a test chain, which has no usual block time, both rules are off', () => {
    const { heads } = start(null);
    heads.requirePlausible(head(1_000n), 'one');
    heads.requirePlausible({ number: 1_000_000n, time: new Date(START_MS + 86_400_000) }, 'one');
  });
});

describe('what providers date', () => {
  const at = (number: bigint, minutesBack: number) => ({
    number,
    time: new Date(START_MS - minutesBack * 60_000),
  });
  const accept = (heads: ReturnType<typeof start>['heads'], block: ReturnType<typeof at>, provider: string) =>
    heads.accept('second', { ...head(block.number), ...block }, provider);

  test('is compared with blocks of others that are not above it, and with minutes to spare', () => {
    const { heads } = start(BLOCK_MS);
    accept(heads, at(100n, 0), 'one');
    expect(heads.datedLater(at(100n, 6), 'two')).toEqual(at(100n, 0));
    expect(heads.datedLater(at(100n, 4), 'two')).toBeUndefined();
    expect(heads.datedLater(at(99n, 6), 'two')).toBeUndefined();
    expect(heads.datedLater(at(100n, 6), 'one')).toBeUndefined();
  });

  test('is kept for a minute, so that a provider which is behind has the block, and until it is found to be wrong', () => {
    const { heads, clock } = start(BLOCK_MS);
    accept(heads, at(100n, 1), 'one');
    accept(heads, at(110n, 0.5), 'one');
    expect(heads.datedLater(at(120n, 10), 'two')).toMatchObject({ number: 100n });
    clock.nowMs += 60_000;
    accept(heads, at(130n, 0), 'one');
    const found = heads.datedLater(at(130n, 10), 'two');
    expect(found).toMatchObject({ number: 130n });
    if (found) heads.forgetDate(found);
    expect(heads.datedLater(at(130n, 10), 'two')).toBeUndefined();
  });

  test('raises an alarm if one provider dates its blocks in the past for ten minutes, whatever else it answers', () => {
    const { heads, clock, error } = start(BLOCK_MS);
    for (let minute = 0; minute <= 10; minute += 1) {
      expect(() => heads.refuseDate(at(100n, 600), 'liar')).toThrow(ImplausibleHeadError);
      heads.requirePlausible(head(1_000n), 'liar');
      clock.nowMs += 60_000;
    }
    expect(error.mock.calls.map(([fields]) => fields)).toEqual([
      expect.objectContaining({ provider: 'liar', alarm: 'implausible_head' }),
    ]);
  });

  test('is not compared on a test chain', () => {
    const { heads } = start(null);
    accept(heads, at(100n, 0), 'one');
    expect(heads.datedLater(at(100n, 600), 'two')).toBeUndefined();
  });
});
