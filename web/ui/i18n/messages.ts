/** A text with `{name}` placeholders, or one for each plural form, chosen by `{count}`. */
export type Message = string | PluralForms;
type PluralForms = Partial<Record<Intl.LDMLPluralRule, string>>;

/** The English messages of a user interface, by key. Their literal types give the keys and the parameters. */
export type English = Readonly<Record<string, Message>>;

/** Every message of a user interface in one language. */
export type Catalog<Source extends English> = {
  readonly [Key in keyof Source]: Source[Key] extends string ? string : PluralForms;
};

/** The keys whose messages need no parameters other than `Given`. */
export type MessageKey<Source extends English, Given extends string = never> = {
  [Key in keyof Source]: NamesIn<Source[Key]> extends Given ? Key : never;
}[keyof Source] &
  string;

/** The text of a message. Every parameter of the message is given, and no other. */
export type Translate<Source extends English> = <Key extends keyof Source & string>(
  key: Key,
  ...values: Values<Source[Key]>
) => string;

/** The arguments with the parameters of a message: none, or one object. */
export type Values<Text extends Message> = [NamesIn<Text>] extends [never]
  ? []
  : [values: { [Name in NamesIn<Text>]: Name extends 'count' ? number : string | number }];

type NamesIn<Text> = Text extends string ? NamesInText<Text> : NamesInText<Text[keyof Text]>;
type NamesInText<Text> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesInText<Rest> : never;

/**
 * Translates into one language. A key without a message is its own message: the dashboard's keys are English. With a
 * `mark`, plain decimal amounts among the parameters are written with it.
 */
export function translator<Source extends English>(
  locale: string,
  catalog: Partial<Catalog<Source>>,
  mark = '.',
): Translate<Source> {
  const messages: Readonly<Record<string, Message | undefined>> = catalog;
  const plurals = new Intl.PluralRules(locale);
  // In right-to-left text, Latin names and amounts are isolated from the text around them.
  const [open, close] = directionOf(locale) === 'rtl' ? ['\u2068', '\u2069'] : ['', ''];
  return (key: string, values: Readonly<Record<string, string | number>> = {}) => {
    const message = messages[key] ?? key;
    const text =
      typeof message === 'string' ? message : (message[plurals.select(Number(values.count))] ?? message.other ?? key);
    // An amount and its asset are isolated together, so that they stay in this order.
    const filled = text.replace(
      /\{\w+\}( \{\w+\})*/g,
      (places) =>
        `${open}${places.replace(/\{(\w+)\}/g, (place, name: string) => shown(values[name] ?? place, mark))}${close}`,
    );
    return open && message === key ? `\u2066${filled}\u2069` : filled;
  };
}

/** A decimal amount as the language writes it; anything else as it is. */
function shown(value: string | number, mark: string): string {
  return String(value).replace(/^(\d+)\.(\d+)$/, `$1${mark}$2`);
}

const RIGHT_TO_LEFT = new Set(['ar', 'ur']);

export function directionOf(locale: string): 'ltr' | 'rtl' {
  return RIGHT_TO_LEFT.has(locale) ? 'rtl' : 'ltr';
}
