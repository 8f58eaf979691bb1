import { derivedId } from '../../platform/ids.ts';

/** Who pays, as the merchant described them. Stored with the session; the customer's page never shows it. */
export interface Customer {
  /** In its canonical form. */
  email: string | null;
  name: string | null;
  /** The merchant's own ID of them. */
  reference: string | null;
}

/** Identifies a customer in the account and mode: by the reference, or by the address if no reference is set. */
export type CustomerIdentity = { reference: string } | { email: string };

/** Undefined for a name alone, which many may have. */
export function identityOf({ reference, email }: Customer): CustomerIdentity | undefined {
  if (reference !== null) return { reference };
  return email === null ? undefined : { email };
}

export function customerId(account: { id: string; livemode: boolean }, identity: CustomerIdentity): string {
  const key = 'reference' in identity ? `reference ${identity.reference}` : `email ${identity.email}`;
  return derivedId('cus', `${account.id} ${account.livemode} ${key}`);
}

/** A name as it is searched. */
export function foldName(name: string): string {
  return foldQuotes(name.normalize('NFKC')).toLowerCase();
}

/** The quotation marks of word processors, and in the same order those that people type. */
export const QUOTES = { written: '‘’ʼ“”„', typed: `'''"""` };

export function foldQuotes(text: string): string {
  const typed = (mark: string) => QUOTES.typed.charAt(QUOTES.written.indexOf(mark));
  return text.replace(new RegExp(`[${QUOTES.written}]`, 'g'), typed);
}
