import { expect, test } from 'vitest';
import { type Catalog, translator } from './messages.ts';

const english = {
  hello: 'Hello',
  pay: 'Pay {amount} on {network}',
  left: { one: '{count} minute left', other: '{count} minutes left' },
} as const;
type Source = typeof english;
const t = translator<Source>('en', english);

test('a message is looked up, with its parameters and the plural form of its number', () => {
  expect(t('hello')).toBe('Hello');
  expect(t('pay', { amount: '5 USDC', network: 'Base' })).toBe('Pay 5 USDC on Base');
  expect([1, 2].map((count) => t('left', { count }))).toEqual(['1 minute left', '2 minutes left']);
});

test('a language has its own plural forms', () => {
  const polish: Partial<Catalog<Source>> = {
    left: { one: '{count} minuta', few: '{count} minuty', many: '{count} minut', other: '{count} minuty' },
  };
  const speak = translator<Source>('pl', polish);
  expect([1, 2, 5].map((count) => speak('left', { count }))).toEqual(['1 minuta', '2 minuty', '5 minut']);
});

test.each([
  ['en', '.', 'Pay 105.845236 on Base'],
  ['de', ',', 'Pay 105,845236 on Base'],
  ['ar', '.', 'Pay \u2068105.845236\u2069 on \u2068Base\u2069'],
])('in %s a plain amount is written with the decimal mark %s, if that is asked for', (locale, mark, text) => {
  const marked = translator<Source>(locale, english, mark);
  expect(marked('pay', { amount: '105.845236', network: 'Base' })).toBe(text);
  // What is formatted already, or no amount, stays as it is.
  expect(marked('pay', { amount: '1.234,50', network: '127.0.0.1' })).toMatch(/1\.234,50.*127\.0\.0\.1/);
  expect(translator<Source>('de', english)('pay', { amount: '1.234', network: 'Base' })).toBe('Pay 1.234 on Base');
});

test('a key without a message is its own message, from left to right among text of the other direction', () => {
  expect(translator<Source>('en', {})('hello')).toBe('hello');
  const speak = translator<Record<'Send {count} with {wallet}', 'Send {count} with {wallet}'>>('ar', {});
  expect(speak('Send {count} with {wallet}', { count: 2, wallet: 'Fern' })).toBe(
    '\u2066Send \u20682\u2069 with \u2068Fern\u2069\u2069',
  );
});

test('parameters are isolated in right-to-left text, adjacent ones together', () => {
  const speak = translator<Source>('ar', { pay: 'ادفع {amount} على {network}' });
  expect(speak('pay', { amount: '{network}', network: 'Base' })).toBe(
    'ادفع \u2068{network}\u2069 على \u2068Base\u2069',
  );
  const sentence = translator<Record<'send', 'Send {amount} {asset}'>>('ar', { send: 'أرسل {amount} {asset}' });
  expect(sentence('send', { amount: 5, asset: 'USDC' })).toBe('أرسل \u20685 USDC\u2069');
});

test('an unknown key, a missing parameter and an unknown parameter do not compile', () => {
  // @ts-expect-error: no such key
  expect(t('goodbye')).toBe('goodbye');
  // @ts-expect-error: no parameters
  expect(t('pay')).toBe('Pay {amount} on {network}');
  // @ts-expect-error: one parameter is missing
  expect(t('pay', { amount: '5' })).toBe('Pay 5 on {network}');
  // @ts-expect-error: this message has no parameters
  expect(t('hello', { amount: '5' })).toBe('Hello');
  // @ts-expect-error: plural forms need a number
  expect(t('left', { count: '2' })).toBe('2 minutes left');
  // @ts-expect-error: a catalog without all messages
  const incomplete: Catalog<Source> = { hello: 'Hallo' };
  expect(incomplete).not.toHaveProperty('pay');
});
