import * as i18n from '../../ui/i18n/messages.ts';
import { decimalMark } from '../money.ts';
import type en from './en.ts';

export type Catalog = i18n.Catalog<typeof en>;
/** A message that needs no parameters other than `Given`. */
export type MessageKey<Given extends string = never> = i18n.MessageKey<typeof en, Given>;
/** The arguments with the parameters of a message. */
export type Values<Key extends keyof typeof en> = i18n.Values<(typeof en)[Key]>;
export type Translate = i18n.Translate<typeof en>;

export function translator(locale: string, catalog: Partial<Catalog>): Translate {
  return i18n.translator<typeof en>(locale, catalog, decimalMark(locale));
}
