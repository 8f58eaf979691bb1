import type { Catalog } from './catalog.ts';

/** The languages the dashboard speaks, those of the checkout, each under its own name. English is in the sources. */
export const LANGUAGES = {
  en: 'English',
  ar: 'العربية',
  de: 'Deutsch',
  es: 'Español',
  fr: 'Français',
  hi: 'हिन्दी',
  ja: '日本語',
  'pt-BR': 'Português (Brasil)',
  ru: 'Русский',
  tr: 'Türkçe',
  ur: 'اردو',
  'zh-CN': '简体中文',
} as const;

export type Locale = keyof typeof LANGUAGES;

/** Each is fetched when somebody speaks it. */
export const catalogs: Readonly<Record<Exclude<Locale, 'en'>, () => Promise<{ default: Catalog }>>> = {
  ar: () => import('./ar.ts'),
  de: () => import('./de.ts'),
  es: () => import('./es.ts'),
  fr: () => import('./fr.ts'),
  hi: () => import('./hi.ts'),
  ja: () => import('./ja.ts'),
  'pt-BR': () => import('./pt-BR.ts'),
  ru: () => import('./ru.ts'),
  tr: () => import('./tr.ts'),
  ur: () => import('./ur.ts'),
  'zh-CN': () => import('./zh-CN.ts'),
};
