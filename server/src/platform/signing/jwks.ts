/** A public key of the service in `/.well-known/jwks.json`. */
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
