import type { Job } from '../../../job.ts';
import { MINUTE_MS } from '../../../platform/time.ts';
import { BATCH_SIZE, parkStrays, resumeStrays, cancelStrays, dropOldLeases } from './parking-store.ts';

/**
 * Finishes what a change of an endpoint has started: the request moves the first deliveries of its queue, and this job
 * moves the rest and those that were recorded at the same moment.
 */
export const parkingJob: Job = {
  name: 'parking',
  everyMs: MINUTE_MS,
  channel: 'parking',
  async run({ db }, signal) {
    const now = await db.now();
    let open = [parkStrays, resumeStrays, cancelStrays];
    while (open.length > 0 && !signal.aborted) {
      const unfinished: typeof open = [];
      for (const move of open) if ((await move(db, now, BATCH_SIZE)) === BATCH_SIZE) unfinished.push(move);
      if (unfinished.includes(resumeStrays)) db.notify('deliveries');
      open = unfinished;
    }
    await dropOldLeases(db, now);
    return 'idle';
  },
};
