import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { checkCatalogs } from '../../ui/i18n/check.ts';
import { catalogs } from './catalogs.ts';
import { plurals, sentences } from './en.ts';

const english = { ...Object.fromEntries(sentences.map((sentence) => [sentence, sentence])), ...plurals };

checkCatalogs(english, async (locale) => (locale === 'en' ? english : (await catalogs[locale]()).default));

test('every sentence is used, and its plural key is its English form', () => {
  const folder = fileURLToPath(new URL('..', import.meta.url));
  const sources = globSync('**/*.{ts,tsx}', { cwd: folder, exclude: ['i18n/**'] })
    .map((file) => readFileSync(folder + file, 'utf8'))
    .join('\n');
  expect(Object.keys(english).filter((sentence) => !sources.includes(`'${sentence}'`))).toEqual([]);
  for (const [key, { other }] of Object.entries(plurals)) expect(other).toBe(key);
});
