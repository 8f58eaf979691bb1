import type { AssetSymbol, ReceiveNetwork } from '@quittance/contract';
import type { BlockRef, UnseenBlocks } from '../../outside/chains/chain.ts';
import type { Db, Transaction } from '../../platform/db/db.ts';
import { HOUR_MS, later } from '../../platform/time.ts';

/** At most this many gaps per network and asset. A further one is joined with the newest, over the blocks between. */
export const MAX_GAPS = 500;
const MAX_WHY_LENGTH = 500;

/** How long blocks that one provider has looked at hold payments, while no second one can look: it may never be able to. */
const ONE_LOOK_HOLDS_MS = 1 * HOUR_MS;

/** Neighboring blocks of a network in which some transfers of an asset could not be looked for by enough providers. */
export interface Gap {
  network: ReceiveNetwork;
  asset: AssetSymbol;
  fromBlock: bigint;
  toBlock: bigint;
  why: string;
  since: Date;
  /** The only provider that has looked; null if none has. */
  lookedBy: string | null;
  /** The last block of the next attempt, which goes backward: nodes keep the newest states only. */
  nextBlock: bigint;
}

/** Blocks in which something could not be looked for; of their ends, the numbers and times. */
type UnseenSpan = Omit<UnseenBlocks, 'from' | 'to'> & Record<'from' | 'to', Pick<BlockRef, 'number' | 'time'>>;

/** Since when one provider must have looked for its gap to hold nothing any more. */
export function oneLookHoldsSince(now: Date): Date {
  return later(now, -ONE_LOOK_HOLDS_MS);
}

/**
 * Records a gap, joined with those of the asset that it touches and that the same provider, or none, has looked at.
 * Overlapping ones become one that none has looked at: the blocks may have been replaced.
 */
export async function recordUnseen(
  db: Transaction,
  network: ReceiveNetwork,
  { asset, from, to, why }: UnseenSpan,
  { now, since = now, lookedBy = null }: { now: Date; since?: Date; lookedBy?: string | null },
): Promise<void> {
  await db.query(
    'record_unseen_blocks',
    `
    with joined as (
      delete from unseen_blocks
       where network = $1 and asset = $2
         and ((from_block <= $4 and to_block >= $3)
              or (from_block <= $4::bigint + 1 and to_block >= $3::bigint - 1
                  and looked_by is not distinct from $10 and (looked_at is null or looked_at > $11))
              or (from_block = (select max(from_block) from unseen_blocks where network = $1 and asset = $2)
                  and (select count(*) from unseen_blocks where network = $1 and asset = $2) >= $9))
      returning *),
    one as (
      select *, case when looks then $10::text end as looked_by
        from (select least($3, min(from_block)) as from_block, greatest($4, max(to_block)) as to_block,
                     least($5, min(from_time)) as from_time, greatest($6, $12, max(to_time)) as to_time,
                     least(min(since), $12::timestamptz) as since, min(tried_at) as tried_at, min(looked_at) as looked_at,
                     coalesce(max(reported_at), (select max(reported_at) from unseen_blocks
                                                  where network = $1 and asset = $2 and to_block = $3::bigint - 1
                                                    and looked_by = $10)) as reported_at,
                     coalesce(bool_and(looked_by is not distinct from $10), true) as looks
                from joined) as all_of_it)
    insert into unseen_blocks as u (network, asset, from_block, to_block, from_time, to_time, why, since, looked_by,
      looked_at, next_block, tried_at, reported_at)
    select $1, $2, from_block, to_block, from_time, to_time, $7, since, looked_by,
           case when looked_by is not null then least(looked_at, $8) end, to_block, tried_at, reported_at
      from one
        on conflict (network, asset, from_block) do update
       set to_block = greatest(u.to_block, excluded.to_block), to_time = greatest(u.to_time, excluded.to_time)`,
    [
      network,
      asset,
      from.number,
      to.number,
      from.time,
      to.time,
      why.slice(0, MAX_WHY_LENGTH),
      now,
      MAX_GAPS,
      lookedBy,
      oneLookHoldsSince(now),
      since,
    ],
  );
}

/** Records blocks that only the given provider has looked at, where they are not in a gap of the asset already. */
export async function recordOneLook(
  db: Transaction,
  network: ReceiveNetwork,
  blocks: UnseenBlocks,
  { now, lookedBy }: { now: Date; lookedBy: string | null },
): Promise<void> {
  const gaps = await db.query<Pick<Gap, 'fromBlock' | 'toBlock'>>(
    'find_gaps_among',
    `
    select from_block, to_block from unseen_blocks
     where network = $1 and asset = $4 and from_block <= $3 and to_block >= $2 order by from_block`,
    [network, blocks.from.number, blocks.to.number, blocks.asset],
  );
  const starts = [blocks.from.number, ...gaps.map(({ toBlock }) => toBlock + 1n)];
  const ends = [...gaps.map(({ fromBlock }) => fromBlock - 1n), blocks.to.number];
  for (const [at, number] of starts.entries()) {
    const last = ends[at] as bigint;
    if (number > last) continue;
    const part = { ...blocks, from: { ...blocks.from, number }, to: { ...blocks.to, number: last } };
    await recordUnseen(db, network, part, { now, lookedBy });
  }
}

/** Blocks after `after` up to `to` that a provider looked at, and whether another one has to look as well. */
export interface Look {
  after: bigint;
  to: bigint;
  lookedBy: string;
  needsAnother: boolean;
}

/**
 * Cuts blocks that a provider looked at out of the gaps of a network that another one has looked at before. Of the other
 * gaps, they become one that this provider has looked at. The times of what is left are those of the whole gap: a
 * provider could date a block so that nothing is held any more.
 */
export async function noteLook(
  db: Transaction,
  network: ReceiveNetwork,
  { after, to, lookedBy, needsAnother }: Look,
  now: Date,
): Promise<void> {
  const cut = await db.query<Gap & { fromTime: Date; toTime: Date }>(
    'cut_seen_blocks',
    `
    with cut as (
      delete from unseen_blocks u
       where network = $1 and from_block <= $3 and to_block > $2 and (not $5 or looked_by is distinct from $4)
         and (from_block > $2 or to_block <= $3
              or (select count(*) from unseen_blocks o where o.network = $1 and o.asset = u.asset) < $6)
      returning *),
    rest as (
    insert into unseen_blocks as u (network, asset, from_block, to_block, from_time, to_time, why, since, looked_by,
      looked_at, next_block, tried_at, reported_at)
    select network, asset, from_block, $2::bigint, from_time, to_time, why, since, looked_by, looked_at,
           least(next_block, $2), tried_at, reported_at
      from cut where from_block <= $2
     union all
    select network, asset, $3::bigint + 1, to_block, from_time, to_time, why, since, looked_by, looked_at,
           case when next_block > $3 then next_block else to_block end, tried_at, reported_at
      from cut where to_block > $3
        on conflict (network, asset, from_block) do update
       set to_block = greatest(u.to_block, excluded.to_block), to_time = greatest(u.to_time, excluded.to_time))
    select * from cut`,
    [network, after, to, lookedBy, needsAnother, MAX_GAPS],
  );
  for (const { asset, why, since, ...gap } of cut) {
    if (!needsAnother || gap.lookedBy !== null) continue;
    const number = gap.fromBlock > after ? gap.fromBlock : after + 1n;
    const last = gap.toBlock < to ? gap.toBlock : to;
    const part = {
      asset,
      from: { number, time: gap.fromTime },
      to: { number: last, time: gap.toTime },
      why: `only ${lookedBy} has looked: ${why}`,
    };
    await recordUnseen(db, network, part, { now, since, lookedBy });
  }
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
    select network, asset, from_block, to_block, why, since, looked_by, next_block
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
    returning network, asset, from_block, to_block, why, since, looked_by, next_block, (to_block - from_block + 1)::integer as blocks`,
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

/** Whether a gap holds payments for blocks of a time span in which the asset may have arrived. */
export async function hasUnseen(
  db: Db,
  { network, asset, from, until }: { network: ReceiveNetwork; asset: AssetSymbol; from: Date; until: Date },
  now: Date,
): Promise<boolean> {
  const rows = await db.query(
    'has_unseen_blocks',
    `
    select 1 from unseen_blocks where network = $1 and asset = $2 and from_time <= $4 and to_time >= $3
                                  and (looked_at is null or looked_at > $5) limit 1`,
    [network, asset, from, until, oneLookHoldsSince(now)],
  );
  return rows.length > 0;
}

/** Deletes a batch of gaps to which no block was added since an instant; returns the number. */
export async function deleteGapsBefore(db: Db, before: Date, limit: number): Promise<number> {
  const rows = await db.query(
    'delete_old_gaps',
    `
    delete from unseen_blocks
     where (network, asset, from_block) in (select network, asset, from_block from unseen_blocks where to_time < $1
                                             limit $2 for update skip locked)
    returning network`,
    [before, limit],
  );
  return rows.length;
}
