import { base58 as reference } from '@scure/base';
import { expect, test } from 'vitest';
import { base58 } from './solana.ts';

test('bytes are written like everyone else writes them', () => {
  for (let seed = 0; seed < 200; seed++) {
    const bytes = Uint8Array.from({ length: seed % 70 }, (_, at) => (at < seed % 4 ? 0 : (seed * 31 + at * 17) % 256));
    expect(base58(bytes)).toBe(reference.encode(bytes));
  }
});
