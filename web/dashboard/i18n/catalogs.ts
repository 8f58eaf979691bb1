import type { Catalog } from '../lib/i18n.tsx';
import ar from './ar.ts';

/** The languages the dashboard speaks, each under its own name. English is in the sources. */
export const LANGUAGES = { en: 'English', ar: 'العربية' } as const;

export type Locale = keyof typeof LANGUAGES;

export const catalogs: Readonly<Record<string, Catalog>> = { ar };
