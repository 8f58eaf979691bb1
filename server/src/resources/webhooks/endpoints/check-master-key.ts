import type { Db } from '../../../platform/db/db.ts';
import { ConfigError } from '../../../platform/errors.ts';
import type { Secrets } from '../../../platform/secrets.ts';
import { listSomeSecrets } from './endpoint-store.ts';
import { openSecret } from '../delivery/signature.ts';

/** What sealing adds to a secret: format, nonce and tag. */
const SEAL_BYTES = 1 + 12 + 16;

/**
 * Rejects a master key that opens none of the stored secrets: no delivery could be signed with it, and the right key
 * could not open what it seals.
 */
export async function checkMasterKey(db: Db, secrets: Secrets): Promise<void> {
  // A shorter value was never sealed, so it shows nothing about the key.
  const some = (await listSomeSecrets(db)).filter(({ secret }) => secret.length > SEAL_BYTES);
  if (some.length === 0 || some.some(({ id, secret }) => opens(secrets, id, secret))) return;
  throw new ConfigError(
    'MASTER_KEY does not match the secrets in this database. Set the previous key (in development it is ' +
      'in DATA_DIR/master.key, and `npx quittance-server reset` deletes everything). If it is lost, see docs/operating.md.',
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
