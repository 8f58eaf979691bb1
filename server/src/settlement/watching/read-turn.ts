import type { ReceiveNetwork } from '@quittance/contract';
import type { Context } from '../../context.ts';
import type { BlockRef, Chain, Head } from '../../outside/chains/chain.ts';
import { later, MINUTE_MS, within } from '../../platform/time.ts';
import { acquireLease, LEASE_MS, type Lease, recordWaiting, renewLease } from '../reading/cursor-store.ts';
import { needsReading } from '../reading/demand-store.ts';
import { holdLease } from '../reading/hold-lease.ts';
import { type ForwardResult, type ForwardTurn, readForward } from '../reading/read-forward.ts';
import { findWatchedAddresses, type WatchedAddresses } from '../reading/watched-addresses.ts';
import { unlessUnreachable } from './note-health.ts';
import { isRested, rest } from './rest.ts';
import { MAX_SECOND_WAIT_MS, noteView, type Tick, type WatchedNetwork, type Watcher } from './watcher.ts';

/** For how long only one provider can be read from before an alarm says so. */
const REPORT_WAITING_AFTER_MS = 60 * MINUTE_MS;
/** A single provider is asked a second time this far behind the head. */
const LOOK_AGAIN_BLOCKS = 32n;

/** How rarely a network may be read, in milliseconds. */
export interface Pace {
  /** Between two looks while no customer can pay and nothing waits; 0 if each turn reads. */
  restMs: number;
}

/** For tests and commands. */
export const EVERY_TURN: Pace = { restMs: 0 };

/** Reads new blocks, and a second time through another provider. Stores facts and moves the cursors. */
export async function readNetwork(
  ctx: Context,
  network: ReceiveNetwork,
  watcher: Watcher,
  { restMs }: Pace = EVERY_TURN,
): Promise<Tick> {
  const chain = ctx.chains.get(network);
  if (!chain) return 'idle';
  const state: WatchedNetwork = watcher.networks.get(network) ?? {
    position: { address: '' },
    failedSaves: new Map(),
  };
  watcher.networks.set(network, state);
  const startedMs = performance.now();
  const now = await ctx.db.now();
  // A set that had wallets a moment ago still has some; the set itself is loaded below.
  if (!state.watching?.addresses.size && (await watched(ctx, network, state, now)).addresses.size === 0) return 'idle';

  const held = await acquireLease(ctx.db, network, watcher.holder, { now, until: later(now, LEASE_MS) });
  state.lease = held?.lease;
  if (!held) {
    [state.view, state.lookedAt] = [undefined, undefined];
    return 'elsewhere';
  }
  const { lease, cursors } = held;
  // By this process's own clock since then: asking again would cost a query a turn.
  const clock = () => later(now, performance.now() - startedMs);
  if (state.held?.token !== lease.token) {
    state.held = { token: lease.token, since: now };
    state.lookedAt = undefined;
  }
  // Before the head, so that what is paid after this moment is in a later block or read now.
  const isAwake = restMs === 0 || (await needsReading(ctx.db, network, now));
  state.isAwake = isAwake;
  if (!isAwake && isRested(state, restMs, now)) {
    await rest(ctx.db, chain, state, { lease, now: clock() });
    return 'resting';
  }
  using _ = holdLease(ctx.db, lease, { since: state.held.since, clock });

  // The head comes before the wallets: a session opened later cannot have been paid in these blocks yet.
  const head = await chain.head('first');
  state.answeredAtMs = performance.now();
  const watching = await watched(ctx, network, state, now);
  if (watching.addresses.size === 0) return 'idle';

  const first = await readForward(ctx, chain, lease, {
    pass: 'first',
    cursor: cursors.get('first'),
    head,
    watching,
    clock,
    failedSaves: state.failedSaves,
  });
  const readAt = clock();
  // Reading nothing keeps the alarm of stalled networks from being raised only if there was nothing to read.
  if (!first.isStalled) await renewLease(ctx.db, lease, { pass: 'first' }, readAt);
  state.stalledAtMs = first.isStalled ? (state.stalledAtMs ?? startedMs) : undefined;
  noteView(state, { head, watching, forkedAt: first.forkedAt });
  // The first pass does not wait for a slow provider of the second one, which goes on beside the next turns.
  state.second ??= readSecond(ctx, chain, state, { lease, cursor: cursors.get('second'), head, watching, clock });
  const second = await within(MAX_SECOND_WAIT_MS, state.second, null);
  await noteWaiting(ctx, chain, state, { lease, now: readAt });
  const isCaughtUp = first.caughtUp && (second?.caughtUp ?? true);
  state.lookedAt = !isAwake && isCaughtUp && !first.isStalled ? now : undefined;
  return isCaughtUp ? 'current' : 'more';
}

/** One turn of the second pass; null if no provider answers it. Never reads beyond the head that the wallets belong to. */
async function readSecond(
  ctx: Context,
  chain: Chain,
  state: WatchedNetwork,
  { lease, cursor, head, ...turn }: { lease: Lease } & Omit<ForwardTurn, 'pass' | 'failedSaves'>,
): Promise<ForwardResult | null> {
  const { failedSaves } = state;
  try {
    // Until the provider of the second pass answers, or is given up, no pending payment expires.
    const second = await unlessUnreachable(ctx, { network: chain.network, subject: 'second pass' }, async () => {
      const own = await secondHeadOf(ctx, chain, head, cursor);
      if (!own) return null;
      const until = own.number > head.number ? { ...head, safe: null, finalized: null } : own;
      return readForward(ctx, chain, lease, { pass: 'second', cursor, head: until, failedSaves, ...turn });
    });
    if (state.view && second) noteView(state, { ...state.view, forkedAt: second.forkedAt });
    return second;
  } finally {
    state.second = undefined;
  }
}

/** While only one provider answers, payments expire by what it reads alone. */
async function noteWaiting(
  ctx: Context,
  chain: Chain,
  state: WatchedNetwork,
  { lease, now }: { lease: Lease; now: Date },
): Promise<void> {
  const waits = chain.health().isDownToOne;
  const before = state.waiting;
  const isKnown = before?.waits === waits && before.lease.token === lease.token;
  if (!isKnown) await recordWaiting(ctx.db, lease, waits);
  const waiting = isKnown ? before : { lease, waits, since: now, isReported: false };
  state.waiting = waiting;
  if (!waits || waiting.isReported || now.getTime() - waiting.since.getTime() < REPORT_WAITING_AFTER_MS) return;
  waiting.isReported = true;
  ctx.log.error(
    { alarm: 'second_pass_waits', network: chain.network, since: waiting.since },
    'second pass delayed: only one provider can be read from, and what it leaves out is missed until another one answers',
  );
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
  if (ctx.config.networks[chain.network].rpcUrls.length > 1) return chain.head('second');
  if (head.number < LOOK_AGAIN_BLOCKS) return null;
  if (cursor && head.number - cursor.number < 2n * LOOK_AGAIN_BLOCKS) return null;
  const until = await chain.block(head.number - LOOK_AGAIN_BLOCKS);
  return until ? { ...until, safe: null, finalized: null } : null;
}

/** The watched set; the same object if nothing has changed, so that what was prepared from it can be reused. */
async function watched(
  ctx: Context,
  network: ReceiveNetwork,
  state: WatchedNetwork,
  now: Date,
): Promise<WatchedAddresses> {
  const before = state.watching;
  const found = await findWatchedAddresses(ctx.db, network, now, before);
  const isSame =
    before !== undefined &&
    before.addresses.size === found.addresses.size &&
    [...found.addresses].every((address) => before.addresses.has(address));
  state.watching = isSame ? { ...found, addresses: before.addresses } : found;
  return state.watching;
}
