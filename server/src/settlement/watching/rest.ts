import type { Chain } from '../../outside/chains/chain.ts';
import type { Db } from '../../platform/db/db.ts';
import { MINUTE_MS, SECOND_MS } from '../../platform/time.ts';
import { renewLease, type Lease } from '../reading/cursor-store.ts';
import type { Demand } from '../reading/demand-store.ts';
import { PROBE_EVERY_MS } from './note-health.ts';
import type { WatchedNetwork } from './watcher.ts';

/** Nodes show a block seconds after its time, and wallets send until the last moment. */
const LINGER_MS = MINUTE_MS;
/** A page that is open says so each ten seconds. */
const WAITED_FOR_MS = 30 * SECOND_MS;

/** How rarely a network may be read, in milliseconds. */
export interface Pace {
  /** Between two looks while no customer can pay and nothing waits; 0 if each turn reads. */
  restMs: number;
  /** Between two turns of reading while a payment is open that no customer waits for; 0 if each turn reads. */
  openMs: number;
  /**
   * Between two turns of the second pass while the network is awake; 0 if each turn does everything, whatever waits for it.
   */
  secondMs: number;
}

/** Whether there is a reason to read beyond looks, or was one until just now. */
export function isNeeded({ neededAt }: WatchedNetwork, now: Date): boolean {
  return neededAt !== undefined && Math.abs(now.getTime() - neededAt.getTime()) < LINGER_MS;
}

/** Whether a customer was waiting until just now: for a choice, a hint or an open page there was a signal. */
export function isWaitedFor({ waitedForAtMs = Number.NEGATIVE_INFINITY }: WatchedNetwork): boolean {
  return performance.now() - waitedForAtMs < WAITED_FOR_MS;
}

/** Whether the last reading is recent enough for what a network needs. A clock that went back says nothing. */
export function isRested(state: WatchedNetwork, { restMs, openMs }: Pace, demand: Demand | null, now: Date): boolean {
  const [at, pauseMs] = state.isAwake
    ? [state.readAt, demand === 'sent' || isWaitedFor(state) ? 0 : openMs]
    : [state.lookedAt, restMs];
  const ageMs = now.getTime() - (at?.getTime() ?? Number.NEGATIVE_INFINITY);
  return ageMs >= 0 && ageMs < pauseMs;
}

/**
 * A turn without reading. The lease and the progress stay as they were with reading, as long as any provider shows that it
 * would answer: each is asked once a minute. Throws `TemporaryError` if none does, as a turn of reading would.
 */
export async function rest(db: Db, chain: Chain, state: WatchedNetwork, { lease, now }: { lease: Lease; now: Date }) {
  if (performance.now() - (state.answeredAtMs ?? Number.NEGATIVE_INFINITY) >= PROBE_EVERY_MS) {
    await chain.probe();
    state.answeredAtMs = performance.now();
  }
  await renewLease(db, lease, { pass: 'first', rests: state.isAwake !== true }, now);
}
