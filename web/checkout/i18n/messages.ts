import type en from './en.ts';

/** A sentence with `{name}` placeholders, or one per plural form chosen by `{count}`. */
export type Message = string | Partial<Record<Intl.LDMLPluralRule, string>>;
export type MessageKey = keyof typeof en;
/** Every sentence of the pages in one language. */
export type Catalog = Record<MessageKey, Message>;

export type Translate = (key: MessageKey, values?: Record<string, string | number>) => string;

/** Translates into one language. */
export function translator(locale: string, catalog: Catalog): Translate {
  const plurals = new Intl.PluralRules(locale);
  // In right-to-left text, Latin names and amounts are isolated from the text around them.
  const [open, close] = directionOf(locale) === 'rtl' ? ['\u2068', '\u2069'] : ['', ''];
  return (key, values = {}) => {
    const message = catalog[key];
    const text =
      typeof message === 'string' ? message : (message[plurals.select(Number(values.count))] ?? message.other ?? '');
    return text.replace(/\{(\w+)\}/g, (place, name: string) =>
      name in values ? `${open}${values[name]}${close}` : place,
    );
  };
}

const RIGHT_TO_LEFT = new Set(['ar', 'ur']);

export function directionOf(locale: string): 'ltr' | 'rtl' {
  return RIGHT_TO_LEFT.has(locale) ? 'rtl' : 'ltr';
}
