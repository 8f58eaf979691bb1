import type { ReceiveNetwork } from '@quittance/contract';
import type { Context } from '../context.ts';
import { HOUR_MS, MINUTE_MS } from '../platform/time.ts';
import {
  findNetworkStates,
  type NetworkState,
  secondPassBehindMs,
} from '../settlement/reading/network-health-store.ts';

const MAX_BEHIND_MS = HOUR_MS;
/** A network that was not read for longer has other alarms, and one that nothing needs is not read at all. */
const MAX_UNREAD_MS = 2 * HOUR_MS;
const LOOK_EVERY_MS = 10 * MINUTE_MS;
const REPEAT_EVERY_MS = HOUR_MS;
/** A second pass that reads this many minutes of blocks per minute is catching up, as after an outage. */
const CATCHING_UP = 2;

/** A process's state between two looks: how far the second pass of each network that is behind had read. */
export interface SecondPassWatch {
  lookedAtMs: number | null;
  behind: Map<ReceiveNetwork, { until: Date; reportedAtMs: number | null }>;
}

/**
 * Reports networks that are read while their second pass is an hour behind: then payments do not end, or end by the word
 * of one provider. Judged by the stored cursors, because a provider may answer every call and show nothing new, and
 * workers may come and go.
 */
export async function reportSecondPasses(
  { config, chains, db, log }: Pick<Context, 'config' | 'chains' | 'db' | 'log'>,
  watch: SecondPassWatch,
  atMs: number,
): Promise<void> {
  const passedMs = watch.lookedAtMs === null ? null : atMs - watch.lookedAtMs;
  if (passedMs !== null && passedMs < LOOK_EVERY_MS) return;
  const now = await db.now();
  const states = await findNetworkStates(db, now);
  watch.lookedAtMs = atMs;
  for (const network of chains.keys()) {
    const state = states.get(network);
    const until = state ? behindSince(state, config.networks[network].rpcUrls.length, now) : null;
    const before = watch.behind.get(network);
    if (!until) {
      watch.behind.delete(network);
      continue;
    }
    const readMs = before ? until.getTime() - before.until.getTime() : 0;
    const stands = before !== undefined && passedMs !== null && readMs < CATCHING_UP * passedMs;
    const reportedAtMs = before?.reportedAtMs ?? null;
    const isDue = stands && (reportedAtMs === null || atMs - reportedAtMs >= REPEAT_EVERY_MS);
    watch.behind.set(network, { until, reportedAtMs: isDue ? atMs : reportedAtMs });
    if (isDue)
      log.error(
        { alarm: 'second_pass_waits', network, until, providers: state?.providers },
        'second pass delayed: for an hour, only one provider has shown what was paid on this network',
      );
  }
}

/** How far the second pass has read, if it is too far behind the first one. */
function behindSince(state: NetworkState, providers: number, now: Date): Date | null {
  const isRead = state.readUntil !== null && now.getTime() - state.readUntil.getTime() <= MAX_UNREAD_MS;
  return isRead && (secondPassBehindMs(state, providers) ?? 0) > MAX_BEHIND_MS ? state.secondReadUntil : null;
}
