import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { NETWORKS, type ReceiveNetwork } from '@quittance/contract';
import type { Context } from './context.ts';
import type { BlockRef, Chain, Head } from './outside/chains/chain.ts';
import { createAlarm, type Alarm } from './platform/alarm.ts';
import { TemporaryError } from './platform/errors.ts';
import { failures as failedTurns } from './platform/metrics.ts';
import { later, MINUTE_MS, SECOND_MS, within } from './platform/time.ts';
import {
  LEASE_MS,
  LeaseLostError,
  recordWaiting,
  releaseLease,
  renewLease,
  acquireLease,
  type Lease,
} from './settlement/reading/cursor-store.ts';
import { attributeQueued, type QueuePosition } from './settlement/attribution/attribute-queued.ts';
import { type Rounds, startOfRounds } from './settlement/verification/rounds.ts';
import { verifyTransfers, type View } from './settlement/verification/verify-transfers.ts';
import { holdLease } from './settlement/reading/hold-lease.ts';
import {
  type FailedSaves,
  type ForwardResult,
  type ForwardTurn,
  readForward,
} from './settlement/reading/read-forward.ts';
import { findWatchedAddresses, type WatchedAddresses } from './settlement/reading/watched-addresses.ts';
import { noteHealth, noteIdle, probe, unlessUnreachable } from './watch-health.ts';

/** A process whose turns fail leaves the network to others for this long: longer than their polling interval. */
const STAND_BACK_MS = 6 * SECOND_MS;
/** Consecutive failed turns of reading before another process may try. */
const MAX_FAILED_TURNS = 2;
/** For how long only one provider can be read from before an alarm says so. */
const REPORT_WAITING_AFTER_MS = 60 * MINUTE_MS;
/** How long a turn waits for its second pass. */
const MAX_SECOND_WAIT_MS = 8 * SECOND_MS;
const MAX_QUEUE_TURNS = 100;
/** How often the queue is polled without a signal. */
const QUEUE_EVERY_MS = 1 * SECOND_MS;
/** A single provider is asked a second time this far behind the head. */
const LOOK_AGAIN_BLOCKS = 32n;
const IDLE_MS = 5 * SECOND_MS;
const MIN_BACKOFF_MS = 1 * SECOND_MS;
const MAX_BACKOFF_MS = 20 * SECOND_MS;
/** Slow networks are read twice per block, the others this often. */
const MIN_EVERY_MS = 2 * SECOND_MS;
const TEST_CHAIN_EVERY_MS = 500;

/** `more`: still catching up. `idle`: the network has no watched wallet. `elsewhere`: another process reads it. */
export type Tick = 'more' | 'current' | 'idle' | 'elsewhere';

/** One process's state of watching. All of it may be lost at any moment. */
export interface Watcher {
  holder: string;
  networks: Map<ReceiveNetwork, WatchedNetwork>;
}

interface WatchedNetwork {
  watching?: WatchedAddresses;
  lease?: Lease;
  /** When this process took the lease that it holds. */
  held?: { token: bigint; since: Date };
  /** The turn of the second pass, which may outlast the turn of the network that began it. */
  second?: Promise<ForwardResult | null> | undefined;
  /** The reader's last view; undefined while another process reads the network. */
  view?: View;
  /** Where the last turn of attribution ended. */
  position: QueuePosition;
  /** Where the last turns of verification ended, by the connections of this chain. */
  rounds?: Rounds & { chain: Chain };
  failedSaves: FailedSaves;
  /** The health that this process last stored about the network, and when, by the monotonic clock. */
  noted?: { answered: boolean; atMs: number };
  /** Since when turns have read nothing while a provider names blocks to read, by the monotonic clock. */
  stalledAtMs?: number | undefined;
  /** When it was last stored that there is nothing to read, by the monotonic clock. */
  idleNotedAtMs?: number;
  /** Whether the second pass waits for a provider, as this holder of the lease last stored it, and since when. */
  waiting?: { lease: Lease; waits: boolean; since: Date; isReported: boolean };
}

export function createWatcher(holder: string = randomUUID()): Watcher {
  return { holder, networks: new Map() };
}

/**
 * Starts three loops per network, so that none delays another. Reading stores facts, attribution decides which payment
 * takes them, verification asks every provider about transfers that payments depend on. Ends with `stop`, which waits
 * for running writes.
 */
export function startWatching(ctx: Context): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const watcher = createWatcher();
  const loops = [...ctx.chains.keys()].map((network) => watchNetwork(ctx, watcher, network, stopping.signal));
  return {
    async stop() {
      stopping.abort();
      await Promise.all(loops);
    },
  };
}

async function watchNetwork(
  ctx: Context,
  watcher: Watcher,
  network: ReceiveNetwork,
  signal: AbortSignal,
): Promise<void> {
  const { chainId, genesisHash } = ctx.config.networks[network];
  const isPublic = chainId === null && genesisHash === null;
  const everyMs = isPublic
    ? Math.max((NETWORKS[network].blockSeconds * SECOND_MS) / 2, MIN_EVERY_MS)
    : TEST_CHAIN_EVERY_MS;
  const queue = createAlarm(signal);
  const due = createAlarm(signal);
  const stopListening = await ctx.db.listen('transfers', queue.ring).catch(() => undefined);
  const loop = (name: string, alarm: Alarm, turn: Turns['turn']) =>
    repeat(ctx, { network, name }, { alarm, turn }, signal);
  await Promise.all([
    loop('read', createAlarm(signal), async (failures) => {
      const became = await readOrStandBack(ctx, network, watcher, { failures, signal });
      due.ring();
      return became === 'more' ? 0 : became === 'current' ? everyMs : IDLE_MS;
    }),
    loop('attribute', queue, async () => {
      if (!(await attributeNetwork(ctx, network, watcher))) return QUEUE_EVERY_MS;
      due.ring();
      return 0;
    }),
    loop('verify', due, async () => {
      await verifyNetwork(ctx, network, watcher);
      return everyMs;
    }),
  ]);
  await stopListening?.().catch(() => {});
  const { lease, second } = watcher.networks.get(network) ?? {};
  if (second) await within(MAX_SECOND_WAIT_MS, second, null).catch(() => {});
  if (lease) await releaseLease(ctx.db, lease).catch(() => {});
}

interface Turns {
  /** Ends a wait. */
  alarm: Alarm;
  /** Returns how long to wait for the next turn. */
  turn(failures: number): Promise<number>;
}

/** Runs turns until the signal. After a failure the wait grows. */
async function repeat(
  ctx: Context,
  about: { network: ReceiveNetwork; name: string },
  { alarm, turn }: Turns,
  signal: AbortSignal,
): Promise<void> {
  let failures = 0;
  while (!signal.aborted) {
    alarm.reset();
    try {
      const waitMs = await turn(failures);
      failures = 0;
      if (waitMs > 0) await alarm.wait(waitMs);
    } catch (error) {
      failures += 1;
      failedTurns.inc({ job: `${about.name} ${about.network}` });
      const isExpected = error instanceof TemporaryError || error instanceof LeaseLostError;
      ctx.log[isExpected ? 'warn' : 'error']({ err: error, failures, ...about }, 'network turn failed');
      await pause(Math.min(MIN_BACKOFF_MS * 2 ** Math.min(failures - 1, 10), MAX_BACKOFF_MS), undefined, {
        signal,
      }).catch(() => {});
    }
  }
}

/** One turn of everything, in order: for tests and commands, which do not run the loops. May be interrupted anywhere. */
export async function tick(ctx: Context, network: ReceiveNetwork, watcher: Watcher): Promise<Tick> {
  const became = await readNetwork(ctx, network, watcher);
  if (became === 'idle' || became === 'elsewhere') return became;
  for (let turn = 0; turn < MAX_QUEUE_TURNS && (await attributeNetwork(ctx, network, watcher)); turn += 1);
  await verifyNetwork(ctx, network, watcher);
  return became;
}

/** A turn of reading. A process that fails repeatedly gives the network to one that can read it. */
async function readOrStandBack(
  ctx: Context,
  network: ReceiveNetwork,
  watcher: Watcher,
  { failures, signal }: { failures: number; signal: AbortSignal },
): Promise<Tick> {
  try {
    const became = await readNetwork(ctx, network, watcher);
    if (became === 'more' || became === 'current') await noteHealth(ctx, network, watcher, true);
    else await probe(ctx, network, watcher);
    await yieldIfStalled(ctx, watcher.networks.get(network), signal);
    if (became === 'idle') await noteIdle(ctx, network, watcher);
    return became;
  } catch (error) {
    await noteHealth(ctx, network, watcher, false);
    const state = watcher.networks.get(network);
    if (failures + 1 < MAX_FAILED_TURNS || !state?.lease) throw error;
    ctx.log.warn({ err: error, network }, 'network released: this process cannot read it, others may try');
    await releaseLease(ctx.db, state.lease);
    [state.lease, state.view] = [undefined, undefined];
    await pause(STAND_BACK_MS, undefined, { signal }).catch(() => {});
    throw error;
  }
}

/** Providers of another process may serve what those of this one do not. Until it takes over, this one verifies on. */
async function yieldIfStalled(ctx: Context, state: WatchedNetwork | undefined, signal: AbortSignal): Promise<void> {
  if (!state?.lease || state.stalledAtMs === undefined) return;
  if (performance.now() - state.stalledAtMs < LEASE_MS) return;
  const { network } = state.lease;
  ctx.log.warn({ network }, 'network stalled: no provider serves the next block, other processes may try');
  await releaseLease(ctx.db, state.lease);
  [state.lease, state.stalledAtMs] = [undefined, undefined];
  await pause(STAND_BACK_MS, undefined, { signal }).catch(() => {});
}

/** Reads new blocks, and a second time through another provider. Stores facts and moves the cursors. */
async function readNetwork(ctx: Context, network: ReceiveNetwork, watcher: Watcher): Promise<Tick> {
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
    state.view = undefined;
    return 'elsewhere';
  }
  const { lease, cursors } = held;
  // By this process's own clock since then: asking again would cost a query a turn.
  const clock = () => later(now, performance.now() - startedMs);
  if (state.held?.token !== lease.token) state.held = { token: lease.token, since: now };
  using _ = holdLease(ctx.db, lease, { since: state.held.since, clock });

  // The head comes before the wallets: a session opened later cannot have been paid in these blocks yet.
  const head = await chain.head('first');
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
  if (!first.isStalled) await renewLease(ctx.db, lease, 'first', readAt);
  state.stalledAtMs = first.isStalled ? (state.stalledAtMs ?? startedMs) : undefined;
  noteView(state, { head, watching, forkedAt: first.forkedAt });
  // The first pass does not wait for a slow provider of the second one, which goes on beside the next turns.
  state.second ??= readSecond(ctx, chain, state, { lease, cursor: cursors.get('second'), head, watching, clock });
  const second = await within(MAX_SECOND_WAIT_MS, state.second, null);
  await noteWaiting(ctx, chain, state, { lease, now: readAt });
  return first.caughtUp && (second?.caughtUp ?? true) ? 'current' : 'more';
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

/** A reorg stays noted until verification has checked the transfers that it may have moved. */
function noteView(state: WatchedNetwork, view: View): void {
  const forks = [state.view?.forkedAt, view.forkedAt].filter((block) => block != null);
  state.view = {
    ...view,
    forkedAt: forks.length === 0 ? null : forks.reduce((lowest, block) => (block < lowest ? block : lowest)),
  };
}

/** True if the queue was not empty. Only the process that reads a network works on its queue. */
async function attributeNetwork(ctx: Context, network: ReceiveNetwork, watcher: Watcher): Promise<boolean> {
  const state = watcher.networks.get(network);
  return state?.view !== undefined && (await attributeQueued(ctx, network, state.position)) > 0;
}

async function verifyNetwork(ctx: Context, network: ReceiveNetwork, watcher: Watcher): Promise<void> {
  const [chain, state] = [ctx.chains.get(network), watcher.networks.get(network)];
  if (!chain || !state?.view) return;
  const { view } = state;
  state.view = { ...view, forkedAt: null };
  if (state.rounds?.chain !== chain) state.rounds = { ...startOfRounds(), chain };
  try {
    await verifyTransfers(ctx, chain, view, state.rounds);
  } catch (error) {
    if (state.view) noteView(state, { ...state.view, forkedAt: view.forkedAt });
    throw error;
  }
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
