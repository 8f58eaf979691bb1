import { expect, test } from 'vitest';
import { createFirstReads } from './first-reads.ts';

test('reads that follow each other from one provider are one range, and each block has its reader', () => {
  const reads = createFirstReads();
  reads.note(0n, 10n, 'one');
  reads.note(10n, 20n, 'one');
  reads.note(20n, 30n, 'two');
  expect([0n, 19n, 20n, 29n].map(reads.by)).toEqual(['one', 'one', 'two', 'two']);
});

test('a range ends where another provider goes on, and the newest range is open', () => {
  const reads = createFirstReads();
  reads.note(0n, 10n, 'one');
  reads.note(10n, 20n, 'one');
  expect(reads.endOf(5n)).toBeUndefined();
  reads.note(20n, 30n, 'two');
  expect([0n, 5n, 19n].map(reads.endOf)).toEqual([20n, 20n, 20n]);
  expect(reads.endOf(20n)).toBeUndefined();
  expect(reads.endOf(99n)).toBeUndefined();
});
