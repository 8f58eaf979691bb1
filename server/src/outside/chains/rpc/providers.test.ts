import { pino } from 'pino';
import { expect, test } from 'vitest';
import { MINUTE_MS } from '../../../platform/time.ts';
import { ProviderBehindError, ProviderFailure } from './errors.ts';
import { createProviders } from './providers.ts';

function start() {
  const clock = { nowMs: 0 };
  const options = { pin: { method: 'none', expected: '', parse: String }, pauseMs: { first: 0, longest: 0 }, nowMs: () => clock.nowMs };
  const providers = createProviders(['http://one.invalid', 'http://two.invalid'], options, pino({ level: 'silent' }));
  const fail = (error: Error, options = {}) => providers.use(() => Promise.reject(error), { only: ['one.invalid'], ...options }).catch(() => {});
  const answer = (options = {}) => providers.use(() => Promise.resolve('answer'), { only: ['one.invalid'], ...options });
  return { clock, providers, fail, answer, forMs: () => providers.unreachableMs('one.invalid') };
}

test('a provider is unreachable since its first failure after its last answer', async () => {
  const { clock, fail, answer, forMs } = start();
  for (let minute = 0; minute < 5; minute += 1) {
    await fail(new ProviderFailure('down'));
    clock.nowMs += MINUTE_MS;
  }
  expect(forMs()).toBe(5 * MINUTE_MS);
  await answer();
  expect(forMs()).toBe(0);
  await fail(new ProviderFailure('down'));
  expect(forMs()).toBe(0);
});

test('a provider that is behind is alive, however long it stays behind', async () => {
  const { clock, providers, fail, forMs } = start();
  await fail(new ProviderFailure('down'));
  for (let minute = 0; minute < 30; minute += 1) {
    clock.nowMs += MINUTE_MS;
    await fail(new ProviderBehindError('at block 5'));
    expect(forMs()).toBe(0);
  }
  expect(providers.health()[0]).toMatchObject({ healthy: true });
});

test('failures that lie further apart than calls ever do are not one run', async () => {
  const { clock, fail, forMs } = start();
  await fail(new ProviderFailure('down'));
  clock.nowMs += 60 * MINUTE_MS;
  expect(forMs()).toBe(0);
  await fail(new ProviderFailure('down'));
  expect(forMs()).toBe(0);
  clock.nowMs += MINUTE_MS;
  expect(forMs()).toBe(MINUTE_MS);
});

test('a clock that goes back makes nobody unreachable', async () => {
  const { clock, fail, forMs } = start();
  await fail(new ProviderFailure('down'));
  clock.nowMs -= 60 * MINUTE_MS;
  expect(forMs()).toBe(0);
});

test('a failure that a stranger caused does not count, an answer that one caused does', async () => {
  const { clock, fail, answer, forMs } = start();
  await fail(new ProviderFailure('cannot be read'), { forgiving: true });
  clock.nowMs += MINUTE_MS;
  expect(forMs()).toBe(0);
  await fail(new ProviderFailure('down'));
  clock.nowMs += MINUTE_MS;
  await answer({ forgiving: true });
  expect(forMs()).toBe(0);
});
