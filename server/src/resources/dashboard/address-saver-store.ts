import type { Account } from '../../platform/caller.ts';
import type { Db } from '../../platform/db/db.ts';
import { RECEIVE_NETWORKS_SQL } from '../../settlement/records/sql-lists.ts';

/** The account's own entries first. Of other accounts one entry is enough. */
export function findSavers(db: Db, { id: accountId, livemode }: Account, address: string) {
  return db.query<{ accountId: string; asset: string; network: string }>(
    'find_savers_of_address',
    `
    select account_id, asset, network from payout_wallets
     where livemode = $1 and network in (${RECEIVE_NETWORKS_SQL}) and address = $2 and archived_at is null
     order by (account_id = $3) desc
     limit 100`,
    [livemode, address, accountId],
  );
}
