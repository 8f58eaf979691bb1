import { findAsset } from '@quittance/contract';
import type { Database } from '../../platform/db/db.ts';
import { StartupError } from '../../platform/errors.ts';
import { DAY_MS, later } from '../../platform/time.ts';
import { listReceived } from './store.ts';

/** A wallet is watched for a month after its last checkout. */
const WATCHED_MS = 31 * DAY_MS;

/** Money that is sent to a saved wallet is read only if this server offers what the wallet receives. */
export async function requireOffered(db: Database): Promise<void> {
  const received = await listReceived(db, later(await db.now(), -WATCHED_MS));
  const missing = received.filter(({ asset, network }) => !findAsset(asset, network)?.receivable);
  if (missing.length === 0) return;
  const keys = missing.map(({ asset, network }) => `${asset}_${network}`.toUpperCase());
  throw new StartupError(
    `EXTRA_ASSETS must name ${keys.join(', ')}: payout wallets of this server receive it, and their payments would ` +
      'not be seen. It can be left out once these wallets are archived and their last checkout has been over for a month.',
  );
}
