import { setTimeout as pause } from 'node:timers/promises';
import type { Context } from '../context.ts';
import { reportUpkeep, type UpkeepWatch } from './embedded-upkeep.ts';
import { SECOND_MS, within } from '../platform/time.ts';
import { mailAlarms, queueAlarms, type UnsentMails } from './mail-alarms.ts';
import { reportSecondPasses, type SecondPassWatch } from './second-passes.ts';
import { reportStalled, type StalledNetworks } from './stalled-networks.ts';

const LOOK_EVERY_MS = 5 * SECOND_MS;
/** How long a stop waits for a database that may be away. */
const LAST_MS = 2 * SECOND_MS;

/** What every process looks for, whatever its role, because the others may be the ones that died; and the mails of it. */
export function startAlarms(ctx: Context): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const stalled: StalledNetworks = new Map();
  const passes: SecondPassWatch = { lookedAtMs: null, behind: new Map() };
  const upkeep: UpkeepWatch = { lookedAtMs: null };
  const unsent: UnsentMails = new Set();
  let mailing: Promise<void> | undefined;
  const loop = (async () => {
    while (!stopping.signal.aborted) {
      await pause(LOOK_EVERY_MS, undefined, { signal: stopping.signal, ref: false }).catch(() => {});
      if (stopping.signal.aborted) return;
      const atMs = performance.now();
      // An unreachable database is reported elsewhere.
      await reportStalled(ctx, stalled, atMs).catch(() => {});
      await reportSecondPasses(ctx, passes, atMs).catch(() => {});
      await reportUpkeep(ctx, upkeep, atMs).catch(() => {});
      // A mail server that hangs keeps no look waiting.
      mailing ??= mailAlarms(ctx, unsent)
        .catch(() => {})
        .finally(() => (mailing = undefined));
    }
  })();
  return {
    async stop() {
      stopping.abort();
      await loop;
      // A worker sends what was raised last, or the next start does.
      await within(
        LAST_MS,
        queueAlarms(ctx, unsent).catch(() => {}),
        undefined,
      );
    },
  };
}
