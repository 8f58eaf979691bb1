import { createContext, type ReactNode, useContext, useMemo, useState } from 'react';
import { directionOf } from '../../ui/i18n/messages.ts';
import { LANGUAGES, type Locale } from '../../ui/languages.ts';
import { catalogs } from '../i18n/catalogs.ts';
import { plurals } from '../i18n/en.ts';
import { type Catalog, type Translate, translator } from '../i18n/messages.ts';
import { showOfflineIn } from './offline.ts';

export type { MessageKey, Translate } from '../i18n/messages.ts';

interface LoadedLanguage {
  locale: Locale;
  catalog: Catalog | typeof plurals;
}

export interface Language {
  locale: Locale;
  t: Translate;
}

interface ChosenLanguage extends Language {
  setLocale(locale: Locale): void;
}

const LanguageContext = createContext<ChosenLanguage | null>(null);

/** This browser's language and its catalog. Call it before anything is shown. */
export async function loadFirstLanguage(): Promise<LoadedLanguage> {
  return loadLanguage(firstLocale());
}

export function LanguageProvider({ first, children }: { first: LoadedLanguage; children: ReactNode }) {
  const [{ locale, catalog }, setLoaded] = useState(first);
  const language = useMemo<ChosenLanguage>(
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
  const english: LoadedLanguage = { locale: 'en', catalog: plurals };
  const loaded =
    locale === 'en'
      ? english
      : await catalogs[locale]().then(
          ({ default: catalog }): LoadedLanguage => ({ locale, catalog }),
          () => english,
        );
  // Before anything is rendered, because amounts depend on the text direction.
  document.documentElement.lang = loaded.locale;
  document.documentElement.dir = directionOf(loaded.locale);
  showOfflineIn(loaded.locale);
  return loaded;
}

export function useLanguage(): ChosenLanguage {
  const language = useContext(LanguageContext);
  if (!language) throw new Error('useLanguage needs a LanguageProvider');
  return language;
}

export function useT(): Translate {
  return useLanguage().t;
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
