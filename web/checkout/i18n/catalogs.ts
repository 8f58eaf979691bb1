import ar from './ar.ts';
import de from './de.ts';
import en from './en.ts';
import es from './es.ts';
import fr from './fr.ts';
import hi from './hi.ts';
import ja from './ja.ts';
import type { Locale } from '../../ui/languages.ts';
import type { Catalog } from './messages.ts';
import ptBr from './pt-BR.ts';
import ru from './ru.ts';
import tr from './tr.ts';
import ur from './ur.ts';
import zhCn from './zh-CN.ts';

/** Every language of the pages. Only the server has them all; a page gets its own. */
export const catalogs: Record<Locale, Catalog> = {
  en,
  ar,
  de,
  es,
  fr,
  hi,
  ja,
  'pt-BR': ptBr,
  ru,
  tr,
  ur,
  'zh-CN': zhCn,
};
