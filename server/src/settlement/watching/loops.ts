import { NETWORKS, type ReceiveNetwork } from '@quittance/contract';
import type { Context } from '../../context.ts';
import { type Alarm, createAlarm } from '../../platform/alarm.ts';
import { TemporaryError } from '../../platform/errors.ts';
import { type Loop, repeat } from '../../platform/loop.ts';
import { SECOND_MS, within } from '../../platform/time.ts';
import { LeaseLostError, releaseLease } from '../reading/cursor-store.ts';
import { readOrStandBack } from './standing-by.ts';
import { attributeNetwork, verifyNetwork } from './turns.ts';
import { MAX_SECOND_WAIT_MS, type Watcher } from './watcher.ts';

/** How often the queue is polled without a signal. */
const QUEUE_EVERY_MS = 1 * SECOND_MS;
const IDLE_MS = 5 * SECOND_MS;
/** Slow networks are read twice per block, the others this often. */
const MIN_EVERY_MS = 2 * SECOND_MS;
const TEST_CHAIN_EVERY_MS = 500;
const MAX_BACKOFF_MS = 20 * SECOND_MS;

/** The three loops of a network, so that none delays another, until the signal. */
export async function watchNetwork(
  ctx: Context,
  watcher: Watcher,
  network: ReceiveNetwork,
  signal: AbortSignal,
): Promise<void> {
  const { chainId, genesisHash } = ctx.config.networks[network];
  const isPublic = chainId === null && genesisHash === null;
  const everyMs = isPublic
    ? Math.max((NETWORKS[network].blockSeconds * SECOND_MS) / 2, MIN_EVERY_MS)
    : TEST_CHAIN_EVERY_MS;
  const queue = createAlarm(signal);
  const due = createAlarm(signal);
  const stopListening = await ctx.db.listen('transfers', queue.ring).catch(() => undefined);
  const loop = (part: string, alarm: Alarm, turn: Loop['turn']) => {
    const [name, failed] = [`${part} ${network}`, failedTurn(ctx, { network, name: part })];
    return repeat({ name, alarm, maxBackoffMs: MAX_BACKOFF_MS, turn, failed }, signal);
  };
  await Promise.all([
    loop('read', createAlarm(signal), async (failures) => {
      const became = await readOrStandBack(ctx, network, watcher, { failures, signal });
      due.ring();
      return became === 'more' ? 0 : became === 'current' ? everyMs : IDLE_MS;
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
  await stopListening?.().catch(() => {});
  const { lease, second } = watcher.networks.get(network) ?? {};
  if (second) await within(MAX_SECOND_WAIT_MS, second, null).catch(() => {});
  if (lease) await releaseLease(ctx.db, lease).catch(() => {});
}

function failedTurn({ log }: Context, about: { network: ReceiveNetwork; name: string }): Loop['failed'] {
  return (error, failures) => {
    const isExpected = error instanceof TemporaryError || error instanceof LeaseLostError;
    log[isExpected ? 'warn' : 'error']({ err: error, failures, ...about }, 'network turn failed');
  };
}
