import { expect, test } from 'vitest';
import { releaseStartMemory } from './memory.ts';

test('what a start leaves behind is released, and programs cannot collect garbage themselves afterwards', () => {
  let leftBehind: unknown[] | undefined = Array.from({ length: 1_000_000 }, (_, at) => ({ at }));
  const before = process.memoryUsage().heapUsed;
  expect(leftBehind).toHaveLength(1_000_000);
  leftBehind = undefined;
  releaseStartMemory();
  expect(process.memoryUsage().heapUsed).toBeLessThan(before - 20_000_000);
  expect(globalThis.gc).toBeUndefined();
});
