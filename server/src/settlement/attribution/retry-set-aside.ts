import type { Job } from '../../job.ts';
import { HOUR_MS, later, MINUTE_MS } from '../../platform/time.ts';
import { requeueSetAside } from '../records/transfer-queue-store.ts';
import { MAX_ATTEMPTS } from './attribute-queued.ts';

const RETRY_AFTER_MS = 1 * HOUR_MS;
/** Hourly attempts after a transfer was set aside. After them, it waits for a person or a rescan. */
const MAX_RETRIES = 3;
const MAX_AT_ONCE = 100;

/**
 * Queues transfers again an hour after they were set aside, a few times: the cause may have passed. They stay on the
 * list of what needs attention meanwhile.
 */
export const retrySetAsideJob: Job = {
  name: 'retry-set-aside',
  everyMs: 1 * MINUTE_MS,
  async run(ctx) {
    const now = await ctx.db.now();
    const queued = await requeueSetAside(ctx.db, {
      before: later(now, -RETRY_AFTER_MS),
      maxAttempts: MAX_ATTEMPTS + MAX_RETRIES,
      limit: MAX_AT_ONCE,
    });
    if (queued > 0) ctx.db.notify('transfers');
    return 'idle';
  },
};
