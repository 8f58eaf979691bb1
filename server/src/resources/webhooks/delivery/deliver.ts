import type { Job } from '../../../job.ts';
import { SECOND_MS } from '../../../platform/time.ts';
import { DeliveryEngine } from './engine.ts';
import { type QueueTime, REAL_TIME } from './queue-time.ts';

/** Sends due deliveries: leases them in batches, keeps many in flight, records outcomes in batches. */
export function deliveriesJob(time: QueueTime = REAL_TIME): Job {
  let engine: DeliveryEngine | undefined;
  return {
    name: 'deliveries',
    everyMs: 1 * SECOND_MS,
    channel: 'deliveries',
    async run(ctx, _signal, wake) {
      engine ??= await DeliveryEngine.start(ctx, time, wake);
      return engine.turn();
    },
    async finish() {
      await engine?.finish();
    },
  };
}
