/** Who acts, in which mode: in the `where` of every merchant read and write. */
export interface Account {
  id: string;
  livemode: boolean;
}

/** The account behind a request, and the instant the request happens at. */
export interface Caller extends Account {
  /** A secret key, or a login token (`cookie` when the dashboard's cookie carried it). */
  via: 'key' | 'login' | 'cookie';
  /** The key's id, or null for a login. */
  keyId: string | null;
  /** What the key may do; null for a full key or a login. */
  scopes: readonly string[] | null;
  /** Email accounts manage many wallets, wallet accounts have the one they log in with. */
  loginMethod: 'email' | 'wallet';
  /** What the account wants where a request leaves something open; whoever reads the request knows what it means. */
  defaults: Defaults;
  /**
   * The account's time, read from the database once per request; in test mode it includes the offset of the
   * account's test clock. Every instant that a verb writes is this one.
   */
  now: Date;
  /** The database's real time at that moment: for leases, signatures, idempotency and retention. */
  realNow: Date;
}

/** Settings of an account that stand in for what a request does not say; absent means the service's own. */
export interface Defaults {
  currency?: string;
  expiresInSeconds?: number;
  acceptedAssets?: string[];
}
