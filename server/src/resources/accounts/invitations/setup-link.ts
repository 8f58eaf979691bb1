import type { Context } from '../../../context.ts';
import { newId, randomBase62 } from '../../../platform/ids.ts';
import { sha256 } from '../../../platform/secrets.ts';
import { DAY_MS, later } from '../../../platform/time.ts';
import { hasAnyAccount } from '../store.ts';
import { INVITATION_TOKEN_LENGTH, invitationUrl } from './invitation.ts';
import { deleteOlderSetupLinks, insertInvitation } from './store.ts';

const SETUP_LINK_LIFE_MS = 7 * DAY_MS;
/** Several processes may start before the first account exists, and each prints its own link. */
const MAX_SETUP_LINKS = 20;

/**
 * Prints the link that opens the first account in production. Only the log shows it; the database stores its hash. Every
 * link that was printed works until one of them is used.
 */
export async function printSetupLink({ config, db, log }: Context): Promise<void> {
  if (config.profile !== 'production' || (await hasAnyAccount(db))) return;
  const now = await db.now();
  const token = randomBase62(INVITATION_TOKEN_LENGTH);
  await insertInvitation(
    db,
    {
      id: newId('inv'),
      kind: 'setup',
      accountId: null,
      email: null,
      label: null,
      createdAt: now,
      expiresAt: later(now, SETUP_LINK_LIFE_MS),
      usedAt: null,
      revokedAt: null,
    },
    sha256(token),
  );
  await deleteOlderSetupLinks(db, MAX_SETUP_LINKS);
  log.warn(
    { setupUrl: invitationUrl(config.publicUrl, token), validDays: SETUP_LINK_LIFE_MS / DAY_MS },
    'no account yet: open the setup link to create the account of the operator',
  );
}
