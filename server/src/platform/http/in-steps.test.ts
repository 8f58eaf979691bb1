import { expect, test } from 'vitest';
import { inSteps } from './in-steps.ts';

const KIB = 1024;
const rows = Array.from({ length: 300 }, (_, at) => ({ createdAt: new Date(at), id: String(at) }));

async function sizesOfSteps(bytes: number, known?: number): Promise<number[]> {
  const steps = inSteps(
    {
      fetch: async ({ after, limit }) =>
        rows.filter(({ createdAt }) => !after || createdAt > after.createdAt).slice(0, limit),
      position: (row) => row,
      present: (row) => row,
      bytesOf: () => bytes,
    },
    { most: 101, rowBytes: known },
  );
  const sizes: number[] = [];
  for await (const step of steps) sizes.push(step.length);
  return sizes;
}

test('small rows are read in few steps, and rows of which nothing is known carefully first', async () => {
  expect(await sizesOfSteps(1_500)).toEqual([8, 16, 32, 44, 1]);
  expect(await sizesOfSteps(1_500, 1_500)).toEqual([26, 44, 31]);
});

test('large rows are read a few at a time, from the first step on if their size is known', async () => {
  expect(await sizesOfSteps(16 * KIB)).toEqual([8, ...Array(23).fill(4), 1]);
  expect(await sizesOfSteps(16 * KIB, 16 * KIB)).toEqual([...Array(25).fill(4), 1]);
  expect(await sizesOfSteps(256 * KIB, 256 * KIB)).toEqual(Array(101).fill(1));
});

test('rows that were small do not make the first step longer', async () => {
  expect((await sizesOfSteps(16 * KIB, 10))[0]).toBe(26);
});

test('between two steps there is a rest, and none after the last', async () => {
  const seen: string[] = [];
  const steps = inSteps(
    {
      fetch: async ({ after, limit }) => rows.slice(after ? Number(after.id) + 1 : 0, 20).slice(0, limit),
      position: (row) => row,
      present: (row) => row,
      bytesOf: () => 16 * KIB,
    },
    { most: 12, rest: async () => void seen.push('rest') },
  );
  for await (const step of steps) seen.push(`${step.length} rows`);
  expect(seen).toEqual(['8 rows', 'rest', '4 rows']);
});
