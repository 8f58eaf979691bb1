import { NETWORKS, type ReceiveNetwork } from '@quittance/contract';
import type { Context } from '../../context.ts';
import { type Alarm, createAlarm } from '../../platform/alarm.ts';
import { TemporaryError } from '../../platform/errors.ts';
import { type Loop, repeat } from '../../platform/loop.ts';
import { Outage } from '../../platform/outage.ts';
import { SECOND_MS, within } from '../../platform/time.ts';
import { LeaseLostError, releaseLease } from '../reading/cursor-store.ts';
import { onDemand } from '../records/demand.ts';
import { isWaitedFor, type Pace } from './rest.ts';
import { readOrStandBack } from './standing-by.ts';
import { attributeNetwork, verifyNetwork } from './turns.ts';
import { MAX_SECOND_WAIT_MS, type Tick, type Watcher } from './watcher.ts';

/** How often the queue is polled without a signal. */
const QUEUE_EVERY_MS = 1 * SECOND_MS;
const IDLE_MS = 5 * SECOND_MS;
/** Slow networks are read twice per block, the others this often. */
const MIN_EVERY_MS = 2 * SECOND_MS;
const TEST_CHAIN_EVERY_MS = 500;
/** What only one provider has reported waits about as long for another one. */
const SECOND_EVERY_MS = 30 * SECOND_MS;
/** Between two readings for an open payment that no customer waits for: a fraction of the calls. */
const OPEN_EVERY_MS = 8 * SECOND_MS;
/** How often the database is asked whether a network may still rest. A customer who waits also wakes it by a signal. */
const RESTING_EVERY_MS = 2 * SECOND_MS;
const MAX_BACKOFF_MS = 20 * SECOND_MS;

/** The three loops of a network, so that none delays another, until the signal. */
export async function watchNetwork(
  ctx: Context,
  watcher: Watcher,
  network: ReceiveNetwork,
  signal: AbortSignal,
): Promise<void> {
  const { pace, everyMs, waits } = paceOf(ctx, network);
  const [awake, queue, due] = [createAlarm(signal), createAlarm(signal), createAlarm(signal)];
  const listening = await Promise.allSettled([
    ctx.db.listen('transfers', queue.ring),
    onDemand(ctx.db, network, () => wakeUp(watcher, network, awake)),
  ]);
  const loop = (part: string, alarm: Alarm, turn: Loop['turn']) => {
    const [name, failed] = [`${part} ${network}`, failedTurn(ctx, { network, name: part })];
    return repeat({ name, alarm, maxBackoffMs: MAX_BACKOFF_MS, turn, failed }, signal);
  };
  await Promise.all([
    loop('read', awake, async (failures) => {
      const became = await readOrStandBack(ctx, network, watcher, { failures, pace, signal });
      due.ring();
      return waits[became];
    }),
    loop('attribute', queue, async () => {
      if (!(await attributeNetwork(ctx, network, watcher))) return QUEUE_EVERY_MS;
      due.ring();
      return 0;
    }),
    loop('verify', due, async () => {
      await verifyNetwork(ctx, network, watcher);
      return everyMs;
    }),
  ]);
  for (const one of listening) if (one.status === 'fulfilled') await one.value().catch(() => {});
  const { lease, second } = watcher.networks.get(network) ?? {};
  if (second) await within(MAX_SECOND_WAIT_MS, second, null).catch(() => {});
  if (lease) await releaseLease(ctx.db, lease).catch(() => {});
}

/** How rarely a network is read, and the pause after each kind of turn. */
export function paceOf(
  { config }: Pick<Context, 'config'>,
  network: ReceiveNetwork,
): { pace: Pace; everyMs: number; waits: Record<Tick, number> } {
  const { chainId, genesisHash, restSeconds } = config.networks[network];
  const isPublic = chainId === null && genesisHash === null;
  const everyMs = isPublic
    ? Math.max((NETWORKS[network].blockSeconds * SECOND_MS) / 2, MIN_EVERY_MS)
    : TEST_CHAIN_EVERY_MS;
  return {
    pace: {
      restMs: restSeconds * SECOND_MS,
      openMs: isPublic ? OPEN_EVERY_MS : 0,
      secondMs: isPublic ? SECOND_EVERY_MS : 0,
    },
    everyMs,
    waits: { more: 0, current: everyMs, resting: RESTING_EVERY_MS, idle: IDLE_MS, elsewhere: IDLE_MS },
  };
}

/** A network that is read anyway is not read sooner: anyone can cause a signal. */
function wakeUp(watcher: Watcher, network: ReceiveNetwork, alarm: Alarm): void {
  const state = watcher.networks.get(network);
  if (!state) return;
  const isReadAnyway = state.isAwake && isWaitedFor(state);
  state.waitedForAtMs = performance.now();
  if (isReadAnyway) return;
  state.lookedAt = undefined;
  alarm.ring();
}

/** Logs each failed turn, but an outage once an hour. */
export function failedTurn({ log }: Context, about: { network: ReceiveNetwork; name: string }): Loop['failed'] {
  const outage = new Outage();
  return (error, failures) => {
    if (failures === 1) outage.end();
    if (!(error instanceof TemporaryError || error instanceof LeaseLostError))
      log.error({ err: error, failures, ...about }, 'network turn failed');
    else if (outage.isDue()) log.warn({ why: error.message, failures, ...about }, 'network turn failed');
  };
}
