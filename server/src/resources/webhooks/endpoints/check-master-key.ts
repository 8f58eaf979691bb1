import type { Db } from '../../../platform/db/db.ts';
import { StartupError } from '../../../platform/errors.ts';
import type { Secrets } from '../../../platform/secrets.ts';
import { listSomeSecrets } from './endpoint-store.ts';
import { openSecret } from '../delivery/signature.ts';

/** What a seal adds to a secret: format, nonce and tag. */
const SEAL_BYTES = 1 + 12 + 16;

/** Refuses a master key that opens none of the secrets kept: with it no delivery could be signed, and what it seals, the right key could not open. */
export async function checkMasterKey(db: Db, secrets: Secrets): Promise<void> {
  // What is too short was never sealed, and tells nothing.
  const some = (await listSomeSecrets(db)).filter(({ secret }) => secret.length > SEAL_BYTES);
  if (some.length === 0 || some.some(({ id, secret }) => opens(secrets, id, secret))) return;
  throw new StartupError(
    'MASTER_KEY does not match the secrets in this database. Set the previous key (in development it is in DATA_DIR/master.key, and `npx quittance-server reset` deletes everything). If it is lost, see docs/operating.md.',
  );
}

function opens(secrets: Secrets, id: string, sealed: Buffer): boolean {
  try {
    openSecret(secrets, id, sealed);
    return true;
  } catch {
    return false;
  }
}
