import { findAssetByKey } from '@quittance/contract';

/** The account and mode of a request: in the `where` of every merchant's query. */
export interface Account {
  id: string;
  livemode: boolean;
}

/** The modes of an account have limits of their own, so that no test stops what is live. */
export function nameOf({ id, livemode }: Account): string {
  return `${id}:${livemode ? 'live' : 'test'}`;
}

/** The account of a request, and the request's time. */
export interface Caller extends Account {
  /** A secret key, or a login token (`cookie` when the dashboard's cookie carried it). */
  via: 'key' | 'login' | 'cookie';
  /** The key's id, or null for a login. */
  keyId: string | null;
  /** The scopes of the key; null for a full key or a login. */
  scopes: readonly string[] | null;
  /** Email accounts manage many wallets; wallet accounts have the one they log in with. */
  loginMethod: 'email' | 'wallet';
  /** The account's defaults for missing fields of a request. */
  defaults: Defaults;
  /**
   * The account's time, read from the database once per request, and again after a verb's `prepare` or a long wait. In test mode it
   * includes the offset of the account's test clock. Every instant that a verb writes is this one.
   */
  now: Date;
  /** The database's real time at that moment: for leases, signatures, idempotency and retention. */
  realNow: Date;
}

/** An account's defaults for missing fields of a request. A missing default means the service's own. */
export interface Defaults {
  currency?: string;
  expiresInSeconds?: number;
  acceptedAssets?: string[];
}

/** The default assets that this server offers. Where it offers none of them any more, there is no default. */
export function offeredByDefault({ acceptedAssets = [] }: Defaults): string[] | null {
  const offered = acceptedAssets.filter((key) => findAssetByKey(key) !== undefined);
  return offered.length > 0 ? offered : null;
}
