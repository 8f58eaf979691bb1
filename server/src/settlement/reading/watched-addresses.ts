import { NETWORKS, type ReceiveNetwork } from '@quittance/contract';
import type { Db } from '../../platform/db/db.ts';
import { DAY_MS, later, MINUTE_MS } from '../../platform/time.ts';

/** A session's wallet is watched this long after the session ends, so that late and wrong payments are found. */
const RECENT_MS = 30 * DAY_MS;
/** How often wallets without current sessions are removed from the watched addresses. */
const RECOUNT_INTERVAL_MS = 10 * MINUTE_MS;

const EVM_NETWORKS = ['ethereum', 'base', 'polygon', 'arbitrum'];

/** The addresses to watch on a network, and the counts that show whether they changed. */
export interface WatchedAddresses {
  addresses: ReadonlySet<string>;
  /** The numbers of wallets, by the reason for watching them. */
  counts: Counts;
  at: Date;
}

interface Counts {
  /** Wallets with open or recent sessions on this network, and on all networks of the family. */
  here: bigint;
  all: bigint;
  /** Payments still open past that time because their network was not read. */
  overdue: bigint;
  /** Transfers that a payment depends on and that are not verified yet. */
  unverified: bigint;
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

async function countWatched(db: Db, network: ReceiveNetwork, at: Date): Promise<Counts> {
  const [counts] = await db.query<Counts>(
    'count_watched',
    `
    select count(*) filter (where w.network = $1) as here, count(*) as all,
           (select count(*) from payments p join checkout_sessions s on s.id = p.session_id
             where p.livemode and p.status in ('created', 'pending') and p.expires_at <= $4 and s.receive_network = $1) as overdue,
           (select count(*) from (select 1 from transfers t where t.livemode and t.network = $1 and t.status = 'seen' and t.payment_id is not null limit 1) one) as unverified
      from payout_wallets w
     where w.livemode and w.network = any($2) and w.watched_until > $3`,
    [network, familyOf(network), at, later(at, -RECENT_MS)],
  );
  return counts ?? { here: 0n, all: 0n, overdue: 0n, unverified: 0n };
}

async function listWatched(db: Db, network: ReceiveNetwork, at: Date): Promise<ReadonlySet<string>> {
  const rows = await db.query<{ address: string }>(
    'list_watched',
    `
    select w.address from payout_wallets w
     where w.livemode and w.network = any($1) and w.watched_until > $2
     union
    select s.receive_address from payments p join checkout_sessions s on s.id = p.session_id
     where p.livemode and p.status in ('created', 'pending') and p.expires_at <= $3 and s.receive_network = any($1)
     union
    (select t.to_address from transfers t where t.livemode and t.network = $4 and t.status = 'seen' and t.payment_id is not null limit 1000)`,
    [familyOf(network), at, later(at, -RECENT_MS), network],
  );
  return new Set(rows.map((row) => row.address));
}

/** The creation time of the earliest open or recent live session on a network. Reading starts there. */
export async function findEarliestSession(db: Db, network: ReceiveNetwork, now: Date): Promise<Date | undefined> {
  const [row] = await db.query<{ earliest: Date | null }>(
    'find_earliest_session',
    `
    select min(s.created_at) as earliest
      from payout_wallets w join checkout_sessions s on s.payout_wallet_id = w.id
     where w.livemode and w.network = $1
       and (s.expires_at > $2 or exists (select 1 from payments p where p.session_id = s.id and p.livemode and p.status in ('created', 'pending')))`,
    [network, later(now, -RECENT_MS)],
  );
  return row?.earliest ?? undefined;
}

function familyOf(network: ReceiveNetwork): string[] {
  return NETWORKS[network].family === 'evm' ? EVM_NETWORKS : [network];
}
