import { MAX_LOGO_BYTES } from '@quittance/contract/logos';
import { DAY_MS, later } from '../platform/time.ts';
import { MAX_INVITATIONS_PER_DAY, MAX_PENDING_INVITATIONS } from '../resources/accounts/invitations/create.ts';
import { deleteInvitationsBefore } from '../resources/accounts/invitations/store.ts';
import { LOGIN_IDLE_MS } from '../resources/accounts/login-token.ts';
import { deleteUnusedLogosBefore } from '../resources/accounts/logos/store.ts';
import { deleteExpiredLinks, deleteExpiredTokens } from '../resources/accounts/token-store.ts';
import { batches, KEPT, type TablePolicy } from './table.ts';

const INVITATIONS_DAYS = 30;

/** The tables of accounts, and of what opens them. */
export const ACCOUNT_TABLES: Readonly<Record<string, TablePolicy>> = {
  accounts: { owner: 'the account', budget: '`SIGNUP` decides who may open one', ...KEPT },
  api_keys: {
    owner: 'the account',
    budget: 'created by a login only',
    expiry: 'kept, also when revoked',
    pruning: { by: 'nothing' },
  },
  invitations: {
    owner: 'the operator',
    budget: `${MAX_PENDING_INVITATIONS} pending, ${MAX_INVITATIONS_PER_DAY} a day`,
    expiry: `${INVITATIONS_DAYS} days after they expired`,
    pruning: batches((db, now, limit) => deleteInvitationsBefore(db, later(now, -INVITATIONS_DAYS * DAY_MS), limit)),
  },
  login_links: {
    owner: 'the account',
    budget: 'made on the server itself',
    expiry: 'when they expire',
    pruning: batches(deleteExpiredLinks),
  },
  login_tokens: {
    owner: 'the account',
    budget: 'one per login',
    expiry: 'when they expire or are unused for too long',
    pruning: batches((db, now, limit) => deleteExpiredTokens(db, now, later(now, -LOGIN_IDLE_MS), limit)),
  },
  logos: {
    owner: 'the account',
    budget: `two per account, of ${MAX_LOGO_BYTES / 1024} KiB each: the one in use, and one that is not saved yet`,
    expiry: 'when the account saves another logo or none; not saved: 24 hours',
    pruning: batches((db, now, limit) => deleteUnusedLogosBefore(db, later(now, -DAY_MS), limit)),
  },
};
