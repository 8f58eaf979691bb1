import type { Account } from '../../platform/caller.ts';
import type { Db, Transaction } from '../../platform/db/db.ts';
import { fail } from '../../platform/errors.ts';
import type { StoredPayout } from './payout.ts';
import { findPayouts, lockPayoutRows } from './store.ts';

/** The account's payouts in this order, each once, or 404. */
export async function ownPayouts(db: Db, account: Account, ids: readonly string[]): Promise<StoredPayout[]> {
  return inOrder(ids, await findPayouts(db, account, ids));
}

/** The same, locked until the transaction ends. */
export async function lockPayouts(db: Transaction, account: Account, ids: readonly string[]): Promise<StoredPayout[]> {
  return inOrder(ids, await lockPayoutRows(db, account, ids));
}

function inOrder(ids: readonly string[], found: readonly StoredPayout[]): StoredPayout[] {
  const byId = new Map(found.map((payout) => [payout.id, payout]));
  return [...new Set(ids)].map((id) => byId.get(id) ?? fail('not_found', { param: 'payouts' }));
}
