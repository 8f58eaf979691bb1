import { describe, expect, test } from 'vitest';
import { LANGUAGES, type Locale } from '../languages.ts';
import type { English, Message } from './messages.ts';

type Messages = Readonly<Record<string, Message | undefined>>;

/**
 * Declares the tests of what a user interface's catalogs have. `load` returns the messages of a language by key. A
 * sentence that a language lacks is shown in English.
 */
export function checkCatalogs(english: English, load: (locale: Locale) => Promise<Messages> | Messages): void {
  describe.each(Object.keys(LANGUAGES) as Locale[])('%s', (locale) => {
    test('has no message that English lacks', async () => {
      expect(Object.keys(await load(locale)).filter((key) => !(key in english))).toEqual([]);
    });

    test('has the same placeholders in every message', async () => {
      const catalog = await load(locale);
      for (const [key, message] of Object.entries(english)) {
        const names = namesIn(formsOf(message).at(-1));
        for (const form of formsOf(catalog[key] ?? message)) {
          expect(form.trim(), key).not.toBe('');
          // A form of one number may name it in words.
          const isInWords = typeof message === 'object' && !form.includes('{count}');
          expect(namesIn(form), key).toEqual(isInWords ? names.filter((name) => name !== 'count') : names);
        }
      }
    });

    test('has exactly the plural forms of its language, where English has plural forms', async () => {
      const catalog = await load(locale);
      const { pluralCategories } = new Intl.PluralRules(locale).resolvedOptions();
      for (const [key, message] of Object.entries(english)) {
        const translated = catalog[key];
        if (translated === undefined) continue;
        expect(typeof translated, key).toBe(typeof message);
        if (typeof translated === 'object')
          expect(Object.keys(translated).sort(), key).toEqual(pluralCategories.toSorted());
      }
    });

    test('names the number in every plural form of several numbers', async () => {
      const rules = new Intl.PluralRules(locale);
      const numbersOf = (category: string) =>
        Array.from({ length: 1000 }, (_, number) => number).filter((number) => rules.select(number) === category);
      for (const [key, message] of Object.entries(await load(locale))) {
        if (message === undefined || typeof message === 'string') continue;
        for (const [category, form] of Object.entries(message))
          if (numbersOf(category).some((number) => number > 2))
            expect(form, `${key}: ${category}`).toContain('{count}');
      }
    });
  });
}

function formsOf(message: Message): string[] {
  return typeof message === 'string' ? [message] : Object.values(message);
}

function namesIn(text = ''): string[] {
  return [...new Set([...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string))].sort();
}
