import type { Logger } from 'pino';
import type { Caller } from '../../platform/caller.ts';
import type { Database } from '../../platform/db/db.ts';
import type { CredentialStore } from '../../platform/http/admission/authenticate.ts';
import { later, MINUTE_MS } from '../../platform/time.ts';
import { LOGIN_IDLE_MS } from './login-token.ts';
import { type FoundRow, type TokenRow, findKeys, findTokens, noteKeyUse, noteTokenUse } from './credential-store.ts';

const LAST_USED_STEP_MS = MINUTE_MS;

/**
 * Finds the caller of a credential by one query per request, so that a revoked one is rejected at once. The query also
 * reads the time. Concurrent requests share a query that starts after all of them.
 */
export function createCredentialStore(db: Database, log: Logger): CredentialStore {
  const noting = new Set<string>();

  /** Records the use, at most once a minute. No request waits for it. */
  function touch(
    hash: Buffer,
    used: { lastUsedAt: Date | null; now: Date },
    write: (hash: Buffer, now: Date) => Promise<unknown>,
  ): void {
    const isFresh = used.lastUsedAt !== null && used.now.getTime() - used.lastUsedAt.getTime() < LAST_USED_STEP_MS;
    const key = hash.toString('base64');
    if (isFresh || noting.has(key)) return;
    noting.add(key);
    write(hash, used.now)
      .catch((error) => log.warn({ err: error }, 'credential use not recorded'))
      .finally(() => noting.delete(key));
  }

  return {
    async findByKeyHash(hash) {
      const row = await findKeys(db, hash);
      if (!row || (row.expiresAt && row.expiresAt <= row.realNow)) return undefined;
      // The use of an old secret is not recorded: merchants see in `last_used_at` that the new one works.
      if (!row.expiresAt)
        touch(hash, { lastUsedAt: row.lastUsedAt, now: row.realNow }, (used, now) => noteKeyUse(db, used, now));
      return toCaller(row, { livemode: row.livemode, via: 'key', keyId: row.keyId, scopes: row.scopes });
    },
    async findByTokenHash(hash, livemode) {
      const row = await findTokens(db, hash);
      if (!row || isOver(row)) return undefined;
      touch(hash, { lastUsedAt: row.lastUsedAt, now: row.realNow }, (used, now) => noteTokenUse(db, used, now));
      return toCaller(row, { livemode, via: 'login', keyId: null, scopes: null });
    },
  };
}

function toCaller(row: FoundRow, how: Pick<Caller, 'livemode' | 'via' | 'keyId' | 'scopes'>): Caller {
  return {
    id: row.accountId,
    ...how,
    loginMethod: row.hasEmail ? 'email' : 'wallet',
    defaults: row.sessionDefaults,
    now: how.livemode ? row.realNow : later(row.realNow, Number(row.testClockOffsetMs)),
    realNow: row.realNow,
  };
}

function isOver(token: TokenRow): boolean {
  return token.expiresAt <= token.realNow || token.realNow.getTime() - token.lastUsedAt.getTime() >= LOGIN_IDLE_MS;
}
