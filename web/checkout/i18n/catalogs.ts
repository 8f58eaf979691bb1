import en from './en.ts';
import type { Locale } from './languages.ts';
import type { Catalog } from './messages.ts';

/** Every language the pages speak. Only the server holds them all; a page is given its own. */
export const catalogs: Partial<Record<Locale, Catalog>> & { en: Catalog } = { en };
