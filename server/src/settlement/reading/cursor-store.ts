import { fastestBlockSeconds, type ReceiveNetwork } from '@quittance/contract';
import type { BlockRef, Pass } from '../../outside/chains/chain.ts';
import type { Db, Transaction } from '../../platform/db/db.ts';
import { DAY_MS, later, MINUTE_MS, SECOND_MS } from '../../platform/time.ts';

/** If a network's reader was killed, another process continues after this long and one of its own polls. */
export const LEASE_MS = 10 * SECOND_MS;
/**
 * A lease that ends further ahead is of a clock that was ahead, as that of a machine that died. Longer than a lease, so that
 * a process that was paused after it asked for the time takes nothing from a living one.
 */
const MAX_AHEAD_MS = MINUTE_MS;
/** Block hashes are stored this far back. Deeper reorgs are not followed. */
export const MAX_REORG_BLOCKS = 20_000n;
/**
 * Blocks that the second pass has not read yet are stored this long, at the network's fastest pace and counted back from
 * the first pass's position: by numbers, because a provider may date its blocks as it likes. Reading begins at most 64
 * days ago, at a session of up to 32 days that ended up to 30 days ago; earlier only for payments that could not be
 * closed in time.
 */
const MAX_WAITING_MS = 64 * DAY_MS;
const BLOCKS_LOOKED_AHEAD = 1000;

/**
 * The right to read a network. Each new holder gets a higher fencing token, so that a paused one cannot overwrite its
 * work.
 */
export interface Lease {
  network: ReceiveNetwork;
  holder: string;
  token: bigint;
}

/**
 * Takes the lease of a network if no process holds it; returns undefined while another does. A lease that this process
 * already holds is not extended: progress does that (`renewLease`), and a turn for a limited time (`hold-lease.ts`), so
 * that a process that cannot read yields to one that can. Returns the passes' cursors too, which only the holder moves.
 */
export async function acquireLease(
  db: Db,
  network: ReceiveNetwork,
  holder: string,
  { now, until }: { now: Date; until: Date },
): Promise<{ lease: Lease; cursors: ReadonlyMap<Pass, BlockRef> } | undefined> {
  const rows = await db.query<CursorRow & { pass: Pass; token: bigint }>(
    'acquire_lease',
    `
    insert into chain_cursors as c (network, pass, holder, token, lease_until)
    values ($1, 'first', $2, 1, $4), ($1, 'second', $2, 1, $4)
        on conflict (network, pass) do update
       set token = case when c.holder = $2 then c.token else c.token + 1 end, holder = $2,
           lease_until = case when c.holder = $2 and c.lease_until > $3 and c.lease_until <= $5 then c.lease_until else $4 end,
           waits_for_provider = c.waits_for_provider and c.holder is not distinct from $2
     where c.holder = $2 or c.holder is null or c.lease_until is null or c.lease_until <= $3 or c.lease_until > $5
    returning token, pass, block_number, block_hash, block_time`,
    [network, holder, now, until, later(now, MAX_AHEAD_MS)],
  );
  // Both rows change holders together. A single row means a race lost halfway; the lease is taken again next time.
  const [row] = rows;
  if (rows.length !== 2 || !row) return undefined;
  const cursors = new Map<Pass, BlockRef>();
  for (const { pass, ...cursor } of rows) {
    const block = toBlock(cursor);
    if (block) cursors.set(pass, block);
  }
  return { lease: { network, holder, token: row.token }, cursors };
}

/**
 * Extends a lease after progress of a pass: blocks were read, or there were none to read. The second pass may go on while
 * the first one gets no further, so it does not keep the network from being stalled. A network rests until a turn reads.
 */
export async function renewLease(
  db: Db,
  lease: Lease,
  { pass, rests = false }: { pass: Pass; rests?: boolean },
  now: Date,
): Promise<void> {
  await db.query(
    'renew_lease',
    `
    update chain_cursors
       set lease_until = $4, progressed_at = case when $5 = 'first' then $3 else progressed_at end, rests = $6
     where network = $1 and token = $2`,
    [lease.network, lease.token, now, later(now, LEASE_MS), pass, rests],
  );
}

/**
 * Extends a lease without progress, if the last progress, or `since`, when this process took the lease, is later than
 * `provedAfter`.
 */
export async function extendLease(
  db: Db,
  lease: Lease,
  { now, until, since, provedAfter }: { now: Date; until: Date; since: Date; provedAfter: Date },
): Promise<void> {
  await db.query(
    'extend_lease',
    `
    update chain_cursors set lease_until = $5
     where network = $1 and holder = $2 and token = $3 and lease_until > $4
       and greatest(case when progressed_at <= $5 then progressed_at end, $6) > $7`,
    [lease.network, lease.holder, lease.token, now, until, since, provedAfter],
  );
}

/**
 * Records that a network without watched wallets has nothing to read, so that it is not stalled when the first customer
 * can pay on it. Leaves a network alone that a process reads.
 */
export async function recordIdle(db: Db, network: ReceiveNetwork, now: Date): Promise<void> {
  await db.query(
    'record_idle',
    `
    insert into chain_cursors as c (network, pass, progressed_at) values ($1, 'first', $2), ($1, 'second', $2)
        on conflict (network, pass) do update
       set progressed_at = excluded.progressed_at where c.lease_until is null or c.lease_until <= $2 or c.lease_until > $3`,
    [network, now, later(now, MAX_AHEAD_MS)],
  );
}

/** Lets the next process take over at once. */
export async function releaseLease(db: Db, lease: Lease): Promise<void> {
  await db.query(
    'release_lease',
    `
    update chain_cursors set holder = null, lease_until = null where network = $1 and holder = $2 and token = $3`,
    [lease.network, lease.holder, lease.token],
  );
}

export async function findCursor(db: Db, network: ReceiveNetwork, pass: Pass): Promise<BlockRef | undefined> {
  const [row] = await db.query<CursorRow>(
    'find_cursor',
    `
    select block_number, block_hash, block_time from chain_cursors where network = $1 and pass = $2`,
    [network, pass],
  );
  return row && toBlock(row);
}

/** All three are null until reading begins. */
interface CursorRow {
  blockNumber: bigint | null;
  blockHash: string | null;
  blockTime: Date | null;
}

function toBlock({ blockNumber, blockHash, blockTime }: CursorRow): BlockRef | undefined {
  return blockNumber !== null && blockHash !== null && blockTime
    ? { number: blockNumber, hash: blockHash, time: blockTime }
    : undefined;
}

/** Moves the cursor if it is still at `from` and the lease is still valid; throws `LeaseLostError` otherwise. */
export async function moveCursor(
  db: Transaction,
  lease: Lease,
  pass: Pass,
  { from, to }: { from: BlockRef | undefined; to: BlockRef },
): Promise<void> {
  const rows = await db.query(
    'move_cursor',
    `
    update chain_cursors set block_number = $5, block_hash = $6, block_time = $7
     where network = $1 and pass = $2 and token = $3 and block_hash is not distinct from $4
    returning network`,
    [lease.network, pass, lease.token, from?.hash ?? null, to.number, to.hash, to.time],
  );
  if (rows.length === 0) throw new LeaseLostError(`another process reads ${lease.network} now`);
}

/**
 * Stores a block that a pass's cursor was at, to find the last common block after a reorg. Each pass has its own
 * blocks, because one may be on the new fork before the other.
 */
export async function storeBlock(
  db: Transaction,
  network: ReceiveNetwork,
  pass: Pass,
  { number, hash, time, provider }: BlockRef & { provider?: string },
): Promise<void> {
  await db.query(
    'store_block',
    `
    insert into chain_blocks as b (network, pass, number, hash, time, provider) values ($1, $2, $3, $4, $5, $6)
        on conflict (network, pass, number) do update
       set hash = excluded.hash, time = excluded.time, provider = coalesce(excluded.provider, b.provider)`,
    [network, pass, number, hash, time, provider ?? null],
  );
}

/** Blocks that the first pass read from one provider (null if it is not known), up to `end`. */
export interface FirstRead {
  provider: string | null;
  end: BlockRef;
}

/** How the first pass read the blocks after this one; undefined if it has not read any. */
export async function findFirstRead(db: Db, network: ReceiveNetwork, after: bigint): Promise<FirstRead | undefined> {
  const rows = await db.query<BlockRef & { provider: string | null }>(
    'find_first_read',
    `
    select number, hash, time, provider from chain_blocks where network = $1 and pass = 'first' and number > $2 order by number limit $3`,
    [network, after, BLOCKS_LOOKED_AHEAD],
  );
  const [first] = rows;
  if (!first) return undefined;
  const next = rows.findIndex((row) => row.provider !== first.provider);
  const { number, hash, time } = rows.at(next === -1 ? -1 : next - 1) ?? first;
  return { provider: first.provider, end: { number, hash, time } };
}

/** The stored blocks of a pass before this number, newest first, without the first `skip` of them. */
export async function findBlocksBefore(
  db: Db,
  network: ReceiveNetwork,
  pass: Pass,
  { number, limit, skip = 0 }: { number: bigint; limit: number; skip?: number },
): Promise<BlockRef[]> {
  return db.query<BlockRef>(
    'find_blocks_before',
    `
    select number, hash, time from chain_blocks where network = $1 and pass = $2 and number < $3 order by number desc limit $4 offset $5`,
    [network, pass, number, limit, skip],
  );
}

export async function deleteBlocksAbove(
  db: Transaction,
  network: ReceiveNetwork,
  pass: Pass,
  number: bigint,
): Promise<void> {
  await db.query('delete_blocks_above', `delete from chain_blocks where network = $1 and pass = $2 and number > $3`, [
    network,
    pass,
    number,
  ]);
}

/** Deletes blocks far below the given one, except those that the second pass has not read yet. */
export async function pruneBlocks(
  db: Db,
  network: ReceiveNetwork,
  { number }: Pick<BlockRef, 'number'>,
): Promise<void> {
  const waiting = BigInt(Math.ceil(MAX_WAITING_MS / SECOND_MS / fastestBlockSeconds(network)));
  await db.query(
    'prune_blocks',
    `
    delete from chain_blocks
     where network = $1 and number < $2
       and (number < $3 or number < coalesce((select block_number from chain_cursors where network = $1 and pass = 'second'), $2))`,
    [network, number - MAX_REORG_BLOCKS, number - waiting],
  );
}

/** Records whether the second pass waits for a provider, so that the first pass alone decides what has been read. */
export async function recordWaiting(db: Db, lease: Lease, waits: boolean): Promise<void> {
  await db.query(
    'record_waiting_pass',
    `
    update chain_cursors set waits_for_provider = $3 where network = $1 and token = $2 and pass = 'second'`,
    [lease.network, lease.token, waits],
  );
}

/** How far a pass has read. */
export interface PassCoverage {
  network: string;
  pass: Pass;
  /** Null if the pass has not begun. */
  blockTime: Date | null;
  waitsForProvider: boolean;
}

export async function findCoverage(db: Db): Promise<PassCoverage[]> {
  return db.query<PassCoverage>(
    'find_coverage',
    `
    select network, pass, block_time, waits_for_provider from chain_cursors`,
  );
}

export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';
}
