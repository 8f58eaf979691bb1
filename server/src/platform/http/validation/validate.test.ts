import { endpoints } from '@quittance/contract';
import * as dashboard from '@quittance/contract/dashboard';
import { type TSchema, Type } from '@sinclair/typebox';
import { describe, expect, test } from 'vitest';
import type { Endpoint } from '../../../../../contract/src/endpoint.ts';
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

/** A field, by its path, and a body that has a value there and what is required around it. */
type Field = readonly [path: string, put: (value: unknown) => unknown];

/** The fields of a body, and those inside of them. */
function fieldsOf(schema: TSchema, path = '', put: Field[1] = (value) => value): Field[] {
  const { anyOf = [], properties = {}, items, patternProperties = {} } = schema;
  const under = (name: string, inner: TSchema, around: Field[1]): Field[] => [
    [name, around],
    ...fieldsOf(inner, name, around),
  ];
  return [
    ...anyOf.flatMap((branch: TSchema) => fieldsOf(branch, path, put)),
    ...Object.entries<TSchema>(properties).flatMap(([key, inner]) =>
      under(path === '' ? key : `${path}.${key}`, inner, (value) => put({ ...requiredOf(schema), [key]: value })),
    ),
    ...(items ? under(`${path}[0]`, items, (value) => put([value])) : []),
    ...Object.values<TSchema>(patternProperties).flatMap((inner) =>
      under(`${path}.key`, inner, (value) => put({ key: value })),
    ),
  ];
}

function requiredOf({ properties = {}, required = [] }: TSchema): object {
  return Object.fromEntries(required.map((name: string) => [name, sampleOf(properties[name])]));
}

function sampleOf(schema: TSchema): unknown {
  if (schema.examples?.length > 0) return structuredClone(schema.examples[0]);
  if (schema.anyOf) return sampleOf(schema.anyOf[0]);
  if (schema.type === 'object') return requiredOf(schema);
  if (schema.type === 'array') return [sampleOf(schema.items)];
  if (schema.type === 'integer') return schema.minimum ?? 1;
  if (schema.type === 'boolean') return true;
  // Those without an example are of ids: `^rf_[0-9A-Za-z]{1,40}$`.
  return schema.const ?? schema.enum?.[0] ?? `${(schema.pattern ?? '').replace(/^\^|\[.*/g, '')}1`;
}

const KINDS: Record<string, (value: unknown) => boolean> = {
  null: (value) => value === null,
  'an array': Array.isArray,
  'an object': (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'a string': (value) => typeof value === 'string',
  'a number': (value) => typeof value === 'number',
  'a number with decimals': (value) => typeof value === 'number' && !Number.isInteger(value),
  'true or false': (value) => typeof value === 'boolean',
};
const BOUNDS: [reason: RegExp, isSo: (value: any, limit: number) => boolean][] = [
  [/must be ([-.\d]+) or more\.$/, (value, limit) => value < limit],
  [/must be ([-.\d]+) or less\.$/, (value, limit) => value > limit],
  [/must have at least (\d+) \w+\.$/, ({ length }, limit) => length < limit],
  [/must have at most (\d+) \w+\.$/, ({ length }, limit) => length > limit],
  [/must not be (empty)\.$/, ({ length }) => length === 0],
];

/** Whether a reason says of a value what is not so. */
function isUntrue(reason: string, value: unknown): boolean {
  const [, kind] = /, not ([a-z ]+)\.$/.exec(reason) ?? [];
  if (kind !== undefined && !KINDS[kind]?.(value)) return true;
  return BOUNDS.some(([form, isSo]) => {
    const [, limit] = form.exec(reason) ?? [];
    return limit !== undefined && !isSo(value, Number(limit));
  });
}

const bodies = (Object.values({ ...endpoints, ...dashboard }) as Partial<Endpoint>[]).flatMap((one) =>
  one.body ? [[one.operationId, one.body] as const] : [],
);

describe.each(bodies)('%s', (_operationId, body) => {
  test('no reason contradicts itself or the value, whatever is sent for a field or a field of one', () => {
    const check = bodyCheck(body);
    for (const [path, put] of fieldsOf(body)) {
      const reasons = VALUES.map((value) => [value, check(put(value), CODE)?.message ?? ''] as const);
      for (const [value, message] of reasons) {
        const what = `${path} of ${JSON.stringify(value)}: ${message}`;
        expect(message, what).not.toMatch(/must be (.*\bor )?(an? )?(.+?), not (an? )?\3\.$/);
        expect(message, what).not.toMatch(/must be a whole number.*, not a (whole )?number\./);
        expect(message, what).not.toMatch(/^`?(undefined|null)|\[object/);
        if (message.startsWith(`\`${path}\` `)) expect(isUntrue(message, value), what).toBe(false);
      }
      // None of them is everything that a field may be.
      expect(
        reasons.some(([, message]) => message.startsWith(`\`${path}`)),
        path,
      ).toBe(true);
    }
  });
});
