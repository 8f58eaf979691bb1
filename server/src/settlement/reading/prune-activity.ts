import type { Job } from '../../job.ts';
import { HOUR_MS } from '../../platform/time.ts';
import { pruneActivity } from './activity-store.ts';

const MAX_ROWS = 1_000;

/** Deletes the hourly counts of addresses that are older than two days. */
export const activityJob: Job = {
  name: 'address activity',
  everyMs: HOUR_MS,
  async run({ db }) {
    return (await pruneActivity(db, await db.now(), MAX_ROWS)) === MAX_ROWS ? 'more' : 'idle';
  },
};
