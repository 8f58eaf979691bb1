import type { ReceiveNetwork } from '@quittance/contract';
import type { Db } from '../../platform/db/db.ts';
import { MINUTE_MS } from '../../platform/time.ts';
import { type Counts, countWatched, listWatched } from './watched-address-store.ts';

/** Wallets that nobody pays into any more are dropped from what is watched so often. */
const LOOK_ANEW_MS = 10 * MINUTE_MS;

/** Whom to watch on a network, and by what to tell whether that is still so. */
export interface Watched {
  addresses: ReadonlySet<string>;
  /** How many wallets were found, by why they are watched. */
  counts: Counts;
  at: Date;
}

/**
 * The payout wallets with open or recent live sessions on a network. Wallets of other networks of the family are watched
 * as well where the network is read anyway: their addresses are the same, and money on the wrong network should be found.
 * What was found before is given back as it is where nothing has come to it since, which costs one count.
 */
export async function findWatched(db: Db, network: ReceiveNetwork, now: Date, before?: Watched): Promise<Watched> {
  const isFresh = before !== undefined && now >= before.at && now.getTime() - before.at.getTime() < LOOK_ANEW_MS;
  // Counted at the same instant as before, the numbers can only grow: the same numbers are the same wallets.
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
  return { addresses: isActive(counts) ? await listWatched(db, network, at) : NOBODY, counts, at };
}

function isActive({ here, overdue, unverified }: Counts): boolean {
  return here > 0n || overdue > 0n || unverified > 0n;
}

const NOBODY: ReadonlySet<string> = new Set();
