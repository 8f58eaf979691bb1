import { expect, test } from 'vitest';
import { PermanentError, TemporaryError } from '../../platform/errors.ts';
import { at, isAbsent, readAnswer, readUsd, requireFormatted, requirePlain, toUnits } from './answer.ts';

test('every unexpected error inside a reader is a failure of the provider', () => {
  for (const surprise of [new TypeError('x'), new RangeError('x'), 'x', null]) {
    expect(() =>
      readAnswer('1Click', () => {
        throw surprise;
      }),
    ).toThrow(PermanentError);
  }
  expect(() =>
    readAnswer('1Click', () => {
      throw new TemporaryError('away');
    }),
  ).toThrow(TemporaryError);
});

test('an answer is plain up to 32 levels, 20,000 values and 100,000 characters', () => {
  const nested = (levels: number) => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`);
  expect(() => requirePlain(nested(33))).not.toThrow();
  expect(() => requirePlain(nested(34))).toThrow('nested too deeply');
  expect(() => requirePlain(nested(500_000))).toThrow('nested too deeply');
  expect(() => requirePlain(new Array(19_999).fill(0))).not.toThrow();
  expect(() => requirePlain(new Array(20_000).fill(0))).toThrow('too many values');
  expect(() => requirePlain({ text: 'x'.repeat(100_001) })).toThrow('too long');
});

test.each(['\u0000', '\ud800', 'a\udc00b'])('text like %j is rejected as a value and as a key', (text) => {
  expect(() => requirePlain({ list: [text] })).toThrow('not Unicode');
  expect(() => requirePlain({ [text]: 1 })).toThrow('not Unicode');
});

test('a number beyond the range of a double is rejected', () => {
  expect(() => requirePlain(JSON.parse('{"fee":1e999}'))).toThrow('out of range');
});

test('only own members are read, not inherited ones', () => {
  expect([at({ a: [{ b: 1 }] }, 'a', 0, 'b'), at({}, 'constructor'), at([], 'length', 'x'), at(null, 'a')]).toEqual([
    1,
    undefined,
    undefined,
    undefined,
  ]);
});

test('amounts are whole numbers of at most 36 digits', () => {
  expect(['0', '7', '9'.repeat(36), '9'.repeat(37), '-1', '1.0', '1e3', ' 1', '', 7, null].map(toUnits)).toEqual([
    0n,
    7n,
    BigInt('9'.repeat(36)),
    ...new Array(8).fill(undefined),
  ]);
});

test.each([
  ['0.1', true],
  ['0.10000000000000000000000', true],
  ['0.1000000999', true],
  ['0.1000002', false],
  ['0.0999998', false],
  ['1e-1', false],
  ['-0.1', false],
  ['', false],
  [0.1, false],
  [undefined, true],
  [null, true],
])('an amount of 0.1 coins repeated as %j is accepted: %s', (value, isFine) => {
  const check = () => requireFormatted('output', value, 100_000_000n, 9);
  if (isFine) expect(check).not.toThrow();
  else expect(check).toThrow(PermanentError);
});

test('dollars are parsed in millionths, and an empty field is absent', () => {
  expect([readUsd('fee', '1.5'), readUsd('fee', '0.0000019'), readUsd('fee', undefined)]).toEqual([
    1_500_000n,
    1n,
    undefined,
  ]);
  expect(() => readUsd('fee', 1.5)).toThrow(PermanentError);
  expect([undefined, null, '', 0, false, []].every(isAbsent)).toBe(true);
  expect(['0', {}, [0], 1].some(isAbsent)).toBe(false);
});
