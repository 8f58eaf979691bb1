import { setTimeout as pause } from 'node:timers/promises';
import type { Context } from '../context.ts';
import { reportUpkeep, type UpkeepWatch } from './embedded-upkeep.ts';
import { SECOND_MS } from '../platform/time.ts';
import { mailAlarms } from './mail-alarms.ts';
import { reportStalled, type StalledNetworks } from './stalled-networks.ts';

const LOOK_EVERY_MS = 5 * SECOND_MS;

/** What every process looks for, whatever its role, because the others may be the ones that died; and the mails of it. */
export function startAlarms(ctx: Context): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const stalled: StalledNetworks = new Map();
  const upkeep: UpkeepWatch = { lookedAtMs: null };
  const loop = (async () => {
    while (!stopping.signal.aborted) {
      await pause(LOOK_EVERY_MS, undefined, { signal: stopping.signal, ref: false }).catch(() => {});
      if (stopping.signal.aborted) return;
      const atMs = performance.now();
      // An unreachable database is reported elsewhere.
      await reportStalled(ctx, stalled, atMs).catch(() => {});
      await reportUpkeep(ctx, upkeep, atMs).catch(() => {});
      await mailAlarms(ctx).catch(() => {});
    }
  })();
  return {
    async stop() {
      stopping.abort();
      await loop;
    },
  };
}
