import { expect, test, vi } from 'vitest';
import type { Head } from '../chain.ts';
import { Behind, createHeads } from './heads.ts';

const head = (number: bigint, branch = 'a'): Head => ({ number, hash: `${branch}${number}`, time: new Date(Number(number) * 1000), safe: null, finalized: null });

test('a head that is a little older is taken for the last one, one far behind is refused', () => {
  const heads = createHeads(3n);
  heads.take('first', head(100n), 'one');
  expect(heads.take('first', head(98n), 'two').number).toBe(100n);
  expect(() => heads.take('first', head(50n), 'two')).toThrow(Behind);
  expect(() => heads.take('second', head(50n), 'two')).toThrow(Behind);
  expect(heads.take('first', head(101n), 'one').number).toBe(101n);
});

test('a lower head on another branch is believed at once', () => {
  const heads = createHeads(3n);
  for (let number = 90n; number <= 100n; number++) heads.take('first', head(number), 'one');
  expect(heads.take('first', head(95n, 'b'), 'one')).toMatchObject({ number: 95n, hash: 'b95' });
  expect(heads.take('first', head(96n, 'b'), 'one').number).toBe(96n);
});

test('a lower head that is told for half a minute is the truth', () => {
  const now = vi.spyOn(performance, 'now').mockReturnValue(0);
  const heads = createHeads(3n);
  heads.take('first', head(100n), 'one');
  expect(() => heads.take('first', head(5n), 'one')).toThrow(Behind);
  now.mockReturnValue(31_000);
  expect(heads.take('first', head(6n), 'one').number).toBe(6n);
  expect(heads.take('first', head(7n), 'one').number).toBe(7n);
  now.mockRestore();
});
