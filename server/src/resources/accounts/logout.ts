import type { Db } from '../../platform/db/db.ts';
import { deleteToken, deleteTokensOfAccount } from './token-store.ts';

/** Ends this login: its token is rejected from the next request on. */
export async function logout(db: Db, accountId: string, tokenHash: Buffer): Promise<void> {
  await deleteToken(db, accountId, tokenHash);
}

/** Ends every login of the account, including this one. Secret keys stay valid. */
export async function logoutEverywhere(db: Db, accountId: string): Promise<void> {
  await deleteTokensOfAccount(db, accountId);
}
