/** One way of paying that a facilitator settles. */
export interface SupportedKind {
  scheme: string;
  /** CAIP-2. */
  network: string;
  /** On Solana: the key that pays the fee. */
  feePayer: string | null;
}

/** What a facilitator says became of a payment. It decides nothing: only the chain does. */
export type SettleReport =
  | { type: 'sent'; txHash: string | null }
  | { type: 'refused'; reason: string }
  /** A time-out, a cut connection, a 5xx, or an answer in no known form: it may or may not have sent the payment. */
  | { type: 'unknown'; reason: string };

/** Sends payments that a payer has only signed, and pays the network's fee for them (x402). */
export interface Facilitator {
  /** Host only: the rest of the address may hold a key. */
  readonly name: string;
  /** What it settles, cached; empty while it cannot be asked. */
  kinds(): Promise<readonly SupportedKind[]>;
  /** Sends a payment once. Never throws. */
  settle(paymentPayload: unknown, paymentRequirements: unknown): Promise<SettleReport>;
}
