import { afterAll, expect, test, vi } from 'vitest';
import { translator } from '../../i18n/messages.ts';
import { plurals } from '../../i18n/en.ts';
import type { PaymentLinkJson, PayoutWalletJson } from '../../lib/types.ts';

vi.stubGlobal('document', { documentElement: { dir: 'ltr' } });
// The client of the API reads the mode of the browser when it is loaded.
vi.stubGlobal('localStorage', { getItem: () => null });
afterAll(() => vi.unstubAllGlobals());
const { amountBody, amountOf, chargeOf, hasEnded, termsBody, termsOf, typedCharge, whyEnds } = await import(
  './terms.tsx'
);
const { choosable } = await import('./create.tsx');

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

test('limits are sent as they were meant, and one that could be two amounts as it was typed, to be refused', () => {
  const open = { ...termsOf(link), isOpen: true };
  expect(termsBody({ ...open, min: '5,50', max: '1.250,50' }).open_amount).toEqual({ min: '5.50', max: '1250.50' });
  expect(termsBody({ ...open, min: '', max: '1.250' }).open_amount).toEqual({ max: '1.250' });
});

test.each([
  ['', null],
  ['250', 250],
  ['1.000', 1_000],
  ['1,5', '1,5'],
  ['some', 'some'],
])('the most payments are read as a count, and %o is sent as %o', (maxPayments, sent) => {
  expect(termsBody({ ...termsOf(link), maxPayments }).max_payments).toBe(sent);
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

test.each([
  ['12,50', {}, '$12.50'],
  ['12,50', { isOpen: true }, 'Any amount'],
  ['12,50', { isOpen: true, min: '5' }, 'From $5.00'],
  // What was typed before the tick was taken away is not a limit.
  ['12,50', { min: '5' }, '$12.50'],
  ['1.250', {}, null],
  ['', {}, null],
  ['', { isOpen: true }, 'Any amount'],
])('the preview of a link with %s and %o says %s', (typed, terms, shown) => {
  const language = { locale: 'en', t: translator('en', plurals) } as const;
  expect(typedCharge(typed, { ...termsOf(link), ...terms }, 'USD', language)).toBe(shown);
});

test('where customers decide, the amount may be left out: the least one is sent, and the form shows none again', () => {
  const open = { ...termsOf(link), isOpen: true };
  expect(amountBody('', open)).toBe('0.01');
  expect(amountBody('', { ...open, min: '5,50' })).toBe('5.50');
  // The limit is refused, not an amount that no one typed.
  expect(amountBody('', { ...open, min: '1.250' })).toBe('0.01');
  expect(amountBody('', termsOf(link))).toBe('');
  expect(amountBody('12,50', open)).toBe('12.50');
  const limits = { min: '0.01', max: '999999999.99' };
  expect(amountOf({ ...link, amount: '0.01', open_amount: limits })).toBe('');
  expect(amountOf({ ...link, open_amount: limits })).toBe('49.00');
  expect(amountOf(link)).toBe('49.00');
  expect(termsOf({ ...link, open_amount: limits })).toMatchObject({ isOpen: true, min: '', max: '' });
});

test.each([
  [{ ends_at: null, max_payments: null, payments: 7 }, null],
  [{ ends_at: null, max_payments: 3, payments: 2 }, null],
  [{ ends_at: null, max_payments: 3, payments: 3 }, 'Limit reached'],
  // Of checkouts that were open when the last one was paid.
  [{ ends_at: null, max_payments: 3, payments: 5 }, 'Limit exceeded by 2'],
  [{ ends_at: '2027-02-01T00:00:00.000Z', max_payments: 3, payments: 2 }, 'Last day: Jan 31, 2027'],
  [{ ends_at: '2020-02-01T00:00:00.000Z', max_payments: null, payments: 0 }, 'Last day: Jan 31, 2020'],
])('a link of %o says what ends it: %s', (terms, said) => {
  expect(whyEnds({ ...link, ...terms }, { locale: 'en', t: translator('en', plurals) })).toBe(said);
});

test.each([
  [{ archived: true }, 'Its payout wallet takes no new payments'],
  [{ unfit: 'It is a token account.' }, 'Its payout wallet takes no new payments'],
  [{ waits_for: 'confirmation' }, 'Its payout wallet takes no new payments'],
  [{}, null],
])('a link whose payout wallet is %o says so: %s', (what, said) => {
  const wallet = { archived: false, unfit: null, waits_for: null, ...what } as PayoutWalletJson;
  expect(whyEnds(link, { locale: 'en', t: translator('en', plurals) }, wallet)).toBe(said);
  expect(hasEnded(link, wallet)).toBe(said !== null);
});

test('a link that is edited shows its own wallet, also when that was archived, and a new one is offered no such', () => {
  const wallets = ['pp_1', 'pp_2'].map((id) => ({ id, archived: id === 'pp_1' }) as PayoutWalletJson);
  const offered = (edited?: PaymentLinkJson) => choosable(wallets, edited).map(({ id }) => id);
  expect(offered({ ...link, payout_wallet_id: 'pp_1' })).toEqual(['pp_1', 'pp_2']);
  expect(offered()).toEqual(['pp_2']);
});
