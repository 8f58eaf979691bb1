import type { Caller } from '../../../platform/caller.ts';
import type { Db } from '../../../platform/db/db.ts';
import { fail } from '../../../platform/errors.ts';
import { revokePendingInvitation } from './store.ts';

/** The link opens no account from the commit on. */
export async function revokeInvitation(db: Db, caller: Caller, id: string): Promise<void> {
  const isRevoked = await revokePendingInvitation(db, { id, accountId: caller.id, now: caller.realNow });
  if (!isRevoked) fail('not_found', { param: 'id' });
}
