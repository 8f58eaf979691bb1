import type { TSchema } from '@sinclair/typebox';
import { expect, test } from 'vitest';
import * as endpoints from './endpoints/index.ts';
import * as dashboard from './dashboard/endpoints.ts';
import { unreadableIn } from './readable-text.ts';

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
])('%j contains %s', (text, character) => {
  for (const lines of [false, true]) expect(unreadableIn(text, { lines })).toBe(character);
});

test('line breaks are for texts of several lines', () => {
  for (const text of ['one\ntwo', 'one\r\ntwo', 'a\tb']) {
    expect(unreadableIn(text, { lines: true })).toBeNull();
    expect(unreadableIn(text, { lines: false })).toMatch(/^U\+000[9AD]$/);
  }
});

/** Texts that are read by a rule of their own, which is stricter: ids, addresses, hashes, signatures, codes, symbols. */
const READ_BY_A_RULE =
  /(^|\.)(payout_wallet_id|endpoint_id|session|payment|address|sender|account|from|to|tx_hash|signature|sender_signature|refund_address|code|nonce|token|invitation|email|receipt|asset|network|pay_asset|pay_network|accepted_assets|frame_parents|cursor)$/;

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
