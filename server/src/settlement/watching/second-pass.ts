import type { Context } from '../../context.ts';
import { type BlockRef, type Chain, type Head, UNREACHABLE_MIN_MS } from '../../outside/chains/chain.ts';
import type { Db } from '../../platform/db/db.ts';
import { type Lease, recordWaiting } from '../reading/cursor-store.ts';
import { endsBetween } from '../reading/demand-store.ts';
import { type ForwardResult, type ForwardTurn, readForward } from '../reading/read-forward.ts';
import { unlessUnreachable } from './note-health.ts';
import { noteView, type WatchedNetwork } from './watcher.ts';

/** A single provider is asked a second time this far behind the head. */
const LOOK_AGAIN_BLOCKS = 32n;

/** One turn of the second pass. */
type SecondTurn = { lease: Lease; now: Date } & Omit<ForwardTurn, 'pass' | 'failedSaves'>;

/**
 * Whether the second pass reads in this turn: each half minute, because what only one provider has reported waits for it; and
 * at once if it got no further the last time, if the first pass changed its provider, or if a payment ends with it.
 */
export async function isDue(
  db: Db,
  state: WatchedNetwork,
  { lease, cursor, head, now }: SecondTurn,
  { secondMs, first }: { secondMs: number; first: ForwardResult },
): Promise<boolean> {
  const hasChanged = first.readers.some((reader) => reader !== state.reader);
  state.reader = first.readers.at(-1) ?? state.reader;
  if (secondMs === 0 || hasChanged || !state.secondAt || !cursor) return true;
  const ageMs = now.getTime() - state.secondAt.getTime();
  return ageMs < 0 || ageMs >= secondMs || endsBetween(db, lease.network, { from: cursor.time, to: head.time });
}

/** One turn of the second pass; null if no provider answers it. Never reads beyond the head that the wallets belong to. */
export async function readSecond(
  ctx: Context,
  chain: Chain,
  state: WatchedNetwork,
  { lease, cursor, head, now, ...turn }: SecondTurn,
): Promise<ForwardResult | null> {
  const { failedSaves } = state;
  state.secondAt = undefined;
  try {
    // Until the provider of the second pass answers, or is given up, no pending payment expires.
    const second = await unlessUnreachable(ctx, state, { network: chain.network, subject: 'second pass' }, async () => {
      const own = await secondHeadOf(ctx, chain, head, cursor);
      if (!own) return null;
      const until = own.number > head.number ? { ...head, safe: null, finalized: null } : own;
      return readForward(ctx, chain, lease, { pass: 'second', cursor, head: until, failedSaves, ...turn });
    });
    // Of a lease that is lost meanwhile, the next holder knows nothing.
    if (second?.caughtUp && state.held?.token === lease.token) state.secondAt = now;
    state.unbegunSince = second || cursor ? undefined : (state.unbegunSince ?? now);
    if (state.view && second) noteView(state, { ...state.view, forkedAt: second.forkedAt });
    return second;
  } finally {
    state.second = undefined;
  }
}

/** While only one provider answers, payments expire by what it reads alone. */
export async function noteWaiting(
  ctx: Context,
  chain: Chain,
  state: WatchedNetwork,
  { lease, now }: { lease: Lease; now: Date },
): Promise<void> {
  const { isDownToOne, providers } = chain.health();
  // Or the other one answers, and cannot say where reading begins.
  const { unbegunSince = now } = state;
  const waits = isDownToOne || (providers.length > 1 && now.getTime() - unbegunSince.getTime() >= UNREACHABLE_MIN_MS);
  const before = state.waiting;
  if (before?.waits === waits && before.lease.token === lease.token) return;
  await recordWaiting(ctx.db, lease, waits);
  state.waiting = { lease, waits };
}

/**
 * How far the second pass reads. Another provider is asked at once. A single provider is asked again later, a range at
 * a time, because it may have served a block before it knew all of its transactions.
 */
async function secondHeadOf(
  ctx: Context,
  chain: Chain,
  head: Head,
  cursor: BlockRef | undefined,
): Promise<Head | null> {
  if (ctx.config.networks[chain.network].rpcUrls.length > 1) return chain.head('second', { tags: false });
  if (head.number < LOOK_AGAIN_BLOCKS) return null;
  if (cursor && head.number - cursor.number < 2n * LOOK_AGAIN_BLOCKS) return null;
  const until = await chain.block(head.number - LOOK_AGAIN_BLOCKS);
  return until ? { ...until, safe: null, finalized: null } : null;
}
