import { expect, test, vi } from 'vitest';
import { SECOND_MS } from '../../../platform/time.ts';
import { ReadLimit } from './read-limit.ts';

test('a pass whose blocks take longer than half a minute is given that long again, until one takes less', async () => {
  vi.useFakeTimers();
  try {
    const limit = new ReadLimit();
    const limitFor = async (seconds: number, blocks = 1) => {
      let given = 0;
      const read = async (limitMs: number) => {
        given = limitMs / SECOND_MS;
        await vi.advanceTimersByTimeAsync(Math.min(limitMs, seconds * SECOND_MS));
        if (seconds >= given) throw new Error('not finished');
      };
      await limit.over(blocks, read).catch(() => {});
      return given;
    };
    // 16 blocks are halved four times.
    for (let turn = 0; turn < 5; turn += 1) expect(await limitFor(35, 16)).toBe(30);
    for (let turn = 0; turn < 20; turn += 1) expect(await limitFor(35, 16)).toBe(60);
    expect(await limitFor(100)).toBe(60);
    // What was not needed after all is not kept.
    expect(await limitFor(35)).toBe(120);
    expect(await limitFor(20)).toBe(60);
    expect(await limitFor(20)).toBe(30);
  } finally {
    vi.useRealTimers();
  }
});
