import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { OPERATING, withTables } from './retention-table.ts';

test('docs/operating.md lists every table as it is declared (`npm run docs` writes it)', () => {
  const operating = readFileSync(OPERATING, 'utf8');
  expect(operating).toBe(withTables(operating));
});
