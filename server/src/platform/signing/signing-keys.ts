import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import type { Logger } from 'pino';
import type { Cached } from '../cached.ts';
import type { Account } from '../caller.ts';
import { readClock, type Database } from '../db/db.ts';
import { fail } from '../errors.ts';
import type { Secrets } from '../secrets.ts';
import { type Jwks, encode, thumbprint } from './jws.ts';
import * as store from './signing-key-store.ts';

export interface SigningKey {
  kid: string;
  privateKey: KeyObject;
}

interface Needs {
  db: Database;
  secrets: Secrets;
  log: Logger;
}

interface Keeps {
  caches: { signingKeys: Cached<SigningKey> };
}

/**
 * The key that signs the statements of one account and mode: receipts and webhooks. It cannot move money. Created on the
 * first use.
 */
export async function currentSigningKey({ db, secrets, log }: Needs, account: Account): Promise<SigningKey> {
  let row = await store.findCurrentKey(db, account);
  if (!row) {
    // If two processes start together, one key is stored and both use it.
    await storeNewKey({ db, secrets }, account);
    row = await store.findCurrentKey(db, account);
  }
  if (!row?.privateKey) return fail('not_found');
  try {
    return { kid: row.kid, privateKey: openKey(secrets, row.kid, row.privateKey) };
  } catch (error) {
    log.error({ err: error, kid: row.kid }, 'signing key not opened: MASTER_KEY is not the one that sealed it');
    return fail('service_unavailable', { retryAfterSeconds: 60 });
  }
}

/** The same for many signatures in a row, such as those of webhooks: a key is read again after half a minute. */
export async function recentSigningKey(ctx: Needs & Keeps, account: Account): Promise<SigningKey> {
  const name = `${account.id} ${account.livemode}`;
  return ctx.caches.signingKeys.get(name, () => currentSigningKey(ctx, account));
}

/** Which current keys are retired. Without an account or a mode, those of all. */
export interface RotatedKeys {
  accountId?: string | undefined;
  livemode?: boolean | undefined;
}

/**
 * Retires current keys; each account and mode gets a new one with its next statement. Statements of the old ones stay
 * valid, but they can sign no new ones. Returns how many were retired.
 */
export async function rotateSigningKeys(
  { db, caches }: Pick<Needs, 'db'> & Keeps,
  { accountId, livemode }: RotatedKeys = {},
): Promise<number> {
  const retired = await db.transaction(async (transaction) => {
    const now = await readClock(transaction);
    return store.retireCurrentKeys(transaction, { accountId: accountId ?? null, livemode: livemode ?? null }, now);
  });
  caches.signingKeys.clear();
  return retired;
}

/** Every public key of an account and mode, including old ones, so that old statements can always be verified. */
export async function readJwks(ctx: Needs, account: Account): Promise<Jwks> {
  // An account that has signed nothing yet shows the key that it will use.
  await currentSigningKey(ctx, account);
  return jwksOf(await store.listSigningKeys(ctx.db, account));
}

/** The key set that contains this key, and the account and mode for which it signs. Undefined for a foreign key. */
export async function readJwksOf(
  { db }: Pick<Needs, 'db'>,
  kid: string,
): Promise<{ jwks: Jwks; owner: Account } | undefined> {
  const owner = await store.findOwnerOfKey(db, kid);
  return owner && { owner, jwks: jwksOf(await store.listSigningKeys(db, owner)) };
}

function jwksOf(rows: readonly store.StoredSigningKey[]): Jwks {
  return {
    keys: rows.map((row) => ({
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

async function storeNewKey({ db, secrets }: Pick<Needs, 'db' | 'secrets'>, account: Account): Promise<void> {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const bytes = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url');
  const kid = thumbprint(bytes);
  const sealed = secrets.seal(privateKey.export({ format: 'der', type: 'pkcs8' }), placeOf(kid));
  await store.insertSigningKey(db, account, { kid, publicKey: bytes, sealed, createdAt: await db.now() });
}

/** Throws if another master key sealed it. */
export function openKey(secrets: Secrets, kid: string, sealed: Buffer): KeyObject {
  return createPrivateKey({ key: secrets.open(sealed, placeOf(kid)), format: 'der', type: 'pkcs8' });
}

function placeOf(kid: string): string {
  return `signing_keys.private_key:${kid}`;
}
