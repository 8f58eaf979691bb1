import type { Transfer, Watching } from '../../outside/chains/chain.ts';
import type { Db } from '../../platform/db/db.ts';
import { doubtTransfers, findUnattributedIn, type LookedFor } from '../records/contested-store.ts';

/**
 * Doubts unattributed transfers that a provider does not report although it was asked for them: another one may have
 * invented them, or their recipient. The quorum decides. Returns their number.
 */
export async function doubtMissing(
  db: Db,
  lookedFor: LookedFor,
  { watching, transfers }: { watching: Watching; transfers: readonly Transfer[] },
): Promise<number> {
  const known = await findUnattributedIn(db, lookedFor);
  if (known.length === 0) return 0;
  const reported = new Set(transfers.map(keyOf));
  const missing = known.filter((one) => watching.addresses.has(one.to) && !reported.has(keyOf(one)));
  await doubtTransfers(
    db,
    missing.map(({ id }) => id),
  );
  return missing.length;
}

function keyOf({ txHash, index }: Pick<Transfer, 'txHash' | 'index'>): string {
  return `${txHash} ${index}`;
}
