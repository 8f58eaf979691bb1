import { Buffer } from 'node:buffer';
import { createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { canonicalJson } from '../canonical-json.ts';
import { sha256 } from '../secrets.ts';
import type { Account } from '../caller.ts';

/** A compact JWS over canonical JSON (EdDSA). `typ` keeps a statement of one kind from being used as another. */
export function signJws(key: { kid: string; privateKey: KeyObject }, typ: string, claims: object): string {
  const header = encode(canonicalJson({ alg: 'EdDSA', kid: key.kid, typ }));
  const signed = `${header}.${encode(canonicalJson(claims))}`;
  return `${signed}.${encode(sign(null, Buffer.from(signed), key.privateKey))}`;
}

/** Clocks differ. */
const RETIRED_TOLERANCE_SECONDS = 60;

export type JwsVerdict = { claims: Record<string, unknown> } | { reason: string };

/** The form of a thumbprint: 32 bytes in base64url. */
const KID = /^[A-Za-z0-9_-]{43}$/;

/** The id of the key that a JWS says it was signed by, if it can be one. It proves nothing. */
export function kidOf(jws: string): string | undefined {
  const header = decode(jws.slice(0, jws.indexOf('.')));
  const kid = header && parse(header)?.kid;
  return typeof kid === 'string' && KID.test(kid) ? kid : undefined;
}

/** Verifies a compact JWS of one kind with these keys. */
export function verifyJws(jws: string, typ: string, jwks: Jwks): JwsVerdict {
  const parts = jws.split('.').map(decode);
  const [header, payload, signature] = parts;
  if (parts.length !== 3 || !header || !payload || !signature) return { reason: 'This is not a compact JWS.' };
  const { alg, kid, typ: actual, crit } = parse(header) ?? {};
  if (alg !== 'EdDSA' || actual !== typ || crit !== undefined) return { reason: `The header is not that of a ${typ}.` };
  const key = jwks.keys.find((one) => one.kid === kid);
  if (!key) return { reason: 'No key of this service has signed it.' };
  const signed = Buffer.from(jws.slice(0, jws.lastIndexOf('.')));
  if (!verify(null, signed, publicKeyOf(key), signature)) return { reason: 'The signature does not match.' };
  const claims = parse(payload);
  if (!claims) return { reason: 'The payload is not a JSON object.' };
  // The database keeps no private half of a retired key, but a backup may contain it.
  if (key.exp !== undefined && !(Number(claims.iat) <= key.exp + RETIRED_TOLERANCE_SECONDS))
    return { reason: 'The key that signed it was retired before.' };
  return { claims };
}

/** RFC 7638: the id derived from a public key. */
export function thumbprint(publicKey: Uint8Array): string {
  return sha256(`{"crv":"Ed25519","kty":"OKP","x":"${encode(publicKey)}"}`).toString('base64url');
}

export function encode(bytes: string | Uint8Array): string {
  return Buffer.from(bytes as Uint8Array).toString('base64url');
}

/** Undefined if the text is not the one canonical encoding of its bytes, so that no character can change unnoticed. */
function decode(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.length > 0 && bytes.toString('base64url') === text ? bytes : undefined;
}

function publicKeyOf({ kty, crv, x }: Jwk): KeyObject {
  return createPublicKey({ key: { kty, crv, x }, format: 'jwk' });
}

function parse(bytes: Buffer): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

/** A public key in a key set. */
interface Jwk {
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
