import { expect, test } from 'vitest';
import { jsonBytes } from './pagination.ts';

test.each([
  'text',
  '"quoted" \\ and\nbroken \u0001',
  'München 漢字 👍 \ud800',
  12.5,
  -3,
  true,
  null,
  [],
  {},
  [1, 'two', [3, null, undefined]],
  { a: 1, 'b"': { c: undefined, d: ['e', { f: false }] }, g: undefined },
])('%j is measured as it is written', (value) => {
  expect(jsonBytes(value)).toBe(Buffer.byteLength(JSON.stringify(value)));
});
