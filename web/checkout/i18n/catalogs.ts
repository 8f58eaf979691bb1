import en from './en.ts';
import type { Catalog } from './messages.ts';

/** Every language the pages speak. */
export const catalogs: Record<string, Catalog> = { en };
