import { setTimeout as pause } from 'node:timers/promises';
import type { Context } from './context.ts';
import { MINUTE_MS, SECOND_MS } from './platform/time.ts';
import { findNetworkStates } from './settlement/reading/network-health-store.ts';

const LOOK_EVERY_MS = 5 * SECOND_MS;
const REPEAT_EVERY_MS = 5 * MINUTE_MS;

/** A process's state between two checks: since when each network is stalled, and when that was last reported. */
export type StalledNetworks = Map<string, { looks: number; reportedAtMs: number | null }>;

/**
 * Reports networks on which customers can pay while no process reads them. Every process checks, whatever its role,
 * because the readers may be the ones that died.
 */
export function startStallAlarm(ctx: Context): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const stalled: StalledNetworks = new Map();
  const loop = (async () => {
    while (!stopping.signal.aborted) {
      await pause(LOOK_EVERY_MS, undefined, { signal: stopping.signal, ref: false }).catch(() => {});
      if (stopping.signal.aborted) return;
      // An unreachable database is reported elsewhere.
      await reportStalled(ctx, stalled, performance.now()).catch(() => {});
    }
  })();
  return {
    async stop() {
      stopping.abort();
      await loop;
    },
  };
}

/** One check. A network counts from the second check on: a worker that has just started needs a moment to read. */
export async function reportStalled(
  ctx: Pick<Context, 'db' | 'log' | 'chains'>,
  stalled: StalledNetworks,
  atMs: number,
): Promise<void> {
  const states = await findNetworkStates(ctx.db, await ctx.db.now());
  for (const network of ctx.chains.keys()) {
    const state = states.get(network);
    if (!state?.isStalled) {
      stalled.delete(network);
      continue;
    }
    const before = stalled.get(network) ?? { looks: 0, reportedAtMs: null };
    const looks = before.looks + 1;
    const isDue = looks >= 2 && (before.reportedAtMs === null || atMs - before.reportedAtMs >= REPEAT_EVERY_MS);
    stalled.set(network, { looks, reportedAtMs: isDue ? atMs : before.reportedAtMs });
    if (isDue)
      ctx.log.error(
        { alarm: 'network_stalled', network, progressedAt: state.progressedAt, providers: state.providers },
        'network not watched: customers can pay on it, and no process has got further on it',
      );
  }
}
