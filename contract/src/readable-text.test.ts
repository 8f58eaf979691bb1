import type { TSchema } from '@sinclair/typebox';
import { expect, test } from 'vitest';
import * as endpoints from './endpoints/index.ts';
import * as dashboard from './dashboard/endpoints.ts';
import { cutText, unreadableIn, withEscapes } from './readable-text.ts';

test.each([
  'Two ferns — 100 %, Größe “L”',
  'خزامى',
  'می‌خواهم', // Persian, with a non-joiner
  'क्‍ष', // Hindi, with a joiner behind a virama
  'ശ്രീ‌',
  'אורן \u200F(2)',
  '\u061C١٢٣',
  '👩‍🌾 farm',
  '👩🏽‍🌾',
  '❤️‍🔥',
  '🏴󠁧󠁢󠁥󠁮󠁧󠁿 England',
  '葛\u{E0100}城市',
  '1\uFE0F\u20E3 ☎\uFE0E',
  'ᠮᠣᠩᠭ\u180B',
  'ไม้',
  '한국어',
  '🏴󠁧󠁢󠁳󠁣󠁴󠁿🏴󠁧󠁢󠁷󠁬󠁳󠁿',
  '🏳️‍🌈 👩‍❤️‍💋‍👨 🏴‍☠️',
  'လျှော်', // Burmese, with five marks on a letter
  'Việt Nam, e\u0302\u0301\u0323\u0308',
  'כָּ֣ל',
  '⠓⠑⠇⠇⠕⠀⠺⠕⠗⠇⠙',
  'Prix\u00A0: 5\u202F€',
  '☂',
  '',
])('%j is readable', (text) => expect(unreadableIn(text, { lines: false })).toBeNull());

test.each([
  ['refund\u202E001', 'U+202E'],
  ['\u2067abc\u2069', 'U+2067'],
  ['order\u200B-1', 'U+200B'],
  ['or\u200Dder', 'U+200D'],
  ['\u200Corder', 'U+200C'],
  ['a\u200D\u200D', 'U+200D'],
  ['soft\u00ADhyphen', 'U+00AD'],
  ['\uFEFFstart', 'U+FEFF'],
  ['\u3164', 'U+3164'],
  ['hidden\u{E0041}', 'U+E0041'],
  ['🏴\u{E0041}', 'U+E0041'],
  ['\u001B[2J', 'U+001B'],
  ['bell\u0007', 'U+0007'],
  ['\u009B31m', 'U+009B'],
  ['\u2028', 'U+2028'],
  ['order\uFE0F-1', 'U+FE0F'],
  ['order-1\uFE0F', 'U+FE0F'],
  ['a\u{E0101}', 'U+E0101'],
  ['order\u034F-1', 'U+034F'],
  ['\u115F\u1160', 'U+115F'],
  ['order\u180E-1', 'U+180E'],
  ['\u{1D173}', 'U+1D173'],
  [`A-7\u{1F3F4}${'\u{E0061}'.repeat(49)}\u{E007F}`, 'U+E0061'],
  ['\u{1F3F4}\u{E0075}\u{E0073}\u{E0074}\u{E0078}\u{E007F}', 'U+E0075'],
  ['A-7\u2800', 'U+2800'],
  ['⠓\u2800', 'U+2800'],
  ['\u00A0', 'U+00A0'],
  ['\u3000\u2003', 'U+3000'],
  ['\u200E', 'U+200E'],
  ['\u200F \u061C', 'U+200F'],
  ['\uE000', 'U+E000'],
  ['A-7\u{F0000}', 'U+F0000'],
  ['\uFFFF', 'U+FFFF'],
  ['A-7\uFDD0', 'U+FDD0'],
  ['A-7\uFFFC', 'U+FFFC'],
  ['😀\u200DA', 'U+200D'],
  ['A\u0301\u200D😀', 'U+200D'],
  ['😀\u200C😀', 'U+200C'],
  ['e\u0301\u0302\u0303\u0304\u0305', 'U+0305'],
  [`ก${'\u0E47'.repeat(9)}`, 'U+0E47'],
  ['\u0301', 'U+0301'],
])('%j contains %s', (text, character) => {
  for (const lines of [false, true]) expect(unreadableIn(text, { lines })).toBe(character);
});

test('a blank text hides nothing', () => {
  for (const text of [' ', ' \t', '\n']) expect(unreadableIn(text, { lines: true })).toBeNull();
  expect(unreadableIn('  ', { lines: false })).toBeNull();
  for (const text of ['\t', '\n', '\u00A0', '\u2800']) expect(unreadableIn(text, { lines: false })).not.toBeNull();
});

test('a text is cut between what a reader takes for one character', () => {
  expect(cutText('abc', 3)).toBe('abc');
  expect(cutText('abc👩🏽‍🌾d', 9)).toBe('abc');
  expect(cutText('abc👩🏽‍🌾d', 10)).toBe('abc👩🏽‍🌾');
  expect(cutText('ae\u0301', 2)).toBe('a');
  expect(cutText('👩‍👩‍👩‍👩', 3)).toBe('👩‍');
  expect(cutText('👩‍👩‍👩‍👩', 4)).toBe('👩‍');
});

test('what cannot be seen is shown as escapes', () => {
  expect(withEscapes('a\u{E0041}\uE000\u2800\u001b\u202e')).toBe('a\\udb40\\udc41\\ue000\\u2800\\u001b\\u202e');
  expect(withEscapes('می‌خواهم\n👩🏽‍🌾')).toBe('می‌خواهم\n👩🏽‍🌾');
});

test('line breaks are for texts of several lines', () => {
  for (const text of ['one\ntwo', 'one\r\ntwo', 'a\tb']) {
    expect(unreadableIn(text, { lines: true })).toBeNull();
    expect(unreadableIn(text, { lines: false })).toMatch(/^U\+000[9AD]$/);
  }
});

/** Texts that a stricter rule of their own reads: ids, addresses, hashes, signatures, codes, symbols, pictures. */
const READ_BY_A_RULE =
  /(^|\.)(payout_wallet_id|endpoint_id|session|payment|address|sender|account|from|to|tx_hash|signature|sender_signature|refund_address|code|nonce|token|invitation|email|receipt|asset|network|pay_asset|pay_network|accepted_assets|frame_parents|cursor|picture)$/;

test('every free text of a request body is readable', () => {
  const free: string[] = [];
  for (const one of Object.values({ ...endpoints.endpoints, ...dashboard }) as {
    operationId?: string;
    body?: TSchema;
  }[])
    if (one?.operationId && one.body) collect(one.body, one.operationId, free);
  expect(free.filter((path) => !READ_BY_A_RULE.test(path))).toEqual([]);
});

/** The strings of a schema that nothing restricts but their length. */
function collect(schema: TSchema, path: string, into: string[]): void {
  const { type, pattern, format, text, enum: choices, const: only } = schema;
  const { anyOf, items, properties, additionalProperties } = schema;
  if (type === 'string' && !pattern && !format && !text && !choices && only === undefined) into.push(path);
  for (const one of anyOf ?? []) collect(one, path, into);
  if (items) collect(items, path, into);
  if (typeof additionalProperties === 'object') collect(additionalProperties, `${path}.*`, into);
  for (const [name, one] of Object.entries(properties ?? {})) collect(one as TSchema, `${path}.${name}`, into);
}
