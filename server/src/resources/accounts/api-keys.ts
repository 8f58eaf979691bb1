import type { Scope } from '@quittance/contract';
import type { Caller } from '../../platform/caller.ts';
import type { Db } from '../../platform/db/db.ts';
import { fail } from '../../platform/errors.ts';
import { newSecretKey } from '../../platform/http/admission/credentials.ts';
import { newId } from '../../platform/ids.ts';
import { sha256 } from '../../platform/secrets.ts';
import { later, SECOND_MS } from '../../platform/time.ts';
import { type ApiKey, findKey, insertKey, replaceSecret, revokeKey } from './key-store.ts';

/** A key with its secret. Only this response contains the secret; the database stores its hash. */
export interface NewSecret {
  key: ApiKey;
  secret: string;
}

export async function createApiKey(
  db: Db,
  account: { id: string; realNow: Date },
  request: { livemode: boolean; label: string | null; scopes?: readonly Scope[] | undefined },
): Promise<NewSecret> {
  const secret = newSecretKey(request.livemode);
  const key: ApiKey = {
    id: newId('key'),
    accountId: account.id,
    livemode: request.livemode,
    label: request.label,
    last4: secret.slice(-4),
    scopes: request.scopes ? [...new Set(request.scopes)] : null,
    createdAt: account.realNow,
    lastUsedAt: null,
    previousExpiresAt: null,
  };
  await insertKey(db, key, sha256(secret));
  return { key, secret };
}

/** The old secret is rejected from this commit on, or after the overlap, in real time. */
export async function rotateApiKey(db: Db, caller: Caller, id: string, overlapSeconds: number): Promise<NewSecret> {
  const old = (await findKey(db, caller.id, id)) ?? fail('not_found', { param: 'id' });
  const secret = newSecretKey(old.livemode);
  const key =
    (await replaceSecret(db, {
      id,
      accountId: caller.id,
      secretHash: sha256(secret),
      last4: secret.slice(-4),
      previousExpiresAt: overlapSeconds > 0 ? later(caller.realNow, overlapSeconds * SECOND_MS) : null,
    })) ?? fail('not_found', { param: 'id' });
  return { key, secret };
}

export async function deleteApiKey(db: Db, caller: Caller, id: string): Promise<void> {
  const isRevoked = await revokeKey(db, { id, accountId: caller.id, now: caller.realNow });
  if (!isRevoked) fail('not_found', { param: 'id' });
}
