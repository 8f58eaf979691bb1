import type { Db } from './platform/db/db.ts';
import { ConfigError } from './platform/errors.ts';
import type { Secrets } from './platform/secrets.ts';
import { listSomeKeys } from './platform/signing/signing-key-store.ts';
import { openKey } from './platform/signing/signing-keys.ts';
import { listSomeSecrets } from './resources/webhooks/endpoints/endpoint-store.ts';
import { openSecret } from './resources/webhooks/delivery/signature.ts';

/** What sealing adds to a secret: format, nonce and tag. */
const SEAL_BYTES = 1 + 12 + 16;

/**
 * Rejects a master key that opens none of the stored secrets: no delivery and no receipt could be signed with it, and the
 * right key could not open what it seals.
 */
export async function checkMasterKey(db: Db, secrets: Secrets): Promise<void> {
  // A shorter value was never sealed, so it shows nothing about the key.
  const endpoints = (await listSomeSecrets(db)).filter(({ secret }) => secret.length > SEAL_BYTES);
  const keys = await listSomeKeys(db);
  if (endpoints.length + keys.length === 0) return;
  if (endpoints.some(({ id, secret }) => succeeds(() => openSecret(secrets, id, secret)))) return;
  if (keys.some(({ kid, privateKey }) => succeeds(() => openKey(secrets, kid, privateKey)))) return;
  throw new ConfigError(
    'MASTER_KEY does not match the secrets in this database. Set the previous key (in development it is ' +
      'in DATA_DIR/master.key, and `npx quittance-server reset` deletes everything). If it is lost, see docs/operating.md.',
  );
}

function succeeds(open: () => unknown): boolean {
  try {
    open();
    return true;
  } catch {
    return false;
  }
}
