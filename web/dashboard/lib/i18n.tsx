import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react';
import { catalogs, LANGUAGES, type Locale } from '../i18n/catalogs.ts';

/** A sentence in English with `{name}` places, or one per plural form chosen by `{count}`. It is its own key. */
export type Sentence = string | { one: string; other: string };
export type Values = Record<string, string | number>;
export type Translate = (sentence: Sentence, values?: Values) => string;
export type Catalog = Readonly<Record<string, string | Partial<Record<Intl.LDMLPluralRule, string>>>>;

interface Speech {
  locale: Locale;
  t: Translate;
  setLocale(locale: Locale): void;
}

const SpeechContext = createContext<Speech | null>(null);
const RIGHT_TO_LEFT = new Set<string>(['ar', 'ur']);

export function SpeechProvider({ children }: { children: ReactNode }) {
  const [locale, setLocale] = useState<Locale>(firstLocale);
  useEffect(() => {
    document.documentElement.lang = locale;
    document.documentElement.dir = RIGHT_TO_LEFT.has(locale) ? 'rtl' : 'ltr';
  }, [locale]);
  const speech = useMemo<Speech>(() => ({
    locale,
    t: translator(locale),
    setLocale(next) {
      localStorage.setItem('locale', next);
      setLocale(next);
    },
  }), [locale]);
  return <SpeechContext value={speech}>{children}</SpeechContext>;
}

export function useSpeech(): Speech {
  const speech = useContext(SpeechContext);
  if (!speech) throw new Error('no language is spoken here');
  return speech;
}

export function useT(): Translate {
  return useSpeech().t;
}

export function translator(locale: string): Translate {
  const plurals = new Intl.PluralRules(locale);
  const catalog: Catalog = catalogs[locale] ?? {};
  return (sentence, values = {}) => {
    const form = plurals.select(Number(values.count));
    const known = catalog[typeof sentence === 'string' ? sentence : sentence.other];
    const translated = typeof known === 'object' ? known[form] ?? known.other : known;
    const english = typeof sentence === 'string' ? sentence : Number(values.count) === 1 ? sentence.one : sentence.other;
    return (translated ?? english).replace(/\{(\w+)\}/g, (place, name: string) => String(values[name] ?? place));
  };
}

function firstLocale(): Locale {
  const wanted = [localStorage.getItem('locale') ?? '', ...navigator.languages];
  for (const tag of wanted) {
    const found = (Object.keys(LANGUAGES) as Locale[]).find((locale) => locale === tag || locale === tag.split('-')[0]);
    if (found) return found;
  }
  return 'en';
}
