import type { Db } from './platform/db/db.ts';

/** All reserved amounts, counted up to 100,000. */
export async function countReservedAmounts(db: Db): Promise<number> {
  const rows = await db.query<{ count: bigint }>(
    'count_all_reserved_amounts',
    `
      select count(*) as count from (select 1 from reserved_amounts limit 100000) counted`,
  );
  return Number(rows[0]?.count ?? 0);
}
