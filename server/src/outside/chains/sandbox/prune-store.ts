import type { Db } from '../../../platform/db/db.ts';

/**
 * Deletes a batch of blocks recorded before an instant of real time with their transfers; the newest block of each chain stays. Returns
 * the number of blocks.
 */
export async function deleteSandboxBlocks(db: Db, before: Date, limit: number): Promise<number> {
  const rows = await db.query(
    'delete_sandbox_blocks',
    `
    with old as materialized (
      select account_id, network, number from sandbox_blocks b
       where recorded_at < $1
         and exists (select from sandbox_blocks newer where newer.account_id = b.account_id
             and newer.network = b.network and newer.number > b.number)
       order by recorded_at limit $2
    ), transfers as (
      delete from sandbox_transfers t using old
       where t.account_id = old.account_id and t.network = old.network and t.block_number = old.number
    )
    delete from sandbox_blocks b using old
     where b.account_id = old.account_id and b.network = old.network and b.number = old.number
    returning b.number`,
    [before, limit],
  );
  return rows.length;
}
