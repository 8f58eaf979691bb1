/** A payment kind that a facilitator settles. */
export interface SupportedKind {
  scheme: string;
  /** CAIP-2. */
  network: string;
  /** On Solana: the key that pays the fee. */
  feePayer: string | null;
}

/** A facilitator's report of a settlement. It decides nothing: only the chain does. */
export type SettleReport =
  | { type: 'sent'; txHash: string | null }
  | { type: 'refused'; reason: string }
  /** A timeout, a closed connection, a 5xx, or a malformed response: the payment may or may not have been sent. */
  | { type: 'unknown'; reason: string };

/** Sends payments that a payer has only signed, and pays the network fee for them (x402). */
export interface Facilitator {
  /** The host name only, because the rest of the address may contain a key. */
  readonly name: string;
  /** The supported kinds, cached; empty if the facilitator is unreachable. */
  kinds(): Promise<readonly SupportedKind[]>;
  /** Sends a payment once. Never throws. */
  settle(paymentPayload: unknown, paymentRequirements: unknown): Promise<SettleReport>;
}
