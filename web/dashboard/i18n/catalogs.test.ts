import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { catalogs } from './catalogs.ts';

const folder = fileURLToPath(new URL('..', import.meta.url));
const sources = globSync('**/*.tsx', { cwd: folder }).map((file) => readFileSync(folder + file, 'utf8')).join('\n');
const said = [
  ...[...sources.matchAll(/\bt\(\s*'((?:[^'\\]|\\.)*)'/g)].map(([, sentence]) => sentence as string),
  ...[...sources.matchAll(/\bt\(\s*\{ one: '[^']*', other: '([^']*)' \}/g)].map(([, sentence]) => sentence as string),
  // The names of statuses and reasons stand in tables.
  ...[...readFileSync(`${folder}ui/status.tsx`, 'utf8').matchAll(/^ {2}.*$/gm)].flatMap(([line]) => [...line.matchAll(/: '([A-Z][^']+)'/g)].map(([, sentence]) => sentence as string)),
];

test.each(Object.entries(catalogs))('%s has every sentence of the dashboard, with the same places', (_locale, catalog) => {
  const placesOf = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort();
  expect(said.length).toBeGreaterThan(300);
  expect([...new Set(said)].filter((sentence) => !(sentence in catalog))).toEqual([]);
  for (const [sentence, translated] of Object.entries(catalog)) {
    const other = typeof translated === 'string' ? translated : translated.other ?? '';
    expect([sentence, placesOf(other)]).toEqual([sentence, placesOf(sentence)]);
  }
});
