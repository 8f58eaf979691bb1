import type { ReceiveNetwork } from '@quittance/contract';
import type { Db } from '../../platform/db/db.ts';
import { MINUTE_MS } from '../../platform/time.ts';
import { type Counts, countWatched, listWatched } from './watched-address-store.ts';

/** How often wallets without current sessions are removed from the watched addresses. */
const RECOUNT_INTERVAL_MS = 10 * MINUTE_MS;

/** The addresses to watch on a network, and the counts that show whether they changed. */
export interface WatchedAddresses {
  addresses: ReadonlySet<string>;
  /** The numbers of wallets, by the reason for watching them. */
  counts: Counts;
  at: Date;
}

/**
 * The payout wallets with open or recent live sessions on a network. If there are any, wallets of the family's other
 * networks are watched as well: the addresses are the same, and money on the wrong network should be found. If nothing
 * was added since, `before` is returned, at the cost of one count.
 */
export async function findWatchedAddresses(
  db: Db,
  network: ReceiveNetwork,
  now: Date,
  before?: WatchedAddresses,
): Promise<WatchedAddresses> {
  const isFresh = before !== undefined && now >= before.at && now.getTime() - before.at.getTime() < RECOUNT_INTERVAL_MS;
  // At the same instant as before, the counts can only grow, so equal counts mean the same wallets.
  const at = isFresh ? before.at : now;
  const counts = await countWatched(db, network, at);
  if (
    isFresh &&
    counts.here === before.counts.here &&
    counts.all === before.counts.all &&
    counts.overdue === before.counts.overdue &&
    isActive(counts) === isActive(before.counts)
  )
    return before;
  return { addresses: isActive(counts) ? await listWatched(db, network, at) : NO_ADDRESSES, counts, at };
}

function isActive({ here, overdue, unverified }: Counts): boolean {
  return here > 0n || overdue > 0n || unverified > 0n;
}

const NO_ADDRESSES: ReadonlySet<string> = new Set();
