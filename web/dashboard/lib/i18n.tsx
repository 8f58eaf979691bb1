import { createContext, type ReactNode, useContext, useMemo, useState } from 'react';
import type { Catalog } from '../i18n/catalog.ts';
import { LANGUAGES, type Locale } from '../../ui/languages.ts';
import { catalogs } from '../i18n/catalogs.ts';

/** An English sentence with `{name}` placeholders, or one per plural form chosen by `{count}`. It is its own key. */
export type Sentence = string | { one: string; other: string };
export type Values = Record<string, string | number>;
export type Translate = (sentence: Sentence, values?: Values) => string;

interface LoadedLanguage {
  locale: Locale;
  catalog: Catalog;
}

interface Language {
  locale: Locale;
  t: Translate;
  setLocale(locale: Locale): void;
}

const LanguageContext = createContext<Language | null>(null);
const RIGHT_TO_LEFT = new Set<string>(['ar', 'ur']);

/** This browser's language and its catalog. Call it before anything is shown. */
export async function loadFirstLanguage(): Promise<LoadedLanguage> {
  return loadLanguage(firstLocale());
}

export function LanguageProvider({ first, children }: { first: LoadedLanguage; children: ReactNode }) {
  const [{ locale, catalog }, setLoaded] = useState(first);
  const language = useMemo<Language>(
    () => ({
      locale,
      t: translator(locale, catalog),
      setLocale(next) {
        localStorage.setItem('locale', next);
        void loadLanguage(next).then(setLoaded);
      },
    }),
    [locale, catalog],
  );
  return <LanguageContext value={language}>{children}</LanguageContext>;
}

/** English is in the sources, and is used if another language's catalog does not load. */
async function loadLanguage(locale: Locale): Promise<LoadedLanguage> {
  const loaded = await wordsOf(locale).then(
    (catalog): LoadedLanguage => ({ locale, catalog }),
    (): LoadedLanguage => ({ locale: 'en', catalog: {} }),
  );
  // Before anything is rendered, because amounts depend on the text direction.
  document.documentElement.lang = loaded.locale;
  document.documentElement.dir = RIGHT_TO_LEFT.has(loaded.locale) ? 'rtl' : 'ltr';
  return loaded;
}

async function wordsOf(locale: Locale): Promise<Catalog> {
  return locale === 'en' ? {} : (await catalogs[locale]()).default;
}

export function useLanguage(): Language {
  const language = useContext(LanguageContext);
  if (!language) throw new Error('useLanguage needs a LanguageProvider');
  return language;
}

export function useT(): Translate {
  return useLanguage().t;
}

export function translator(locale: string, catalog: Catalog): Translate {
  const plurals = new Intl.PluralRules(locale);
  return (sentence, values = {}) => {
    const form = plurals.select(Number(values.count));
    const known = catalog[typeof sentence === 'string' ? sentence : sentence.other];
    const translated = typeof known === 'object' ? (known[form] ?? known.other) : known;
    const english =
      typeof sentence === 'string' ? sentence : Number(values.count) === 1 ? sentence.one : sentence.other;
    return (translated ?? english).replace(/\{(\w+)\}/g, (place, name: string) => String(values[name] ?? place));
  };
}

function firstLocale(): Locale {
  const locales = Object.keys(LANGUAGES) as Locale[];
  const languageOf = (tag: string) => tag.split('-')[0];
  for (const tag of [localStorage.getItem('locale') ?? '', ...navigator.languages]) {
    const found =
      locales.find((locale) => locale === tag) ?? locales.find((locale) => languageOf(locale) === languageOf(tag));
    if (found) return found;
  }
  return 'en';
}
