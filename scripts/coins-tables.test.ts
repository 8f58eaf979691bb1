import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { COINS, withCoins } from './coins-tables.ts';

test('the guide of coins, fees and limits says what the code does (`npm run docs` writes it)', () => {
  const guide = readFileSync(COINS, 'utf8');
  expect(guide).toBe(withCoins(guide));
});
