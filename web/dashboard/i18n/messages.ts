import * as i18n from '../../ui/i18n/messages.ts';
import type { plurals, sentences } from './en.ts';

/** Each sentence is its own key, and its own message in English. */
type English = { readonly [Sentence in (typeof sentences)[number]]: Sentence } & typeof plurals;

/** A language's messages. What it lacks is shown in English; `npm run program -- untranslated` lists it. */
export type Catalog = Partial<i18n.Catalog<English>>;
/** A message that needs no parameters other than `Given`. */
export type MessageKey<Given extends string = never> = i18n.MessageKey<English, Given>;
export type Translate = i18n.Translate<English>;

export const translator = i18n.translator<English>;
