import type { AssetSymbol, ReceiveNetwork } from '@quittance/contract';
import type { BlockRef, UnseenBlocks } from '../../outside/chains/chain.ts';
import type { Db, Transaction } from '../../platform/db/db.ts';

/** At most this many gaps per network. A further one is joined with the newest, over the blocks between them. */
export const MAX_GAPS = 500;
const MAX_WHY_LENGTH = 500;

/** Neighboring blocks of a network in which some transfers of an asset could not be looked for. */
export interface Gap {
  network: ReceiveNetwork;
  asset: AssetSymbol;
  fromBlock: bigint;
  toBlock: bigint;
  why: string;
  since: Date;
  /** The last block of the next attempt, which goes backward: nodes keep the newest states only. */
  nextBlock: bigint;
}

/** Records a gap, joined with those that it touches. */
export async function recordUnseen(
  db: Transaction,
  network: ReceiveNetwork,
  { asset, from, to, why }: UnseenBlocks,
  now: Date,
): Promise<void> {
  await db.query(
    'record_unseen_blocks',
    `
    with joined as (
      delete from unseen_blocks
       where network = $1
         and ((from_block <= $4::bigint + 1 and to_block >= $3::bigint - 1)
              or (from_block = (select max(from_block) from unseen_blocks where network = $1)
                  and (select count(*) from unseen_blocks where network = $1) >= $9))
      returning *)
    insert into unseen_blocks as u (network, asset, from_block, to_block, from_time, to_time, why, since, next_block, tried_at, reported_at)
    select $1, $2, least($3, min(from_block)), greatest($4, max(to_block)), least($5, min(from_time)), greatest($6, max(to_time)), $7,
           coalesce(min(since), $8), greatest($4, max(to_block)), min(tried_at), max(reported_at)
      from joined
        on conflict (network, from_block) do update
       set to_block = greatest(u.to_block, excluded.to_block), to_time = greatest(u.to_time, excluded.to_time)`,
    [network, asset, from.number, to.number, from.time, to.time, why.slice(0, MAX_WHY_LENGTH), now, MAX_GAPS],
  );
}

/** Blocks after `after` up to `to` that were looked at, with the times of both ends. */
export interface SeenBlocks {
  after: Pick<BlockRef, 'number' | 'time'>;
  to: Pick<BlockRef, 'number' | 'time'>;
}

/** Cuts blocks out of the gaps of a network. */
export async function closeSeen(db: Transaction, network: ReceiveNetwork, { after, to }: SeenBlocks): Promise<void> {
  await db.query(
    'close_seen_blocks',
    `
    with cut as (
      delete from unseen_blocks
       where network = $1 and from_block <= $4 and to_block > $2
         and (from_block > $2 or to_block <= $4 or (select count(*) from unseen_blocks where network = $1) < $6)
      returning *)
    insert into unseen_blocks as u (network, asset, from_block, to_block, from_time, to_time, why, since, next_block, tried_at, reported_at)
    select network, asset, from_block, $2::bigint, from_time, $3::timestamptz, why, since, least(next_block, $2), tried_at, reported_at
      from cut where from_block <= $2
     union all
    select network, asset, $4::bigint + 1, to_block, $5, to_time, why, since, case when next_block > $4
      then next_block else to_block end, tried_at, reported_at
      from cut where to_block > $4
        on conflict (network, from_block) do update
       set to_block = greatest(u.to_block, excluded.to_block), to_time = greatest(u.to_time, excluded.to_time)`,
    [network, after.number, after.time, to.number, to.time, MAX_GAPS],
  );
}

/** The gaps of a network that are due for another attempt: each minute at first, then after a tenth of their age. */
export async function findDueGaps(
  db: Db,
  network: ReceiveNetwork,
  { now, minMs, maxMs, limit }: { now: Date; minMs: number; maxMs: number; limit: number },
): Promise<Gap[]> {
  return db.query<Gap>(
    'find_due_gaps',
    `
    select network, asset, from_block, to_block, why, since, next_block
      from unseen_blocks
     where network = $1
       and (tried_at is null
            or tried_at <= $2::timestamptz
                         - least(greatest(($2::timestamptz - since) / 10, $3 * interval '1 millisecond'), $4 * interval '1 millisecond'))
     order by tried_at nulls first, to_block desc limit $5`,
    [network, now, minMs, maxMs, limit],
  );
}

/** Records that blocks after `before` up to `last` were tried in vain. The next attempt is below them, or at the end. */
export async function recordAttempt(
  db: Db,
  network: ReceiveNetwork,
  { before, last }: { before: bigint; last: bigint },
  now: Date,
): Promise<void> {
  await db.query(
    'record_gap_attempt',
    `
    update unseen_blocks set tried_at = $4, next_block = case when $2 >= from_block then $2 else to_block end
     where network = $1 and from_block <= $3 and to_block > $2`,
    [network, before, last, now],
  );
}

/** The gaps since before an instant that no alarm has named, which names them. */
export async function reportGaps(
  db: Db,
  { before, now }: { before: Date; now: Date },
): Promise<(Gap & { blocks: number })[]> {
  return db.query<Gap & { blocks: number }>(
    'report_gaps',
    `
    update unseen_blocks set reported_at = $2 where since <= $1 and reported_at is null
    returning network, asset, from_block, to_block, why, since, next_block, (to_block - from_block + 1)::integer as blocks`,
    [before, now],
  );
}

/** The number of blocks in the gaps, by network. */
export async function countUnseen(db: Db): Promise<{ network: ReceiveNetwork; blocks: number }[]> {
  return db.query<{ network: ReceiveNetwork; blocks: number }>(
    'count_unseen_blocks',
    `
    select network, sum(to_block - from_block + 1)::integer as blocks from unseen_blocks group by network`,
  );
}

/** Whether a gap holds blocks of a time span in which the asset may have arrived. */
export async function hasUnseen(
  db: Db,
  { network, asset, from, until }: { network: ReceiveNetwork; asset: AssetSymbol; from: Date; until: Date },
): Promise<boolean> {
  const rows = await db.query(
    'has_unseen_blocks',
    `
    select 1 from unseen_blocks where network = $1 and asset = $2 and from_time <= $4 and to_time >= $3 limit 1`,
    [network, asset, from, until],
  );
  return rows.length > 0;
}

/** Deletes a batch of gaps that ended before an instant; returns the number. */
export async function deleteGapsBefore(db: Db, before: Date, limit: number): Promise<number> {
  const rows = await db.query(
    'delete_old_gaps',
    `
    delete from unseen_blocks
     where (network, from_block) in (select network, from_block from unseen_blocks where to_time < $1 limit $2)
    returning network`,
    [before, limit],
  );
  return rows.length;
}
