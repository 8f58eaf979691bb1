import type { Job } from '../../job.ts';
import { deleteMailsBefore } from '../../platform/mails/store.ts';
import { DAY_MS, HOUR_MS, later } from '../../platform/time.ts';
import { deleteInvitationsBefore } from '../accounts/invitations/store.ts';
import { deleteExpiredChallenges, deleteExpiredTransferChallenges } from '../payout-wallets/challenge-store.ts';
import { deleteCodesBefore } from './code-store.ts';
import { LOGIN_IDLE_MS } from '../accounts/login-token.ts';
import { deleteExpiredNonces } from './nonce-store.ts';
import { deleteExpiredLinks, deleteExpiredTokens } from '../accounts/token-store.ts';

const MAILS_KEPT_MS = 30 * DAY_MS;
const INVITATIONS_KEPT_MS = 30 * DAY_MS;
const BATCH_SIZE = 1_000;

/**
 * Deletes logins that have expired, one batch per table and run, each in a commit of its own. Nothing depends on it: every
 * look-up checks the time itself.
 */
export const loginCleanupJob: Job = {
  name: 'login cleanup',
  everyMs: HOUR_MS,
  async run({ db }) {
    const now = await db.now();
    const deleted = [
      // Codes of the last day count against the day's mails.
      await deleteCodesBefore(db, later(now, -DAY_MS), BATCH_SIZE),
      await deleteExpiredNonces(db, now, BATCH_SIZE),
      await deleteExpiredTokens(db, now, later(now, -LOGIN_IDLE_MS), BATCH_SIZE),
      await deleteExpiredLinks(db, now, BATCH_SIZE),
      await deleteExpiredChallenges(db, now, BATCH_SIZE),
      await deleteExpiredTransferChallenges(db, now, BATCH_SIZE),
      await deleteInvitationsBefore(db, later(now, -INVITATIONS_KEPT_MS), BATCH_SIZE),
      await deleteMailsBefore(db, later(now, -MAILS_KEPT_MS), BATCH_SIZE),
    ];
    return deleted.includes(BATCH_SIZE) ? 'more' : 'idle';
  },
};
