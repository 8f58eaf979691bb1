/** A public key of the service as `/.well-known/jwks.json` lists it. */
export interface Jwk {
  kty: 'OKP';
  crv: 'Ed25519';
  x: string;
  kid: string;
  use: 'sig';
  alg: 'EdDSA';
  /** When it was retired, in Unix seconds: nothing signed later counts. Absent for the current key. */
  exp?: number;
}

export interface Jwks {
  keys: Jwk[];
}
