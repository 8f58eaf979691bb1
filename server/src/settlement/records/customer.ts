import { derivedId } from '../../platform/ids.ts';
import type { Payment } from './payment.ts';

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
  return name.normalize('NFKC').toLowerCase();
}

/** What a payment adds to its customer's figures: nothing unless it was paid and still counts. */
function contributionOf(payment: Payment): { payments: number; minor: bigint } {
  const { status, paidAt, refund } = payment;
  if (paidAt === null || (status !== 'paid' && status !== 'refunded')) return { payments: 0, minor: 0n };
  return { payments: 1, minor: arrivedMinor(payment) - (refund?.amountMinor ?? 0n) };
}

/** The share of the price less the fee that arrived, like the `net` of the exported payments. */
function arrivedMinor({ amountMinor, serviceFeeMinor, expectedOutputUnits, actualOutputUnits }: Payment): bigint {
  const netMinor = amountMinor - serviceFeeMinor;
  return expectedOutputUnits && actualOutputUnits !== null
    ? (netMinor * actualOutputUnits) / expectedOutputUnits
    : netMinor;
}

/** How a change of a payment changes its customer's figures; undefined if it does not. */
export function changeOfFigures(before: Payment, after: Payment): { payments: number; minor: bigint } | undefined {
  const [was, is] = [contributionOf(before), contributionOf(after)];
  const change = { payments: is.payments - was.payments, minor: is.minor - was.minor };
  return change.payments === 0 && change.minor === 0n ? undefined : change;
}
