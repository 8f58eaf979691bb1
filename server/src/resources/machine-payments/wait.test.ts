import { expect, test } from 'vitest';
import { waitOf } from './wait.ts';

test.each([
  [undefined, 25_000],
  ['respond-async', 25_000],
  ['wait=3', 3_000],
  ['respond-async, wait=0', 0],
  ['wait=25', 25_000],
  ['wait=26', 25_000],
  ['wait=99999', 25_000],
  ['wait=-1', 25_000],
  [['wait=5', 'handling=lenient'], 5_000],
])('a request with Prefer: %j waits %i ms, never longer than 25 seconds', (prefer, expected) => {
  expect(waitOf(prefer)).toBe(expected);
});
