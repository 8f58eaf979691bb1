import en from './en.ts';

/** A sentence with `{name}` places, or one per plural form chosen by `{count}`. */
export type Message = string | Partial<Record<Intl.LDMLPluralRule, string>>;
export type MessageKey = keyof typeof en;
export type Catalog = Partial<Record<MessageKey, Message>>;

export type Translate = (key: MessageKey, values?: Record<string, string | number>) => string;

/** Speaks one language; what a catalog lacks is said in English. */
export function translator(locale: string, catalog: Catalog): Translate {
  const plurals = new Intl.PluralRules(locale);
  return (key, values = {}) => {
    const message: Message = catalog[key] ?? en[key];
    const text = typeof message === 'string'
      ? message
      : (message[plurals.select(Number(values.count))] ?? message.other ?? '');
    return text.replace(/\{(\w+)\}/g, (place, name: string) => String(values[name] ?? place));
  };
}

const RIGHT_TO_LEFT = new Set(['ar', 'ur', 'he', 'fa']);

export function directionOf(locale: string): 'ltr' | 'rtl' {
  return RIGHT_TO_LEFT.has(locale.split('-')[0] ?? '') ? 'rtl' : 'ltr';
}
