import type { Context } from '../../context.ts';
import type { Job } from '../../job.ts';
import { type BlockRef, type Chain, type Head, ReorgError, type Reading } from '../../outside/chains/chain.ts';
import { TemporaryError } from '../../platform/errors.ts';
import { HOUR_MS, later, MINUTE_MS, SECOND_MS } from '../../platform/time.ts';
import { reporterOf } from '../records/contested.ts';
import { storeFacts } from './store-facts.ts';
import {
  closeSeen,
  findDueGaps,
  type Gap,
  recordAttempt,
  recordUnseen,
  reportGaps,
  type SeenBlocks,
} from './unseen-store.ts';
import { findWatchedAddresses } from './watched-addresses.ts';

const MIN_RETRY_MS = 1 * MINUTE_MS;
const MAX_RETRY_MS = 10 * MINUTE_MS;
/** How old a gap is when an alarm names it. */
const REPORT_AFTER_MS = 1 * HOUR_MS;
const MAX_GAPS_PER_TURN = 20;
/** About what one step of whole blocks reads. */
const STRETCH_BLOCKS = 24n;
const MAX_TURN_MS = 20 * SECOND_MS;

/**
 * Reads blocks again in which not everything could be looked for, until a provider serves what it takes. They hold the
 * payments that they may have paid.
 */
export const lookAgainJob: Job = {
  name: 'look-again',
  everyMs: MIN_RETRY_MS,
  async run(ctx, signal) {
    // Beside each other, so that a slow network delays only its own gaps.
    const turns = await Promise.allSettled([...ctx.chains.values()].map((chain) => lookAgain(ctx, chain, signal)));
    const now = await ctx.db.now();
    for (const { network, asset, blocks, fromBlock, toBlock, since, why } of await reportGaps(ctx.db, {
      before: later(now, -REPORT_AFTER_MS),
      now,
    }))
      ctx.log.error(
        {
          alarm: 'blocks_unseen',
          network,
          asset,
          blocks,
          from: fromBlock.toString(),
          to: toBlock.toString(),
          since,
          why,
        },
        'blocks not looked at for an hour: payments that they may hold stay pending until a provider serves what is missing',
      );
    const failed = turns.find((turn) => turn.status === 'rejected');
    if (failed) throw failed.reason;
    const isOver = turns.every((turn) => turn.status === 'fulfilled' && turn.value === 'done');
    return isOver || signal.aborted ? 'idle' : 'more';
  },
};

/** One turn of a network. `more` if it was over before all due gaps were looked through. */
async function lookAgain(ctx: Context, chain: Chain, signal: AbortSignal): Promise<'more' | 'done'> {
  const startedMs = performance.now();
  const isOver = () => signal.aborted || performance.now() - startedMs > MAX_TURN_MS;
  const due = { now: await ctx.db.now(), minMs: MIN_RETRY_MS, maxMs: MAX_RETRY_MS, limit: MAX_GAPS_PER_TURN };
  for (const gap of await findDueGaps(ctx.db, chain.network, due))
    if (isOver() || (await lookThrough(ctx, chain, gap, isOver)) === 'more') return 'more';
  return 'done';
}

/** Reads a gap backward until all of it is closed, some of it still cannot be looked at, or the turn is over. */
async function lookThrough(ctx: Context, chain: Chain, gap: Gap, isOver: () => boolean): Promise<'more' | 'done'> {
  const { network, fromBlock } = gap;
  try {
    const head = await chain.head('first', { tags: false });
    for (let last = gap.nextBlock; last >= fromBlock; last -= STRETCH_BLOCKS) {
      if (isOver()) return 'more';
      const before = last - STRETCH_BLOCKS < fromBlock ? fromBlock - 1n : last - STRETCH_BLOCKS;
      if (await lookAt(ctx, chain, { before, last }, head)) continue;
      await recordAttempt(ctx.db, network, { before, last }, await ctx.db.now());
      break;
    }
  } catch (error) {
    if (!(error instanceof TemporaryError) && !(error instanceof ReorgError)) throw error;
    ctx.log.warn({ err: error, network }, 'blocks not looked at again: trying later');
  }
  return 'done';
}

/** Reads the blocks after `before` up to `last`. Returns whether all of them could be looked at. */
async function lookAt(
  ctx: Context,
  chain: Chain,
  { before, last }: { before: bigint; last: bigint },
  head: Head,
): Promise<boolean> {
  const [first, until] = [await chain.block(before), await chain.block(last)];
  if (!first || !until) return false;
  const watching = await findWatchedAddresses(ctx.db, chain.network, await ctx.db.now());
  let isAllSeen = true;
  for (let after = first; after.number < last; ) {
    // A new object each time: a reader returns nothing more for a head that it has read up to.
    const target = { ...until, safe: head.safe, finalized: head.finalized };
    const reading = await chain.read({ after, until: target, watching, pass: 'first' });
    if (reading.covered.number === after.number) return false;
    await save(ctx, chain, after, reading);
    isAllSeen &&= !reading.unseen;
    after = reading.covered;
  }
  return isAllSeen;
}

async function save(ctx: Context, chain: Chain, after: BlockRef, reading: Reading): Promise<void> {
  const { network } = chain;
  const reporter = reporterOf(chain, reading.provider);
  const now = await ctx.db.now();
  await ctx.db.transaction(async (db) => {
    await storeFacts(db, { network, pass: 'second', transfers: reading.transfers, reporter }, now);
    for (const part of seenParts(after, reading)) await closeSeen(db, network, part);
    for (const blocks of reading.unseen ?? []) await recordUnseen(db, network, blocks, now);
    db.afterCommit(() => {
      ctx.db.notify('covered', network);
      if (reading.transfers.length > 0) ctx.db.notify('transfers', network);
    });
  });
}

/** What a reading covered without the blocks that it could not look at. */
function seenParts(after: BlockRef, { covered, unseen = [] }: Reading): SeenBlocks[] {
  const ends = [...unseen.map(({ from }) => ({ number: from.number - 1n, time: from.time })), covered];
  return [after, ...unseen.map(({ to }) => to)]
    .map((start, at) => ({ after: start, to: ends[at] as SeenBlocks['to'] }))
    .filter((part) => part.to.number > part.after.number);
}
