import { afterEach, expect, test, vi } from 'vitest';
import type { CheckoutPage } from '../page-state.ts';
import { storeServerTime } from '../server-clock.ts';
// Loaded before, because a moved clock does not wait for it.
import '../wallets/gasless.ts';
import { followSignature } from './sign-payment.ts';

const NOW = '2026-03-14T09:15:00Z';

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

test.each([
  ['that the service has', 0, 5],
  ['of which no answer came', 60, 60],
])('a signature %s is waited for until it cannot move money', async (_, validSeconds, waitedSeconds) => {
  vi.useFakeTimers({ now: Date.parse(NOW) });
  storeServerTime(NOW);
  vi.stubGlobal('fetch', async () => Response.json({ state: 'open' }));
  let page = { session: { id: 'cs_1' }, wallet: { step: 'sent', hash: null, signed: true } } as unknown as CheckoutPage;
  followSignature(
    { shown: () => page, show: (change: object) => void (page = { ...page, ...change }) } as never,
    Date.parse(NOW) + validSeconds * 1_000,
  );
  await vi.advanceTimersByTimeAsync(waitedSeconds * 1_000 - 1);
  expect(page.wallet).toMatchObject({ step: 'sent' });
  await vi.waitFor(() => expect(page.wallet).toMatchObject({ step: 'failed', key: 'gasless_expired' }));
});
