/** The public keys of one account and mode of a Quittance service, from the `jwks_url` of an endpoint or a receipt. */
export interface Jwks {
  keys: readonly {
    kty: string;
    crv?: string;
    x?: string;
    kid?: string;
    /** When the key was retired, in Unix seconds. It verifies what it signed before. */
    exp?: number;
  }[];
}

/** A Web Crypto key. The type's name exists only in the browser library. */
export type ImportedKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

/** Signatures up to a minute after their key was retired are still valid, because clocks differ. */
const RETIRED_TOLERANCE_SECONDS = 60;

/** The Ed25519 keys that could have signed at an instant; with `kid`, only that key. */
export async function keysAt(jwks: Jwks, atSeconds: number, kid?: string): Promise<ImportedKey[]> {
  const usable = (Array.isArray(jwks?.keys) ? (jwks.keys as Jwks['keys']) : []).filter(
    (key) =>
      key?.kty === 'OKP' &&
      key.crv === 'Ed25519' &&
      typeof key.x === 'string' &&
      (kid === undefined || key.kid === kid) &&
      (key.exp === undefined || atSeconds <= key.exp + RETIRED_TOLERANCE_SECONDS),
  );
  return Promise.all(
    usable.map(({ x }) =>
      crypto.subtle.importKey('jwk', { kty: 'OKP', crv: 'Ed25519', x: x as string }, { name: 'Ed25519' }, false, [
        'verify',
      ]),
    ),
  );
}

/** Whether one of the keys signed these bytes. */
export async function isSignedByOne(
  keys: readonly ImportedKey[],
  signature: Uint8Array<ArrayBuffer>,
  signed: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  const verdicts = await Promise.all(
    keys.map((key) => crypto.subtle.verify({ name: 'Ed25519' }, key, signature, signed)),
  );
  return verdicts.includes(true);
}
