import { describe, expect, test } from 'vitest';
import { catalogs } from './catalogs.ts';
import en from './en.ts';
import type { Message } from './messages.ts';

const places = (message: Message) => {
  const forms = typeof message === 'string' ? [message] : Object.values(message);
  return [...new Set(forms.flatMap((form) => form.match(/\{\w+\}/g) ?? []))].sort();
};

describe.each(Object.entries(catalogs))('%s', (locale, catalog) => {
  test('says everything that English says', () => {
    expect(Object.keys(catalog).sort()).toEqual(Object.keys(en).sort());
  });

  test('has the same places in every sentence', () => {
    for (const [key, message] of Object.entries(en))
      expect(places(catalog[key as keyof typeof en] ?? ''), key).toEqual(places(message as Message));
  });

  test('has every plural form of its language', () => {
    const needed = new Intl.PluralRules(locale).resolvedOptions().pluralCategories;
    for (const [key, message] of Object.entries(catalog)) {
      if (typeof message === 'object') expect(Object.keys(message), key).toEqual(expect.arrayContaining(needed));
    }
  });
});
