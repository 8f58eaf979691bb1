import { checkCatalogs } from '../../ui/i18n/check.ts';
import { catalogs } from './catalogs.ts';
import en from './en.ts';

checkCatalogs(en, (locale) => catalogs[locale]);
