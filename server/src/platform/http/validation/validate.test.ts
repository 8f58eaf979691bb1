import { endpoints } from '@quittance/contract';
import { Type } from '@sinclair/typebox';
import { describe, expect, test } from 'vitest';
import { bodyCheck, queryCheck } from './validate.ts';

const CODE = 'invalid_request';
const count = Type.Object({ count: Type.Integer({ minimum: 1, maximum: 100 }), on: Type.Optional(Type.Boolean()) });

test.each<[unknown, string]>([
  [60.5, '`count` must be a whole number, not a number with decimals.'],
  [Number.POSITIVE_INFINITY, '`count` must be 100 or less.'],
  ['60', '`count` must be a whole number, not a string.'],
  [101, '`count` must be 100 or less.'],
])('a whole number of a body: %j is refused with its reason', (value, message) => {
  expect(bodyCheck(count)({ count: value }, CODE)?.message).toBe(message);
});

test.each<[string, string]>([
  ['60.5', '`count` must be a whole number, not `60.5`.'],
  ['abc', '`count` must be a whole number, not `abc`.'],
  ['', '`count` must be a whole number, not an empty text.'],
  ['99999999999999999999', '`count` must be 100 or less.'],
  ['-3', '`count` must be 1 or more.'],
  [`1${'0'.repeat(400)}`, '`count` must be a whole number, not this text.'],
  ['\u202e7', '`count` must be a whole number, not this text.'],
])('a whole number of a query: %j is refused with its reason', (value, message) => {
  expect(queryCheck(count)({ count: value }, CODE)?.message).toBe(message);
});

test('a switch of a query says what it was', () => {
  expect(queryCheck(count)({ count: '1', on: 'yes' }, CODE)?.message).toBe('`on` must be true or false, not `yes`.');
});

/** Of every type, and near the limits of each. */
const VALUES = [
  null,
  true,
  0,
  -1,
  60.5,
  Number.POSITIVE_INFINITY,
  '',
  ' ',
  'x',
  '60',
  '60.5',
  '\ufeffx',
  'é'.repeat(5_000),
  [],
  [1],
  {},
  { a: 1 },
];
const bodies = Object.values(endpoints).flatMap(({ operationId, body }) =>
  body && 'properties' in body ? [[operationId, body] as const] : [],
);

describe.each(bodies)('%s', (_operationId, body) => {
  test('no reason contradicts itself, whatever is sent for a field', () => {
    const check = bodyCheck(body);
    const required = Object.fromEntries(
      Object.entries(body.properties as Record<string, { examples?: unknown[] }>)
        .filter(([name]) => ((body.required ?? []) as string[]).includes(name))
        .map(([name, { examples }]) => [name, structuredClone(examples?.[0])]),
    );
    for (const name of Object.keys(body.properties as object))
      for (const value of VALUES) {
        const message = check({ ...required, [name]: value }, CODE)?.message ?? '';
        expect(message, `${name} of ${JSON.stringify(value)}`).not.toMatch(
          /must be (.*\bor )?(an? )?(.+?), not (an? )?\3\.$/,
        );
        expect(message).not.toMatch(/must be a whole number.*, not a (whole )?number\./);
        expect(message).not.toMatch(/^`?(undefined|null)|\[object/);
      }
  });
});
