/** The sentences of a language by their English ones: as text, or a form for each kind of number that the language knows. */
export type Catalog = Readonly<Record<string, string | Partial<Record<Intl.LDMLPluralRule, string>>>>;
