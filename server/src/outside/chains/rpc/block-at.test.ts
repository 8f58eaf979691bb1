import { afterEach, expect, test, vi } from 'vitest';
import { TemporaryError } from '../../../platform/errors.ts';
import { MINUTE_MS } from '../../../platform/time.ts';
import type { Head, Pass } from '../chain.ts';
import { earliestBlockAt } from './block-at.ts';
import type { Provider } from './provider.ts';
import type { Providers } from './providers.ts';

const NOW_MS = Date.UTC(2026, 0, 1);
const HEAD = 1_000_000n;

afterEach(() => void vi.useRealTimers());

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Providers by what each names: a block, a block that is as far as its history goes, or nothing. */
function find(
  named: Record<string, bigint | { oldest: bigint } | 'fails' | 'hangs' | { slow: bigint }>,
  { pass = 'first' }: { pass?: Pass } = {},
) {
  const providers = {
    names: Object.keys(named),
    use: (work: (provider: Provider) => Promise<unknown>, { only = [] }: { only?: readonly string[] } = {}) =>
      work({ name: only[0] } as Provider),
  } as unknown as Providers;
  const block = (number: bigint) => ({ number, hash: `${number}`, time: new Date(0) });
  return earliestBlockAt(
    providers,
    async ({ name }) => {
      const answer = named[name];
      if (answer === 'hangs') return new Promise<never>(() => {});
      if (typeof answer === 'object' && 'slow' in answer) {
        await pause(20_000);
        return { block: block(answer.slow), reached: true };
      }
      if (answer === 'fails' || answer === undefined) throw new TemporaryError(`${name} fails`);
      return typeof answer === 'bigint'
        ? { block: block(answer), reached: true }
        : { block: block(answer.oldest), reached: false };
    },
    {
      time: new Date(NOW_MS - 5 * MINUTE_MS),
      start: { pass, head: { ...block(HEAD), safe: null, finalized: null } as Head },
      usualBlockMs: 2_000,
      nowMs: NOW_MS,
    },
  );
}

const earliest = async (...search: Parameters<typeof find>) => {
  const { block, reached } = await find(...search);
  return { number: block.number, reached };
};

test('the earliest block that any provider names is taken, whichever that provider is', async () => {
  expect(await earliest({ a: HEAD, b: HEAD - 150n })).toEqual({ number: HEAD - 150n, reached: true });
  expect(await earliest({ a: HEAD - 150n, b: HEAD, c: HEAD - 149n })).toEqual({ number: HEAD - 150n, reached: true });
});

test('an absurdly early block is not followed', async () => {
  expect(await earliest({ a: 0n, b: HEAD - 150n })).toEqual({ number: HEAD - 150n, reached: true });
  expect(await earliest({ a: HEAD - 5_000n, b: HEAD - 150n })).toEqual({ number: HEAD - 150n, reached: true });
  expect(await earliest({ a: 0n })).toEqual({ number: 0n, reached: true });
});

test('a provider whose history does not reach that far decides only if no other one names an earlier block', async () => {
  expect(await earliest({ a: { oldest: HEAD - 100n }, b: HEAD - 150n })).toEqual({
    number: HEAD - 150n,
    reached: true,
  });
  // Blocks before the time are before the oldest one of a history that begins later: who names a later one is wrong.
  expect(await earliest({ a: { oldest: HEAD - 200n }, b: HEAD })).toEqual({ number: HEAD - 200n, reached: false });
  expect(await earliest({ a: { oldest: HEAD - 10n }, b: { oldest: HEAD - 20n } })).toEqual({
    number: HEAD - 20n,
    reached: false,
  });
});

test('the second pass begins when a second provider has answered, and the first one without it', async () => {
  expect(await earliest({ a: HEAD - 150n, b: 'fails' })).toEqual({ number: HEAD - 150n, reached: true });
  await expect(earliest({ a: HEAD - 150n, b: 'fails' }, { pass: 'second' })).rejects.toBeInstanceOf(TemporaryError);
  expect(await earliest({ a: HEAD, b: HEAD - 150n, c: 'fails' }, { pass: 'second' })).toMatchObject({
    number: HEAD - 150n,
  });
  expect(await earliest({ a: HEAD - 150n }, { pass: 'second' })).toMatchObject({ number: HEAD - 150n });
  await expect(earliest({ a: 'fails', b: 'fails' })).rejects.toBeInstanceOf(TemporaryError);
});

test('a provider that is slow to answer is waited for half a minute at most after enough others have', async () => {
  vi.useFakeTimers();
  for (const found of [
    earliest({ a: HEAD - 150n, b: 'hangs' }),
    earliest({ a: HEAD - 150n, b: HEAD, c: 'hangs' }, { pass: 'second' }),
  ]) {
    await vi.advanceTimersByTimeAsync(26_000);
    expect(await found).toEqual({ number: HEAD - 150n, reached: true });
  }
  const waited = earliest({ a: HEAD, b: { slow: HEAD - 150n } });
  await vi.advanceTimersByTimeAsync(20_000);
  expect(await waited).toEqual({ number: HEAD - 150n, reached: true });
  let isFound = false;
  void earliest({ a: HEAD - 150n, b: 'hangs' }, { pass: 'second' }).finally(() => (isFound = true));
  await vi.advanceTimersByTimeAsync(60_000);
  expect(isFound).toBe(false);
});

test('the block says which provider named it, so that the second pass reads what is before it by another one', async () => {
  expect((await find({ a: HEAD, b: HEAD - 150n })).block.provider).toBe('b');
  expect((await find({ a: 'fails', b: HEAD, c: 'fails' })).block.provider).toBe('b');
});
