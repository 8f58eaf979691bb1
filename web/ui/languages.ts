import type { Locale } from '@quittance/contract';

/** The languages of the checkout and the dashboard, each under its own name. */
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
} as const satisfies Record<Locale, string>;

export type { Locale };
