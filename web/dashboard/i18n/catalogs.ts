import type { Locale } from '../../ui/languages.ts';
import type { Catalog } from './messages.ts';

/** Each is loaded when it is first used. */
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
