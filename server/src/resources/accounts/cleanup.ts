import type { Job } from '../../job.ts';
import { deleteMailsBefore } from '../../platform/mails/store.ts';
import { DAY_MS, HOUR_MS, later } from '../../platform/time.ts';
import { deleteExpiredChallenges } from '../payout-wallets/store.ts';
import { deleteCodesBefore } from './code-store.ts';
import { LOGIN_IDLE_MS } from './login-token.ts';
import { deleteExpiredNonces } from './nonce-store.ts';
import { deleteQueuesBefore } from './queue-store.ts';
import { deleteExpiredTokens } from './token-store.ts';

const MAILS_KEPT_MS = 30 * DAY_MS;

/** Forgets what can log nobody in any more. Nothing depends on it: each look checks the time itself. */
export const loginCleanupJob: Job = {
  name: 'login cleanup',
  everyMs: HOUR_MS,
  async run({ db }) {
    const now = await db.now();
    // Codes of the last day count against the mails of the day.
    await deleteCodesBefore(db, later(now, -DAY_MS));
    await deleteQueuesBefore(db, later(now, -DAY_MS));
    await deleteExpiredNonces(db, now);
    await deleteExpiredTokens(db, now, later(now, -LOGIN_IDLE_MS));
    await deleteExpiredChallenges(db, now);
    await deleteMailsBefore(db, later(now, -MAILS_KEPT_MS));
    return 'idle';
  },
};
