import type { Db } from '../../platform/db/db.ts';
import { newLoginToken } from '../../platform/http/admission/credentials.ts';
import { sha256 } from '../../platform/secrets.ts';
import { DAY_MS, HOUR_MS, later } from '../../platform/time.ts';
import { insertToken, type LoginMethod } from './token-store.ts';

const LOGIN_LIFE_MS = 7 * DAY_MS;
export const LOGIN_IDLE_MS = 12 * HOUR_MS;

/** Logs an account in by a new token, of which only the hash is stored. */
export async function issueLoginToken(
  db: Db,
  login: { accountId: string; method: LoginMethod; now: Date },
): Promise<string> {
  const token = newLoginToken();
  await insertToken(db, { hash: sha256(token), ...login, expiresAt: later(login.now, LOGIN_LIFE_MS) });
  return token;
}
