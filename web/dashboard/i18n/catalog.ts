/**
 * The translations of a language by their English sentences: a text, or one form for each plural category of the
 * language.
 */
export type Catalog = Readonly<Record<string, string | Partial<Record<Intl.LDMLPluralRule, string>>>>;
