import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import type { Logger } from 'pino';
import { readClock } from '../db/clock.ts';
import type { Database, Db } from '../db/db.ts';
import { fail, invariant } from '../errors.ts';
import type { Secrets } from '../secrets.ts';
import type { Jwks } from './jwks.ts';
import { encode, thumbprint } from './jws.ts';
import { findCurrentKey, insertSigningKey, listSigningKeys, retireCurrentKey } from './signing-key-store.ts';

export interface SigningKey {
  kid: string;
  privateKey: KeyObject;
}

interface Needs {
  db: Database;
  secrets: Secrets;
  log: Logger;
}

/** The key that signs statements: receipts and webhooks. It cannot move money. Created on the first use. */
export async function currentSigningKey({ db, secrets, log }: Needs): Promise<SigningKey> {
  let row = await findCurrentKey(db);
  if (!row) {
    // If two processes start together, one key is stored and both use it.
    await storeNewKey(db, secrets, await db.now());
    row = await findCurrentKey(db);
  }
  invariant(row?.privateKey, 'there is a current signing key');
  try {
    return { kid: row.kid, privateKey: openKey(secrets, row.kid, row.privateKey) };
  } catch (error) {
    log.error({ err: error, kid: row.kid }, 'signing key not opened: MASTER_KEY is not the one that sealed it');
    return fail('service_unavailable', { retryAfterSeconds: 60 });
  }
}

/** Replaces the current key. Statements of the old one stay valid, but it can sign no new ones. */
export async function rotateSigningKey({ db, secrets }: Pick<Needs, 'db' | 'secrets'>): Promise<string> {
  return db.transaction(async (transaction) => {
    const now = await readClock(transaction);
    await retireCurrentKey(transaction, now);
    return storeNewKey(transaction, secrets, now);
  });
}

/** Every public key, including old ones, so that old statements can always be verified. */
export async function readJwks(ctx: Needs): Promise<Jwks> {
  // A service that has signed nothing yet shows the key that it will use.
  await currentSigningKey(ctx);
  return {
    keys: (await listSigningKeys(ctx.db)).map((row) => ({
      kty: 'OKP',
      crv: 'Ed25519',
      x: encode(row.publicKey),
      kid: row.kid,
      use: 'sig',
      alg: 'EdDSA',
      ...(row.retiredAt ? { exp: Math.ceil(row.retiredAt.getTime() / 1000) } : {}),
    })),
  };
}

async function storeNewKey(db: Db, secrets: Secrets, now: Date): Promise<string> {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const bytes = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url');
  const kid = thumbprint(bytes);
  const sealed = secrets.seal(privateKey.export({ format: 'der', type: 'pkcs8' }), placeOf(kid));
  await insertSigningKey(db, { kid, publicKey: bytes, sealed, createdAt: now });
  return kid;
}

function openKey(secrets: Secrets, kid: string, sealed: Buffer): KeyObject {
  return createPrivateKey({ key: secrets.open(sealed, placeOf(kid)), format: 'der', type: 'pkcs8' });
}

function placeOf(kid: string): string {
  return `signing_keys.private_key:${kid}`;
}
