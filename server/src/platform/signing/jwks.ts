import type { Account } from '../caller.ts';

/** A public key in a key set. */
export interface Jwk {
  kty: 'OKP';
  crv: 'Ed25519';
  x: string;
  kid: string;
  use: 'sig';
  alg: 'EdDSA';
  /** When it was retired, in Unix seconds: nothing signed later is valid. Missing for the current key. */
  exp?: number;
}

export interface Jwks {
  keys: Jwk[];
}

/** Where the service publishes the public keys of one account and mode. */
export function jwksPath({ id, livemode }: Account): string {
  return `/.well-known/jwks/${id}/${livemode ? 'live' : 'test'}.json`;
}
