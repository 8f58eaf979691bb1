import type { Context } from '../../context.ts';
import {
  ReorgError,
  type BlockRef,
  type Chain,
  type Head,
  type Pass,
  type Reading,
  type ReadStep,
  type UnseenBlocks,
  type Watching,
} from '../../outside/chains/chain.ts';
import type { Transaction } from '../../platform/db/db.ts';
import { isUnavailable } from '../../platform/db/unavailable.ts';
import { TemporaryError } from '../../platform/errors.ts';
import { later, MINUTE_MS } from '../../platform/time.ts';
import { providersOf, reporterOf } from '../records/contested.ts';
import { markForRecheckAbove } from '../records/rechecked-store.ts';
import { abandonAbove } from '../records/seen-transfer-store.ts';
import {
  findBlocksBefore,
  findFirstRead,
  deleteBlocksAbove,
  pruneBlocks,
  LeaseLostError,
  moveCursor,
  renewLease,
  storeBlock,
  type Lease,
} from './cursor-store.ts';
import { type ReadTransfers, storeFacts } from './store-facts.ts';
import { MAX_SAVE_ATTEMPTS, storeOneByOne } from './store-one-by-one.ts';
import { findEarliestSession } from './watched-address-store.ts';
import { saveReverted, deleteReverted } from './reverted-store.ts';
import { recordOneLook, recordUnseen } from './unseen-store.ts';

/** Tolerated clock difference to a session's customer. Reading starts this much earlier. */
const START_MARGIN_MS = 5 * MINUTE_MS;
/** A cursor this far behind the first session jumps ahead: there is nothing to read in between. */
const MIN_JUMP_MS = 60 * MINUTE_MS;
/** A cursor further above the head than nodes lag was moved there by a provider that reported blocks too early. */
const MAX_ABOVE_HEAD = 64n;
/** After this time the other pass has its turn. */
const MAX_READ_MS = 8_000;
const MAX_STEPS = 25;

type Tools = Pick<Context, 'db' | 'log'>;

/** One pass over a network, by the holder of its lease. */
interface Reader {
  ctx: Tools;
  chain: Chain;
  lease: Lease;
  pass: Pass;
  failedSaves: FailedSaves;
}

/** A reading, and by whom the first pass read these blocks. */
type ReadTwice = Reading & Pick<ReadStep, 'firstReader'>;

/** Failed attempts to store the blocks after a given one, by pass. */
export type FailedSaves = Map<Pass, { after: string; count: number }>;

/** One turn of a pass: it reads toward this head, for these addresses. */
export interface ForwardTurn {
  pass: Pass;
  /** Undefined if the pass has never read. */
  cursor: BlockRef | undefined;
  head: Head;
  watching: Watching;
  /** The addresses as they are now; the same object if nothing was added. */
  rewatch: () => Promise<Watching>;
  /** The time, by the clock of this process since the turn began. */
  clock: () => Date;
  /** Of this process and network. */
  failedSaves: FailedSaves;
}

export interface ForwardResult {
  caughtUp: boolean;
  /** The block of the lowest fork that was found. */
  forkedAt: bigint | null;
  /** The providers that blocks were read from, in their order. */
  readers: readonly string[];
  /** The turn read nothing, although a provider names blocks to read. That is not progress. */
  isStalled?: true;
}

/** Reads from the cursor toward the head, at most `MAX_STEPS` steps. Each step is one commit of transfers and cursor. */
export async function readForward(
  ctx: Tools,
  chain: Chain,
  lease: Lease,
  { pass, cursor: reached, head, watching, rewatch, clock, failedSaves }: ForwardTurn,
): Promise<ForwardResult> {
  const reader: Reader = { ctx, chain, lease, pass, failedSaves };
  const start = await startingPoint(reader, reached, { head, now: clock() });
  let cursor = start;
  let watched = watching;
  let forkedAt: bigint | null = null;
  const readers: string[] = [];
  const startedMs = performance.now();
  for (let step = 0; step < MAX_STEPS && performance.now() - startedMs < MAX_READ_MS; step += 1) {
    if (cursor.number >= head.number && cursor.hash === head.hash) return { caughtUp: true, forkedAt, readers };
    try {
      if (cursor.number > head.number && (await isStillCanonical(reader, cursor, head)))
        return { caughtUp: true, forkedAt, readers };
      const range = await nextRange(reader, cursor, head);
      if (!range) return { caughtUp: true, forkedAt, readers };
      const step = { after: cursor, pass, ...range };
      const before = watched;
      const first = await chain.read({ ...step, watching: before });
      if (mayPayNewWallet(first, cursor, clock())) watched = await rewatch();
      const reading = watched.addresses === before.addresses ? first : await readAgain(chain, step, first, watched);
      await saveOrSetAside(reader, cursor, { ...reading, firstReader: range.firstReader });
      if (reading.covered.number === cursor.number)
        return { caughtUp: true, forkedAt, readers, ...(reading.isStalled && cursor === start && { isStalled: true }) };
      cursor = reading.covered;
      readers.push(reading.provider);
      // Each step is progress: a pass alone may take longer than the lease, which both of them share.
      await renewLease(ctx.db, lease, { pass }, clock());
    } catch (error) {
      if (!(error instanceof ReorgError)) throw error;
      const back = await rewind(reader, cursor, head);
      ctx.log.warn(
        { network: chain.network, pass, from: cursor.number.toString(), to: back.number.toString() },
        'chain reorganized',
      );
      forkedAt = forkedAt === null || back.number < forkedAt ? back.number : forkedAt;
      cursor = back;
    }
  }
  return { caughtUp: cursor.number >= head.number, forkedAt, readers };
}

/**
 * Whether a step's blocks may be newer than the list of addresses, and so may pay an address that is newer too: another
 * provider may have named a head above the chain's.
 */
function mayPayNewWallet({ covered }: Reading, cursor: BlockRef, now: Date): boolean {
  return covered.number !== cursor.number && covered.time >= later(now, -START_MARGIN_MS);
}

/** The same blocks for the addresses of a later list. A wallet that is added now cannot have been paid in them. */
function readAgain(
  chain: Chain,
  step: Omit<ReadStep, 'watching'>,
  { covered }: Reading,
  watching: Watching,
): Promise<Reading> {
  return chain.read({ ...step, watching, until: { ...covered, safe: null, finalized: null } });
}

/**
 * How far the next step may read. The second pass stays behind the first and stops where that one changed its provider,
 * because it asks another provider for each block. Undefined if the first pass has to go on before.
 */
async function nextRange(
  { ctx, lease, pass }: Reader,
  cursor: BlockRef,
  head: Head,
): Promise<Pick<ReadStep, 'until' | 'firstReader'> | undefined> {
  if (pass === 'first') return { until: head };
  const firstRead = await findFirstRead(ctx.db, lease.network, cursor.number);
  // A second pass at the head reads nothing more, and notices that its block was replaced.
  if (!firstRead) return cursor.number >= head.number ? { until: head } : undefined;
  const { provider, end } = firstRead;
  const until = end.number < head.number ? { ...end, safe: null, finalized: null } : head;
  return { until, firstReader: provider ?? undefined };
}

/**
 * Stores a reading. After three failures the content is the cause, and it must not stop the network: the transactions
 * are then stored one by one, and those that fail are set aside.
 */
async function saveOrSetAside(reader: Reader, from: BlockRef, reading: ReadTwice): Promise<void> {
  const { pass, failedSaves } = reader;
  const before = failedSaves.get(pass);
  const count = before?.after === from.hash ? before.count : 0;
  try {
    if (count < MAX_SAVE_ATTEMPTS) await saveReading(reader, from, reading);
    else {
      await storeOneByOne(reader.ctx, factsOf(reader, reading));
      await saveReading(reader, from, { ...reading, reverted: [], transfers: [] });
    }
    failedSaves.delete(pass);
  } catch (error) {
    if (!isUnavailable(error) && !(error instanceof LeaseLostError))
      failedSaves.set(pass, { after: from.hash, count: count + 1 });
    throw error;
  }
}

function factsOf({ chain, pass }: Reader, { transfers, provider }: Reading): ReadTransfers {
  return { network: chain.network, pass, transfers, reporter: reporterOf(chain, provider) };
}

async function saveReading(reader: Reader, from: BlockRef, reading: ReadTwice): Promise<void> {
  const { ctx, lease, pass } = reader;
  // Most readings find nothing to store, so the time is not needed.
  const { unseen = [] } = reading;
  const isEmpty = reading.transfers.length === 0 && reading.reverted.length === 0 && unseen.length === 0;
  const now = isEmpty ? undefined : await ctx.db.now();
  await ctx.db.transaction(async (db) => {
    await moveCursor(db, lease, pass, { from, to: reading.covered });
    // A step that covers nothing says nothing about who read the last range.
    if (reading.covered.number !== from.number)
      await storeBlock(db, lease.network, pass, { ...reading.covered, provider: reading.provider });
    if (now) {
      await storeFacts(db, factsOf(reader, reading), now);
      for (const blocks of unseen) await noteUnseen(db, reader, blocks, { now, firstReader: reading.firstReader });
      const { reverted, covered } = reading;
      const { network, reporter } = factsOf(reader, reading);
      await saveReverted(db, { network, reverted, reporter, namedFor: null, block: covered.number }, now);
    }
    db.afterCommit(() => {
      ctx.db.notify('covered', lease.network);
      if (reading.transfers.length > 0) ctx.db.notify('transfers', lease.network);
    });
  });
  if (reading.covered.number % 1_000n === 0n) await pruneBlocks(ctx.db, lease.network, reading.covered);
}

/** What the second pass could not look for, the first may have: that is one provider's word. A single one was asked twice. */
async function noteUnseen(
  db: Transaction,
  { pass, chain }: Reader,
  blocks: UnseenBlocks,
  { now, firstReader }: { now: Date; firstReader: string | undefined },
): Promise<void> {
  if (pass === 'first') await recordUnseen(db, chain.network, blocks, { now });
  else if (providersOf(chain).length > 1)
    await recordOneLook(db, chain.network, blocks, { now, lookedBy: firstReader ?? null });
}

/** The cursor, or the start of reading: the block of the earliest session that is open or recent. */
async function startingPoint(
  { ctx, chain, lease, pass }: Reader,
  cursor: BlockRef | undefined,
  { head, now }: { head: Head; now: Date },
): Promise<BlockRef> {
  if (cursor && now.getTime() - cursor.time.getTime() < MIN_JUMP_MS) return cursor;
  const earliest = await findEarliestSession(ctx.db, lease.network, now);
  const start = later(earliest ?? now, -START_MARGIN_MS);
  if (cursor && cursor.time.getTime() >= start.getTime() - MIN_JUMP_MS) return cursor;

  const block = await chain.blockAt(start, { pass, head });
  if (cursor && block.number <= cursor.number) return cursor;
  await ctx.db.transaction(async (db) => {
    await moveCursor(db, lease, pass, { from: cursor, to: block });
    await storeBlock(db, lease.network, pass, block);
  });
  ctx.log.info({ network: lease.network, pass, block: block.number.toString() }, 'watching started');
  return block;
}

/**
 * Whether the head is below the cursor because a provider lags: then the stored blocks up to the head are still on the
 * chain. If the head is far below, the blocks in between were reported before they existed, and are read again.
 */
async function isStillCanonical({ ctx, chain, pass }: Reader, cursor: BlockRef, head: Head): Promise<boolean> {
  const [stored] = await findBlocksBefore(ctx.db, chain.network, pass, { number: head.number + 1n, limit: 1 });
  // A head below every stored block is ignored: rewinding that far could mean reading years of blocks again.
  if (!stored) return true;
  if (cursor.number - head.number > MAX_ABOVE_HEAD && !(await chain.isHeldByMost(cursor)))
    throw new ReorgError(`the chain is at block ${head.number}, not at ${cursor.number}`);
  const hash = stored.number === head.number ? head.hash : (await chain.block(stored.number, pass))?.hash;
  if (hash !== undefined && hash !== stored.hash && !(await chain.isHeldByMost(stored)))
    throw new ReorgError(`block ${stored.number} is ${hash} now, not ${stored.hash}`);
  return true;
}

/** Rewinds to this pass's newest stored block that is still on the chain. Later blocks are read again. */
async function rewind(reader: Reader, cursor: BlockRef, head: Head): Promise<BlockRef> {
  const { ctx, lease, pass } = reader;
  const back = await lastCommonBlock(reader, cursor, head);
  await ctx.db.transaction(async (db) => {
    await moveCursor(db, lease, pass, { from: cursor, to: back });
    await deleteBlocksAbove(db, lease.network, pass, back.number);
    await deleteReverted(db, lease, back);
    await markForRecheckAbove(db, lease.network, back.number);
    if (pass === 'first') await abandonAbove(db, lease.network, back.number);
    await storeBlock(db, lease.network, pass, back);
  });
  return back;
}

async function lastCommonBlock(reader: Reader, cursor: BlockRef, head: Head): Promise<BlockRef> {
  const below = head.number < cursor.number ? head.number + 1n : cursor.number;
  const { common, before } = await searchStored(reader, below);
  if (common) return common;
  const { chain, pass } = reader;
  // No stored block is left: read again from far enough back that no reorg reaches.
  const block = await chain.blockAt(later(cursor.time, -24 * 60 * MINUTE_MS), { pass, head });
  if (block.number < before) return block;
  // The time of the cursor's block is not true: a rewind goes back.
  const lowest = await chain.block(before > 0n ? before - 1n : 0n, pass);
  if (!lowest) throw new TemporaryError(`no provider has the block before ${before}`);
  return lowest;
}

/**
 * This pass's newest stored block below a number that is still on the chain, and the lowest that is known not to be. What
 * is below a block of the chain is on it too, so a reorg of 20,000 blocks takes thirty questions, and not a whole lease.
 */
async function searchStored(
  { ctx, chain, pass }: Reader,
  number: bigint,
): Promise<{ common: BlockRef | undefined; before: bigint }> {
  const at = async (skip: number) =>
    (await findBlocksBefore(ctx.db, chain.network, pass, { number, limit: 1, skip }))[0];
  let [gone, next, before] = [-1, 0, number];
  /** The block at a place if it is on the chain, no block past the lowest place; undefined, and noted, if it is gone. */
  const isBelow = async (place: number): Promise<{ block: BlockRef | undefined } | undefined> => {
    const block = await at(place);
    if (!block) return { block };
    const now = await chain.block(block.number, pass);
    if (now?.hash === block.hash || (await chain.isHeldByMost(block))) return { block };
    [gone, before] = [place, block.number];
    return undefined;
  };
  let found = await isBelow(next);
  while (!found) {
    next = 2 * next + 1;
    found = await isBelow(next);
  }
  while (next - gone > 1) {
    const middle = Math.floor((gone + next) / 2);
    const higher = await isBelow(middle);
    if (higher) [found, next] = [higher, middle];
  }
  return { common: found.block, before };
}
