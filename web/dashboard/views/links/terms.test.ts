import { afterAll, expect, test, vi } from 'vitest';
import { translator } from '../../i18n/messages.ts';
import { plurals } from '../../i18n/en.ts';
import type { PaymentLinkJson } from '../../lib/types.ts';

vi.stubGlobal('document', { documentElement: { dir: 'ltr' } });
// The client of the API reads the mode of the browser when it is loaded.
vi.stubGlobal('localStorage', { getItem: () => null });
afterAll(() => vi.unstubAllGlobals());
const { chargeOf, termsBody, termsOf } = await import('./terms.tsx');

const link = {
  amount: '49.00',
  currency: 'USD',
  open_amount: null,
  ask_for: [],
  ends_at: null,
  max_payments: null,
} as unknown as PaymentLinkJson;

test('an edited link keeps the hour at which it ends, unless its last day is changed', () => {
  const ending = { ...link, ends_at: '2027-01-31T15:00:00.000Z' };
  const terms = termsOf(ending);
  expect(terms.lastDay).toBe('2027-01-31');
  expect(termsBody(terms, ending)).not.toHaveProperty('ends_at');
  expect(termsBody({ ...terms, lastDay: '2027-02-28' }, ending).ends_at).toBe('2027-03-01T00:00:00.000Z');
  expect(termsBody({ ...terms, lastDay: '' }, ending).ends_at).toBeNull();
  expect(termsBody(terms).ends_at).toBe('2027-02-01T00:00:00.000Z');
});

test.each([
  [null, '$49.00'],
  [{ min: '5.00', max: '500.00' }, '$5.00 – $500.00'],
  [{ min: '5.00', max: '999999999.99' }, 'From $5.00'],
  [{ min: '0.01', max: '500.00' }, 'Up to $500.00'],
  [{ min: '0.01', max: '999999999.99' }, 'Any amount'],
])('a link whose limits are %o charges %s', (open, shown) => {
  const language = { locale: 'en', t: translator('en', plurals) } as const;
  expect(chargeOf({ ...link, open_amount: open }, language)).toBe(shown);
});
