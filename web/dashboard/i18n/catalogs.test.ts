import { describe, expect, test } from 'vitest';
import { LANGUAGES } from '../../ui/languages.ts';
import { catalogs } from './catalogs.ts';
import { usedSentences } from './sentences.ts';

const spoken = usedSentences();
const placesOf = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort();

test('the dashboard speaks the languages of the checkout', () => {
  expect(['en', ...Object.keys(catalogs)].sort()).toEqual(Object.keys(LANGUAGES).sort());
  expect(spoken.size).toBeGreaterThan(400);
});

describe.each(Object.entries(catalogs))('%s', (locale, load) => {
  test('contains every sentence of the dashboard and no others', async () => {
    const { default: catalog } = await load();
    expect([...spoken.keys()].filter((sentence) => !(sentence in catalog))).toEqual([]);
    expect(Object.keys(catalog).filter((sentence) => !spoken.has(sentence))).toEqual([]);
  });

  test('has the same places in every sentence', async () => {
    const { default: catalog } = await load();
    for (const [sentence, translated] of Object.entries(catalog)) {
      const forms = typeof translated === 'string' ? [translated] : Object.values(translated);
      for (const form of forms) {
        expect(form.trim(), sentence).not.toBe('');
        // One, two and zero may be words.
        const wanted = placesOf(sentence).filter(
          (name) => typeof translated === 'string' || name !== 'count' || form.includes('{count}'),
        );
        expect(placesOf(form), sentence).toEqual(wanted);
      }
    }
  });

  test('has every plural form of its language where a number decides', async () => {
    const { default: catalog } = await load();
    const needed = new Intl.PluralRules(locale).resolvedOptions().pluralCategories.toSorted();
    for (const [sentence, { isCounted }] of spoken) {
      const translated = catalog[sentence];
      expect(typeof translated, sentence).toBe(isCounted ? 'object' : 'string');
      if (typeof translated === 'object') expect(Object.keys(translated).toSorted(), sentence).toEqual(needed);
    }
  });
});
