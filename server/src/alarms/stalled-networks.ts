import type { Context } from '../context.ts';
import { MINUTE_MS } from '../platform/time.ts';
import { findNetworkStates } from '../settlement/reading/network-health-store.ts';

const REPEAT_EVERY_MS = 5 * MINUTE_MS;
/** How many looks a worker has to catch up once the database is back. */
const LOOKS_AFTER_AWAY = 6;

/** A process's state between two checks: since when each network is stalled, and when that was last reported. */
export type StalledNetworks = Map<string, { looks: number; reportedAtMs: number | null }>;

/**
 * One check for networks on which customers can pay while no process reads them. A network counts from the second check
 * on: a worker that has just started needs a moment to read.
 */
export async function reportStalled(
  ctx: Pick<Context, 'db' | 'log' | 'chains'>,
  stalled: StalledNetworks,
  atMs: number,
): Promise<void> {
  const states = await readStates(ctx).catch((error: unknown) => {
    // The database is the likely cause of what stalls now. A network that was stalled before keeps its count.
    for (const network of ctx.chains.keys())
      if (!stalled.has(network)) stalled.set(network, { looks: -LOOKS_AFTER_AWAY, reportedAtMs: null });
    throw error;
  });
  for (const [network, state] of states) {
    // One without a provider in the settings is not read either. It may be off on purpose, and then it is only reported
    // while its last customers may still pay.
    const matters = ctx.chains.has(network) || state.hasCurrentSessions;
    if (!state.isStalled || !matters) {
      if (stalled.get(network)?.reportedAtMs != null) ctx.log.info({ network }, 'network watched again');
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

async function readStates({ db }: Pick<Context, 'db'>) {
  return findNetworkStates(db, await db.now());
}
