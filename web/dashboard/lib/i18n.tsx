import { createContext, type ReactNode, useContext, useMemo, useState } from 'react';
import type { Catalog } from '../i18n/catalog.ts';
import { LANGUAGES, type Locale } from '../../ui/languages.ts';
import { catalogs } from '../i18n/catalogs.ts';

/** An English sentence with `{name}` placeholders, or one per plural form chosen by `{count}`. It is its own key. */
export type Sentence = string | { one: string; other: string };
export type Values = Record<string, string | number>;
export type Translate = (sentence: Sentence, values?: Values) => string;

interface Spoken {
  locale: Locale;
  catalog: Catalog;
}

interface Speech {
  locale: Locale;
  t: Translate;
  setLocale(locale: Locale): void;
}

const SpeechContext = createContext<Speech | null>(null);
const RIGHT_TO_LEFT = new Set<string>(['ar', 'ur']);

/** This browser's language and its catalog. Call it before anything is shown. */
export async function firstSpeech(): Promise<Spoken> {
  return speak(firstLocale());
}

export function SpeechProvider({ first, children }: { first: Spoken; children: ReactNode }) {
  const [{ locale, catalog }, setSpoken] = useState(first);
  const speech = useMemo<Speech>(
    () => ({
      locale,
      t: translator(locale, catalog),
      setLocale(next) {
        localStorage.setItem('locale', next);
        void speak(next).then(setSpoken);
      },
    }),
    [locale, catalog],
  );
  return <SpeechContext value={speech}>{children}</SpeechContext>;
}

/** English is in the sources, and is used if another language's catalog does not load. */
async function speak(locale: Locale): Promise<Spoken> {
  const spoken = await wordsOf(locale).then(
    (catalog): Spoken => ({ locale, catalog }),
    (): Spoken => ({ locale: 'en', catalog: {} }),
  );
  // Before anything is rendered, because amounts depend on the text direction.
  document.documentElement.lang = spoken.locale;
  document.documentElement.dir = RIGHT_TO_LEFT.has(spoken.locale) ? 'rtl' : 'ltr';
  return spoken;
}

async function wordsOf(locale: Locale): Promise<Catalog> {
  return locale === 'en' ? {} : (await catalogs[locale]()).default;
}

export function useSpeech(): Speech {
  const speech = useContext(SpeechContext);
  if (!speech) throw new Error('no language is spoken here');
  return speech;
}

export function useT(): Translate {
  return useSpeech().t;
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
  const spoken = Object.keys(LANGUAGES) as Locale[];
  const languageOf = (tag: string) => tag.split('-')[0];
  for (const tag of [localStorage.getItem('locale') ?? '', ...navigator.languages]) {
    const found =
      spoken.find((locale) => locale === tag) ?? spoken.find((locale) => languageOf(locale) === languageOf(tag));
    if (found) return found;
  }
  return 'en';
}
