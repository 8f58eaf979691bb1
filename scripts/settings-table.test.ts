import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ENVIRONMENT, environment, OPERATING, withTable } from './settings-table.ts';

test('docs/operating.md and .env.example list every setting as config.ts has it (`npm run docs` writes them)', () => {
  const operating = readFileSync(OPERATING, 'utf8');
  expect(operating).toBe(withTable(operating));
  expect(readFileSync(ENVIRONMENT, 'utf8')).toBe(environment());
  expect(environment()).not.toContain('](');
});
