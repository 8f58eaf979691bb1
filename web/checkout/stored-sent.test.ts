import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { CheckoutPage, WalletStep } from './page-state.ts';
import { storedSent, storeSent } from './stored-sent.ts';

const SENT: WalletStep = { step: 'sent', hash: '0x5c' };
const kept = new Map<string, string>();
beforeEach(() => {
  kept.clear();
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  });
});
afterEach(() => vi.unstubAllGlobals());

function pageOf(payment: object = {}, more: object = {}, session: object = {}): CheckoutPage {
  const asked = { asset: 'USDC', network: 'base', amount: '49', amount_due: '49', amount_seen: '0', ...payment };
  const clock = { server_time: '2026-03-14T09:00:00Z', expires_at: '2026-03-14T09:30:00Z' };
  return {
    session: { id: 'cs_1', status: 'pending', ...clock, payment: asked, ...session },
    view: 'auto',
    choice: null,
    ...more,
  } as unknown as CheckoutPage;
}

test('what a wallet has sent is known to the page that is loaded next, also if the amount was renewed', () => {
  storeSent(pageOf(), pageOf({}, { wallet: SENT }));
  expect(storedSent(pageOf())).toEqual(SENT);
  expect(storedSent(pageOf({ amount: '50', amount_due: '50' }))).toEqual(SENT);
  expect(storedSent(pageOf({}, { view: 'choose' }))).toEqual(SENT);
});

test.each([
  ['the service has seen money', pageOf({ amount_seen: '20', amount_due: '29' })],
  ['another coin is asked for', pageOf({ asset: 'USDT' })],
  ['another network is asked for', pageOf({ network: 'polygon' })],
  ['it is another session', pageOf({}, {}, { id: 'cs_2' })],
])('it is over when %s', (_, page) => {
  storeSent(pageOf(), pageOf({}, { wallet: SENT }));
  expect(storedSent(page)).toBeUndefined();
});

test.each([
  ['does not say so any more', pageOf({}, { wallet: null })],
  ['is about another end', pageOf({}, { wallet: SENT }, { status: 'failed' })],
  ['has seen all of it', pageOf({ amount_seen: '49', amount_due: '0' }, { wallet: null })],
])('nothing is kept of it once the page %s', (_, now) => {
  const before = pageOf({}, { wallet: SENT });
  storeSent(pageOf(), before);
  storeSent(before, now);
  expect(kept.size).toBe(0);
});

test.each([
  ['the time is up', { timeUp: true }, {}],
  ['the checkout has expired', {}, { status: 'expired' }],
])('what a wallet has sent is still known once %s, until money is seen', (_, more, session) => {
  const before = pageOf({}, { wallet: SENT });
  storeSent(pageOf(), before);
  storeSent(before, pageOf({}, { wallet: SENT, ...more }, session));
  expect(storedSent(pageOf({}, more, session))).toEqual(SENT);
  expect(storedSent(pageOf({ amount_seen: '20', amount_due: '29' }, more, session))).toBeUndefined();
  storeSent(pageOf({}, { wallet: SENT, ...more }, session), pageOf({ amount_seen: '20' }, more, session));
  expect(kept.size).toBe(0);
});

test('what another tab has taken back is not said again by whatever else changes here', () => {
  const before = pageOf({}, { wallet: SENT });
  storeSent(pageOf(), before);
  kept.clear();
  storeSent(before, { ...before, offline: true });
  expect(storedSent(pageOf())).toBeUndefined();
});

test('what the service sends with a signature is not kept, because it knows that itself', () => {
  storeSent(pageOf(), pageOf({}, { wallet: { ...SENT, hash: null, signed: true } }));
  expect(kept.size).toBe(0);
});

test('a storage that is full, forbidden or changed by others loses only that', () => {
  kept.set('quittance:sent:cs_1', '{}');
  expect(storedSent(pageOf())).toBeUndefined();
  const refuse = () => {
    throw new Error('denied');
  };
  vi.stubGlobal('localStorage', { getItem: refuse, setItem: refuse, removeItem: refuse });
  storeSent(pageOf(), pageOf({}, { wallet: SENT }));
  expect(storedSent(pageOf())).toBeUndefined();
});
