import type { ReceiveNetwork } from '@quittance/contract';
import type { Context } from '../../context.ts';
import { later, MINUTE_MS, within } from '../../platform/time.ts';
import { acquireLease, LEASE_MS, renewLease } from '../reading/cursor-store.ts';
import { findAwaited, findDemand } from '../reading/demand-store.ts';
import { holdLease } from '../reading/hold-lease.ts';
import { readForward } from '../reading/read-forward.ts';
import { findWatchedAddresses, type WatchedAddresses } from '../reading/watched-addresses.ts';
import { finalityRule, type FinalityRule, LARGE_USD_MINOR, requirement } from '../verification/finality.ts';
import { isNeeded, isRested, type Pace, rest } from './rest.ts';
import { isDue, noteWaiting, readSecond } from './second-pass.ts';
import { MAX_SECOND_WAIT_MS, noteView, type Tick, type WatchedNetwork, type Watcher } from './watcher.ts';

/** How often the tags are asked for that make transfers without a payment final. */
const TAGS_EVERY_MS = 1 * MINUTE_MS;

/** Both passes read in every turn: for tests, commands and test chains. */
export const EVERY_TURN: Pace = { restMs: 0, openMs: 0, secondMs: 0 };

/** Reads new blocks, and a second time through another provider. Stores facts and moves the cursors. */
export async function readNetwork(
  ctx: Context,
  network: ReceiveNetwork,
  watcher: Watcher,
  pace: Pace = EVERY_TURN,
): Promise<Tick> {
  const chain = ctx.chains.get(network);
  if (!chain) return 'idle';
  const { secondMs } = pace;
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
    [state.view, state.lookedAt, state.readAt] = [undefined, undefined, undefined];
    return 'elsewhere';
  }
  const { lease, cursors } = held;
  // By this process's own clock since then: asking again would cost a query a turn.
  const clock = () => later(now, performance.now() - startedMs);
  if (state.held?.token !== lease.token) {
    state.held = { token: lease.token, since: now };
    [state.lookedAt, state.readAt, state.secondAt] = [undefined, undefined, undefined];
  }
  // Before the head, so that what is paid after this moment is in a later block or read now.
  if (await mayRest(ctx, network, state, { pace, now })) {
    await rest(ctx.db, chain, state, { lease, now: clock() });
    return 'resting';
  }
  using _ = holdLease(ctx.db, lease, { since: state.held.since, clock });

  // The head comes before the wallets: a session opened later cannot have been paid in these blocks yet.
  const head = await chain.head('first', { tags: secondMs === 0 || (await needsTags(ctx, network, state, now)) });
  state.answeredAtMs = performance.now();
  const watching = await watched(ctx, network, state, now);
  if (watching.addresses.size === 0) return 'idle';

  const turn = { head, watching, rewatch: () => watched(ctx, network, state, now), clock };
  const { failedSaves } = state;
  const first = await readForward(ctx, chain, lease, {
    pass: 'first',
    cursor: cursors.get('first'),
    failedSaves,
    ...turn,
  });
  const readAt = clock();
  // Reading nothing keeps the alarm of stalled networks from being raised only if there was nothing to read.
  if (!first.isStalled) await renewLease(ctx.db, lease, { pass: 'first' }, readAt);
  state.stalledAtMs = first.isStalled ? (state.stalledAtMs ?? startedMs) : undefined;
  noteView(state, { head, watching, forkedAt: first.forkedAt });
  const pass = { lease, cursor: cursors.get('second'), now, ...turn };
  const isSecondDue = !state.isAwake || (await isDue(ctx.db, state, pass, { secondMs, first }));
  // The first pass does not wait for a slow provider of the second one, which goes on beside the next turns.
  if (isSecondDue) state.second ??= readSecond(ctx, chain, state, pass);
  const second = await within(MAX_SECOND_WAIT_MS, state.second ?? Promise.resolve(null), null);
  await noteWaiting(ctx, chain, state, { lease, now: readAt });
  const isCaughtUp = first.caughtUp && (second?.caughtUp ?? true);
  const doneAt = isCaughtUp && !first.isStalled ? now : undefined;
  [state.lookedAt, state.readAt] = state.isAwake ? [undefined, doneAt] : [doneAt, undefined];
  return isCaughtUp ? 'current' : 'more';
}

/** Whether a network needs no reading in this turn. Notes whether it is awake. */
async function mayRest(
  { db }: Context,
  network: ReceiveNetwork,
  state: WatchedNetwork,
  { pace, now }: { pace: Pace; now: Date },
): Promise<boolean> {
  const demand = pace.restMs === 0 ? 'sent' : await findDemand(db, network, now);
  if (demand) state.neededAt = now;
  state.isAwake = isNeeded(state, now);
  return isRested(state, pace, demand, now);
}

/**
 * Whether the head needs the chain's own tags: while a payment waits for them, and now and then for transfers that no payment
 * depends on.
 */
async function needsTags(ctx: Context, network: ReceiveNetwork, state: WatchedNetwork, now: Date): Promise<boolean> {
  const { confirmations } = ctx.config.networks[network];
  const awaited = await findAwaited(ctx.db, network);
  const isUrgent = awaited.some(
    ({ currency, amountMinor, ...sent }) =>
      currency !== null &&
      amountMinor !== null &&
      byTag(requirement(network, { ...sent, currency, amountMinor }, confirmations).rule),
  );
  const ageMs = now.getTime() - (state.tagsAt?.getTime() ?? Number.NEGATIVE_INFINITY);
  const isDue =
    awaited.some(({ currency }) => currency === null) &&
    byTag(finalityRule(network, LARGE_USD_MINOR, confirmations)) &&
    Math.abs(ageMs) >= TAGS_EVERY_MS;
  if (isUrgent || isDue) state.tagsAt = now;
  return isUrgent || isDue;
}

function byTag({ type }: FinalityRule): boolean {
  return type !== 'confirmations';
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
  if (found === before) return found;
  const isSame =
    before?.addresses.size === found.addresses.size &&
    [...found.addresses].every((address) => before.addresses.has(address));
  state.watching = isSame ? { ...found, addresses: before.addresses } : found;
  return state.watching;
}
