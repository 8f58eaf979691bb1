import type { Context } from '../../context.ts';
import type { Job } from '../../job.ts';
import { type BlockRef, type Chain, ReorgError, type Reading } from '../../outside/chains/chain.ts';
import { isUnavailable } from '../../platform/db/unavailable.ts';
import { TemporaryError } from '../../platform/errors.ts';
import { failures } from '../../platform/metrics.ts';
import { HOUR_MS, later, MINUTE_MS, SECOND_MS } from '../../platform/time.ts';
import { providersOf, reporterOf } from '../records/contested.ts';
import { storeOrSetAside } from './store-one-by-one.ts';
import { findDueGaps, type Gap, type Look, noteLook, recordAttempt, reportGaps } from './unseen-store.ts';
import { findWatchedAddresses } from './watched-addresses.ts';

const MIN_RETRY_MS = 1 * MINUTE_MS;
const MAX_RETRY_MS = 10 * MINUTE_MS;
/** How old a gap is when an alarm names it. */
const REPORT_AFTER_MS = 1 * HOUR_MS;
const MAX_GAPS_PER_TURN = 20;
/** About what one step of whole blocks reads. */
const STRETCH_BLOCKS = 24n;
const MAX_TURN_MS = 20 * SECOND_MS;
/** How many providers must have looked at blocks. */
const MIN_LOOKS = 2;

/**
 * Reads blocks again in which not everything could be looked for, until two providers serve what it takes, or the only
 * one. They hold the payments that they may have paid; if one provider has looked, for an hour.
 */
export const lookAgainJob: Job = {
  name: 'look-again',
  everyMs: MIN_RETRY_MS,
  async run(ctx, signal) {
    // Beside each other, so that a slow network delays only its own gaps.
    const turns = await Promise.allSettled([...ctx.chains.values()].map((chain) => lookAgain(ctx, chain, signal)));
    await reportLasting(ctx);
    const failed = turns.find((turn) => turn.status === 'rejected');
    if (failed) throw failed.reason;
    const isOver = turns.every((turn) => turn.status === 'fulfilled' && turn.value === 'done');
    return isOver || signal.aborted ? 'idle' : 'more';
  },
};

/** Names each gap in one alarm, before the commit that says so: if the process ends between the two, it is not lost. */
async function reportLasting(ctx: Context): Promise<void> {
  const now = await ctx.db.now();
  await ctx.db.transaction(async (db) => {
    const gaps = await reportGaps(db, { before: later(now, -REPORT_AFTER_MS), now });
    for (const { network, asset, blocks, fromBlock, toBlock, since, lookedBy, why } of gaps)
      ctx.log.error(
        {
          alarm: 'blocks_unseen',
          network,
          asset,
          blocks,
          from: fromBlock.toString(),
          to: toBlock.toString(),
          since,
          lookedBy,
          why,
        },
        lookedBy === null
          ? 'blocks not looked at for an hour: payments that they may hold stay pending until a provider serves what is missing'
          : 'blocks looked at by one provider for an hour: what it left out is missed until another one serves what is missing',
      );
  });
}

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
    // Refreshes how far the providers have come.
    await chain.head('first', { tags: false });
    for (let last = gap.nextBlock; last >= fromBlock; last -= STRETCH_BLOCKS) {
      if (isOver()) return 'more';
      const before = last - STRETCH_BLOCKS < fromBlock ? fromBlock - 1n : last - STRETCH_BLOCKS;
      if (await lookAt(ctx, chain, { before, last }, gap)) continue;
      await recordAttempt(ctx.db, network, { before, last }, await ctx.db.now());
      break;
    }
  } catch (error) {
    if (!(error instanceof TemporaryError)) throw error;
    ctx.log.warn({ err: error, network }, 'blocks not looked at again: trying later');
  }
  return 'done';
}

/** Blocks after `before` up to `last`. */
interface Stretch {
  before: bigint;
  last: bigint;
}

/**
 * Lets providers look at blocks until two have, or the only one: a single one could close a gap by leaving something out.
 * Returns whether that is so.
 */
async function lookAt(ctx: Context, chain: Chain, stretch: Stretch, { lookedBy }: Gap): Promise<boolean> {
  const names = providersOf(chain);
  const needed = names.length > 1 ? MIN_LOOKS : 1;
  let looks = needed > 1 && lookedBy !== null ? 1 : 0;
  for (const name of needed > 1 ? names.filter((other) => other !== lookedBy) : names) {
    if (looks >= needed) break;
    if (await lookBy(ctx, chain, stretch, name)) looks += 1;
  }
  return looks >= needed;
}

/** Whether this provider could look at all of the blocks. */
async function lookBy(ctx: Context, chain: Chain, { before, last }: Stretch, name: string): Promise<boolean> {
  try {
    const [first, until] = [await chain.block(before, { only: name }), await chain.block(last, { only: name })];
    if (!first || !until) return false;
    const watching = await findWatchedAddresses(ctx.db, chain.network, await ctx.db.now());
    let isAllSeen = true;
    for (let after = first; after.number < last; ) {
      // A new object each time: a reader returns nothing more for a head that it has read up to.
      const target = { ...until, safe: null, finalized: null };
      const reading = await chain.read({ after, until: target, watching, pass: 'first', only: name });
      if (reading.covered.number === after.number) return false;
      await save(ctx, chain, after, reading);
      isAllSeen &&= !reading.unseen;
      after = reading.covered;
    }
    return isAllSeen;
  } catch (error) {
    const isExpected = error instanceof TemporaryError || error instanceof ReorgError;
    if (!isExpected && isUnavailable(error)) throw error;
    // Its gap waits like one that the provider cannot show, and the others have their turn.
    if (!isExpected) failures.inc({ job: lookAgainJob.name });
    ctx.log.warn({ err: error, network: chain.network, provider: name }, 'blocks not looked at again: trying later');
    return false;
  }
}

async function save(ctx: Context, chain: Chain, after: BlockRef, reading: Reading): Promise<void> {
  const { network } = chain;
  const { provider } = reading;
  const reporter = reporterOf(chain, provider);
  const needsAnother = providersOf(chain).length > 1;
  await storeOrSetAside(ctx, { network, pass: 'second', transfers: reading.transfers, reporter });
  const now = await ctx.db.now();
  await ctx.db.transaction(async (db) => {
    for (const part of seenParts(after, reading))
      await noteLook(db, network, { ...part, lookedBy: provider, needsAnother }, now);
    db.afterCommit(() => {
      ctx.db.notify('covered', network);
      if (reading.transfers.length > 0) ctx.db.notify('transfers', network);
    });
  });
}

/** What a reading covered without the blocks that it could not look at. */
function seenParts(after: BlockRef, { covered, unseen = [] }: Reading): Pick<Look, 'after' | 'to'>[] {
  const ends = [...unseen.map(({ from }) => from.number - 1n), covered.number];
  return [after, ...unseen.map(({ to }) => to)]
    .map(({ number }, at) => ({ after: number, to: ends[at] as bigint }))
    .filter((part) => part.to > part.after);
}
