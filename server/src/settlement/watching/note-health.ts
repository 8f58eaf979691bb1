import type { ReceiveNetwork } from '@quittance/contract';
import type { Context } from '../../context.ts';
import { TemporaryError } from '../../platform/errors.ts';
import { Outage } from '../../platform/outage.ts';
import { SECOND_MS, MINUTE_MS } from '../../platform/time.ts';
import { recordIdle } from '../reading/cursor-store.ts';
import { recordNetworkHealth } from '../reading/network-health-store.ts';
import type { WatchedNetwork, Watcher } from './watcher.ts';

/** A worker with nothing to read on a network asks for a sign of life this often, to report that the network is reachable. */
export const PROBE_EVERY_MS = 1 * MINUTE_MS;

/** How often a reading process stores its health; a change is stored at once. */
const NOTE_EVERY_MS = 5 * SECOND_MS;
/** How often a network without watched wallets is stored as read: well before it would count as stalled. */
const NOTE_IDLE_EVERY_MS = 10 * SECOND_MS;

/** Asks the providers if there is nothing to read, so that other processes know which networks can be offered. */
export async function probe(ctx: Context, network: ReceiveNetwork, watcher: Watcher): Promise<void> {
  // In development no unneeded request is made: a first start may be offline.
  if (ctx.config.profile === 'development') return;
  const state = watcher.networks.get(network);
  if (!state) return;
  const { noted } = state;
  const everyMs = noted?.answered === false ? NOTE_IDLE_EVERY_MS : PROBE_EVERY_MS;
  if (noted && performance.now() - noted.atMs < everyMs) return;
  const poll = async () => {
    await ctx.chains.get(network)?.probe();
    return true;
  };
  const answered = await unlessUnreachable(ctx, state, { network, subject: 'probe' }, poll);
  await noteHealth(ctx, network, watcher, answered ?? false);
}

/** Stores that there is nothing to read, unless nothing could be read: a network that would be stalled is not offered. */
export async function noteIdle(ctx: Context, network: ReceiveNetwork, watcher: Watcher): Promise<void> {
  const state = watcher.networks.get(network);
  if (state?.noted?.answered === false) return;
  if (!state || performance.now() - (state.idleNotedAtMs ?? Number.NEGATIVE_INFINITY) < NOTE_IDLE_EVERY_MS) return;
  state.idleNotedAtMs = performance.now();
  await recordIdle(ctx.db, network, await ctx.db.now()).catch((error) =>
    ctx.log.warn({ err: error, network }, 'idle network not recorded'),
  );
}

/** Health is for operators and for the choice of networks; a failure to store it must not stop the reading. */
export async function noteHealth(
  ctx: Context,
  network: ReceiveNetwork,
  watcher: Watcher,
  answered: boolean,
): Promise<void> {
  const [chain, state] = [ctx.chains.get(network), watcher.networks.get(network)];
  if (!chain || !state) return;
  if (state.noted?.answered === answered && performance.now() - state.noted.atMs < NOTE_EVERY_MS) return;
  state.noted = { answered, atMs: performance.now() };
  await recordNetworkHealth(ctx.db, chain, watcher.holder, answered).catch((error) =>
    ctx.log.warn({ err: error, network }, 'network health not recorded'),
  );
}

/** Stores a provider's answer to a process that reads nothing, once: no later turn is an answer. */
export async function noteAnswer(ctx: Context, network: ReceiveNetwork, watcher: Watcher): Promise<void> {
  const { answeredAtMs, noted } = watcher.networks.get(network) ?? {};
  if (answeredAtMs === undefined || (noted?.answered && answeredAtMs <= noted.atMs)) return;
  await noteHealth(ctx, network, watcher, true);
}

/** Null while no provider answers: neither a probe nor the second pass may fail the turn of reading. */
export async function unlessUnreachable<T>(
  ctx: Context,
  state: WatchedNetwork,
  { network, subject }: { network: ReceiveNetwork; subject: 'second pass' | 'probe' },
  look: () => Promise<T>,
): Promise<T | null> {
  state.outages ??= { probe: new Outage(), 'second pass': new Outage() };
  const outage = state.outages[subject];
  try {
    const seen = await look();
    outage.end();
    return seen;
  } catch (error) {
    if (!(error instanceof TemporaryError)) throw error;
    if (outage.isDue()) ctx.log.warn({ why: error.message, network }, `${subject} skipped: no provider answered`);
    return null;
  }
}
