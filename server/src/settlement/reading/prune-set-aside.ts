import type { Job } from '../../job.ts';
import { HOUR_MS } from '../../platform/time.ts';
import { pruneSetAsideTransactions } from './set-aside-store.ts';

const MAX_ROWS = 1_000;

/** Deletes transactions that were set aside 90 days ago. */
export const setAsideJob: Job = {
  name: 'set-aside transactions',
  everyMs: HOUR_MS,
  async run({ db }) {
    return (await pruneSetAsideTransactions(db, await db.now(), MAX_ROWS)) === MAX_ROWS ? 'more' : 'idle';
  },
};
