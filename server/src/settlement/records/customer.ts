/** Who pays, as the merchant described them. Stored with the session; the customer's page never shows it. */
export interface Customer {
  /** In its canonical form. */
  email: string | null;
  name: string | null;
  /** The merchant's own ID of them. */
  reference: string | null;
}
