import { setTimeout as pause } from 'node:timers/promises';
import type { ReceiveNetwork } from '@quittance/contract';
import type { Context } from '../../context.ts';
import { SECOND_MS } from '../../platform/time.ts';
import { LEASE_MS, releaseLease } from '../reading/cursor-store.ts';
import { noteAnswer, noteHealth, noteIdle, probe } from './note-health.ts';
import { readNetwork } from './read-turn.ts';
import type { Pace } from './rest.ts';
import type { Tick, WatchedNetwork, Watcher } from './watcher.ts';

/** A process whose turns fail leaves the network to others for this long: longer than their polling interval. */
const STAND_BACK_MS = 6 * SECOND_MS;
/** Consecutive failed turns of reading before another process may try. */
const MAX_FAILED_TURNS = 2;

/** A turn of reading. A process that fails repeatedly gives the network to one that can read it. */
export async function readOrStandBack(
  ctx: Context,
  network: ReceiveNetwork,
  watcher: Watcher,
  { failures, pace, signal }: { failures: number; pace: Pace; signal: AbortSignal },
): Promise<Tick> {
  try {
    const became = await readNetwork(ctx, network, watcher, pace);
    if (became === 'more' || became === 'current') await noteHealth(ctx, network, watcher, true);
    else if (became === 'resting') await noteAnswer(ctx, network, watcher);
    else await probe(ctx, network, watcher);
    await yieldIfStalled(ctx, watcher.networks.get(network), signal);
    if (became === 'idle') await noteIdle(ctx, network, watcher);
    return became;
  } catch (error) {
    await noteHealth(ctx, network, watcher, false);
    const state = watcher.networks.get(network);
    if (failures + 1 < MAX_FAILED_TURNS || !state?.lease) throw error;
    if (failures + 1 === MAX_FAILED_TURNS)
      ctx.log.warn({ network }, 'network released: this process cannot read it, others may try');
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
