import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { CheckoutPage } from '../page-state.ts';
import { storeServerTime } from '../server-clock.ts';
import { renewQuote } from './renew-quote.ts';
import { unchanged } from './use-wallet.ts';

const NOW = '2026-03-14T09:15:00Z';
const answer = vi.fn<() => object>();
beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse(NOW) });
  vi.stubGlobal('document', { hidden: false });
  vi.stubGlobal('fetch', async () => ({ json: async () => answer() }));
  storeServerTime(NOW);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  answer.mockReset();
});

/** A page whose amount was valid until now. */
function pageOf(more: object = {}, payment: object = {}): { shown(): CheckoutPage; show(change: object): void } {
  const asked = {
    asset: 'ETH',
    network: 'ethereum',
    kind: 'direct',
    address: '0x5290',
    amount: '0.5',
    amount_due: '0.5',
  };
  let page = {
    session: {
      id: 'cs_1',
      status: 'pending',
      livemode: true,
      server_time: NOW,
      expires_at: '2026-03-14T10:00:00Z',
      payment: { ...asked, amount_seen: '0', quote_expires_at: NOW, ...payment },
    },
    view: 'auto',
    choice: null,
    error: null,
    ...more,
  } as unknown as CheckoutPage;
  return {
    shown: () => page,
    show: (change) => {
      page = { ...page, ...change };
    },
  };
}

test('an amount that cannot be renewed is not asked for any more, and why is said, until it can', async () => {
  const page = pageOf();
  answer.mockReturnValue({ error: { code: 'service_unavailable', message: 'No provider answers.', param: null } });
  renewQuote(page as never);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(page.shown()).toMatchObject({ staleQuote: NOW, error: { code: 'service_unavailable', param: null } });

  const { session } = pageOf(
    {},
    { amount: '0.6', amount_due: '0.6', quote_expires_at: '2026-03-14T09:30:00Z' },
  ).shown();
  answer.mockReturnValue({ data: session });
  await vi.advanceTimersByTimeAsync(10_000);
  expect(page.shown()).toMatchObject({ session, error: null, repriced: true });
});

test('an amount that the service still holds is asked for again a second later', async () => {
  const page = pageOf();
  answer.mockReturnValue({ data: page.shown().session });
  renewQuote(page as never);
  await vi.advanceTimersByTimeAsync(1_000);
  const { session } = pageOf({}, { amount: '0.6', quote_expires_at: '2026-03-14T09:30:00Z' }).shown();
  answer.mockReturnValue({ data: session });
  await vi.advanceTimersByTimeAsync(1_000);
  expect(page.shown()).toMatchObject({ session });
});

test.each([
  ['an amount', { data: pageOf({}, { amount: '0.6', quote_expires_at: '2026-03-14T09:30:00Z' }).shown().session }],
  ['a refusal', { error: { code: 'service_unavailable', message: 'No provider answers.', param: null } }],
])('%s that was still on its way does not take back what the customer has chosen since', async (_, late) => {
  const page = pageOf();
  const { promise, resolve } = Promise.withResolvers<object>();
  answer.mockReturnValue(promise);
  renewQuote(page as never);
  await vi.advanceTimersByTimeAsync(1_000);
  const chosen = pageOf({}, { asset: 'USDC', amount: '12.5', quote_expires_at: null }).shown();
  page.show({ session: chosen.session });
  resolve(late);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(page.shown()).toEqual(chosen);
  expect(answer).toHaveBeenCalledTimes(1);
});

test('an amount that the stream brought before its answer came is shown as another one', async () => {
  const page = pageOf();
  const { promise, resolve } = Promise.withResolvers<object>();
  answer.mockReturnValue(promise);
  renewQuote(page as never);
  await vi.advanceTimersByTimeAsync(1_000);
  const { session } = pageOf({}, { amount: '0.6', quote_expires_at: '2026-03-14T09:30:00Z' }).shown();
  page.show({ session });
  resolve({ data: structuredClone(session) });
  await vi.advanceTimersByTimeAsync(0);
  expect(page.shown()).toMatchObject({ session, repriced: true });
});

test('that a payment under way takes no other amount is not shown as an error', async () => {
  const page = pageOf();
  answer.mockReturnValue({ error: { code: 'invalid_payment_state', message: 'It is under way.', param: null } });
  renewQuote(page as never);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(page.shown()).toMatchObject({ error: null });
  expect(page.shown()).not.toHaveProperty('staleQuote');
});

test.each([
  ['connecting', 1],
  ['scan', 1],
  ['confirm', 0],
  ['signing', 0],
  ['sending', 0],
  ['sent', 0],
])('while a wallet is at the step %s, %i amounts are asked for', async (step, requests) => {
  const page = pageOf({ wallet: { step, wallet: 'Fern Wallet' } });
  answer.mockReturnValue({ data: page.shown().session });
  renewQuote(page as never);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(answer).toHaveBeenCalledTimes(requests);
});

test('a wallet is not asked for an amount whose time is over', async () => {
  const page = pageOf();
  answer.mockReturnValue({ data: page.shown().session });
  await expect(unchanged(page as never)).rejects.toMatchObject({ key: 'error_other' });
  const { session } = pageOf({}, { quote_expires_at: '2026-03-14T09:15:01Z' }).shown();
  answer.mockReturnValue({ data: session });
  await expect(unchanged(page as never)).resolves.toEqual(session);
});
