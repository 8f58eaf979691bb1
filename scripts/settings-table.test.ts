import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { PRODUCTION_SETTINGS } from '../server/src/config/settings.ts';
import { ENVIRONMENT, environment, OPERATING, withTable } from './settings-table.ts';

test('docs/operating.md and .env.example list every setting as config.ts has it (`npm run docs` writes them)', () => {
  const operating = readFileSync(OPERATING, 'utf8');
  expect(operating).toBe(withTable(operating));
  expect(readFileSync(ENVIRONMENT, 'utf8')).toBe(environment());
  expect(environment()).not.toContain('](');
});

test('.env.example begins with the settings of production, which are those that the guide for Debian fills in', () => {
  const guide = readFileSync(new URL('../docs/guides/on-debian.md', import.meta.url), 'utf8');
  const names = (text: string) => [...text.matchAll(/^(?:# )?([A-Z_]+)=/gm)].map(([, name]) => name);
  const production = PRODUCTION_SETTINGS.map(({ name }) => name);
  expect(production).toHaveLength(10);
  expect(names(/END\n([\s\S]*?)^END$/m.exec(guide)?.[1] ?? '')).toEqual(production);
  expect(names(environment()).slice(0, production.length)).toEqual(production);
});
