import { EVM_RECEIVE_NETWORKS, isEvm, type ReceiveNetwork } from '@quittance/contract';
import type { Db } from '../../platform/db/db.ts';
import { DAY_MS, later } from '../../platform/time.ts';

/** A session's wallet is watched for this long after its end, so that late or wrong money is not missed. */
export const RECENT_MS = 30 * DAY_MS;

export interface Counts {
  /** Wallets of this network with open or recent sessions, and of the whole family. */
  here: bigint;
  all: bigint;
  /** Payments still open after that time, because their network was not read. */
  overdue: bigint;
  /** Transfers that a payment depends on and that are not verified yet. */
  unverified: bigint;
}

export async function countWatched(db: Db, network: ReceiveNetwork, at: Date): Promise<Counts> {
  const [counts] = await db.query<Counts>(
    'count_watched',
    `
    select count(*) filter (where w.network = $1) as here, count(*) as all,
           -- The first entry of the index shows that no payment is overdue, as is usual. Counted outright, a planner
           -- without statistics reads all payments in every turn.
           case when (select p.expires_at from payments p
                       where p.livemode and p.status in ('created', 'pending') order by p.expires_at limit 1) <= $4
                then (select count(*) from payments p join checkout_sessions s on s.id = p.session_id
                       where p.livemode and p.status in ('created', 'pending') and p.expires_at <= $4 and s.receive_network = $1)
                else 0
           end as overdue,
           (select count(*) from (select 1 from transfers t where t.livemode and t.network = $1 and t.status = 'seen'
             and t.payment_id is not null limit 1) one) as unverified
      from payout_wallets w
     where w.livemode and w.network = any($2) and w.watched_until > $3`,
    [network, familyOf(network), at, later(at, -RECENT_MS)],
  );
  return counts ?? { here: 0n, all: 0n, overdue: 0n, unverified: 0n };
}

export async function listWatched(db: Db, network: ReceiveNetwork, at: Date): Promise<ReadonlySet<string>> {
  const rows = await db.query<{ address: string }>(
    'list_watched',
    `
    select w.address from payout_wallets w
     where w.livemode and w.network = any($1) and w.watched_until > $2
     union
    select s.receive_address from payments p join checkout_sessions s on s.id = p.session_id
     where p.livemode and p.status in ('created', 'pending') and p.expires_at <= $3 and s.receive_network = any($1)
     union
    (select t.to_address from transfers t where t.livemode and t.network = $4 and t.status = 'seen'
      and t.payment_id is not null limit 1000)`,
    [familyOf(network), at, later(at, -RECENT_MS), network],
  );
  return new Set(rows.map((row) => row.address));
}

/** The sessions of a wallet and a class of lengths that are looked at to find the earliest one. */
const MAX_SESSIONS = 20;
/** Sessions of more than a day are found by their length: up to 2, 4, 8, 16 and 32 days. The API creates up to 30. */
const LENGTH_CLASSES = 5;

/**
 * When the earliest of the open or recent live sessions on a network was created: reading starts there. Of very many
 * sessions of about one length, only those that end first are looked at. The others may be as long as their class
 * allows, so the answer is too early by a day, or by the length of the sessions, at most: reading more is safe, reading
 * less is not.
 */
export async function findEarliestSession(db: Db, network: ReceiveNetwork, now: Date): Promise<Date | undefined> {
  const [row] = await db.query<{ earliest: Date | null }>(
    'find_earliest_session',
    `
    select min(found.created_at) as earliest
      from (
        select case when count(*) < $3 then min(first.created_at)
                    else least(min(first.created_at), max(first.expires_at) - class.days * interval '24 hours')
               end as created_at
          from payout_wallets w
         cross join (select class, power(2, class) as days from generate_series(0, $4::integer) class) class
         cross join lateral (
               (select s.created_at, s.expires_at
                  from checkout_sessions s
                 where class.class = 0 and s.payout_wallet_id = w.id and s.expires_at > $2
                 order by s.expires_at
                 limit $3)
               union all
               (select s.created_at, s.expires_at
                  from checkout_sessions s
                 where class.class > 0 and s.payout_wallet_id = w.id and s.expires_at > $2
                   and s.expires_at - s.created_at > interval '1 day'
                   and ceil(log(2, extract(epoch from (s.expires_at - s.created_at)) / 86400)) = class.class
                 order by s.expires_at
                 limit $3)) first
         where w.livemode and w.network = $1 and w.watched_until > $2
         group by w.id, class.class, class.days
        union all
        -- Payments that were not closed because their network was not read: none, as a rule. Joined, a planner without
        -- statistics reads all sessions.
        select (select s.created_at from checkout_sessions s where s.id = p.session_id and s.receive_network = $1)
          from payments p
         where p.livemode and p.status in ('created', 'pending') and p.expires_at <= $2
      ) found`,
    [network, later(now, -RECENT_MS), MAX_SESSIONS, LENGTH_CLASSES],
  );
  return row?.earliest ?? undefined;
}

function familyOf(network: ReceiveNetwork): readonly ReceiveNetwork[] {
  return isEvm(network) ? EVM_RECEIVE_NETWORKS : [network];
}
