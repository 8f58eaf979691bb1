import { findAsset } from '@quittance/contract';
import type { Database } from '../../platform/db/db.ts';
import { ConfigError } from '../../platform/errors.ts';
import { DAY_MS, later } from '../../platform/time.ts';
import { listMoved } from './store.ts';

/** A wallet is watched for a month after its last checkout. */
const WATCHED_MS = 31 * DAY_MS;

/**
 * Money that is sent to a saved wallet is read only if this server offers what the wallet receives. Neither is money that
 * the merchant sends: it would seem not to have moved, so that they would send it again.
 */
export async function requireOffered(db: Database): Promise<void> {
  const moved = await listMoved(db, later(await db.now(), -WATCHED_MS));
  const missing = moved.filter(({ asset, network }) => !findAsset(asset, network)?.receivable);
  if (missing.length === 0) return;
  const keys = missing.map(({ asset, network }) => `${asset}_${network}`.toUpperCase());
  throw new ConfigError(
    `EXTRA_ASSETS must name ${keys.join(', ')}: payout wallets, refunds or payouts of this server use it, and its ` +
      'transfers would not be seen. It can be left out once these wallets are archived and their last checkout has been ' +
      'over for a month, and the refunds and payouts have arrived or are cancelled.',
  );
}
