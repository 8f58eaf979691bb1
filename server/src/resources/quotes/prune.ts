import type { Job } from '../../job.ts';
import { DAY_MS, HOUR_MS, later } from '../../platform/time.ts';
import { deleteQuotesBefore } from './store.ts';

const KEPT_MS = 7 * DAY_MS;
const DELETED_AT_ONCE = 1_000;

/** Forgets quotes that nobody will ask about any more. */
export const quotesJob: Job = {
  name: 'quotes',
  everyMs: HOUR_MS,
  async run({ db }) {
    const deleted = await deleteQuotesBefore(db, later(await db.now(), -KEPT_MS), DELETED_AT_ONCE);
    return deleted === DELETED_AT_ONCE ? 'more' : 'idle';
  },
};
