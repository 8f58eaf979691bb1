import type { Chain } from '../../outside/chains/chain.ts';
import type { Db } from '../../platform/db/db.ts';
import { MINUTE_MS } from '../../platform/time.ts';
import { renewLease, type Lease } from '../reading/cursor-store.ts';
import { PROBE_EVERY_MS } from './note-health.ts';
import type { WatchedNetwork } from './watcher.ts';

/** Nodes show a block seconds after its time, and wallets send until the last moment. */
const LINGER_MS = MINUTE_MS;

/** Whether there is a reason to read without a pause, or was one until just now. */
export function isNeeded({ neededAt }: WatchedNetwork, now: Date): boolean {
  return neededAt !== undefined && Math.abs(now.getTime() - neededAt.getTime()) < LINGER_MS;
}

/** Whether the last look of a network that needs no reading is recent enough. A clock that went back says nothing. */
export function isRested({ lookedAt }: WatchedNetwork, restMs: number, now: Date): boolean {
  if (lookedAt === undefined) return false;
  const ageMs = now.getTime() - lookedAt.getTime();
  return ageMs >= 0 && ageMs < restMs;
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
  await renewLease(db, lease, { pass: 'first', rests: true }, now);
}
