import type { Database, Db } from './platform/db/db.ts';
import { compareSchema } from './platform/db/migrate.ts';
import { WAITING_ENDPOINTS } from './resources/webhooks/delivery/lease-store.ts';
import type { ReceiveNetwork, UnattributedReason } from '@quittance/contract';
import {
  findNetworkStates,
  findProviderAnswers,
  type NetworkState,
} from './settlement/reading/network-health-store.ts';

export type DatabaseHealth = Awaited<ReturnType<typeof readDatabaseHealth>>;

/** What the database knows of the health of the service. */
export async function readDatabaseHealth(db: Database) {
  const now = await db.now();
  const schema = await compareSchema(db);
  const seen = { now, schema, writable: await isWritable(db) };
  // While migrations are missing, their tables may be missing too.
  if (schema.pending.length > 0)
    return {
      ...seen,
      states: new Map<string, NetworkState>(),
      answers: new Map(),
      leased: [] as string[],
      due: 0n,
      oldest: null,
    };

  return {
    ...seen,
    states: (await findNetworkStates(db, now)) as Map<string, NetworkState>,
    answers: await findProviderAnswers(db),
    leased: await findLeasedNetworks(db, now),
    // A standby has no leases of deliveries, because their table is not logged.
    ...(seen.writable ? await countDueDeliveries(db, now) : { due: 0n, oldest: null }),
  };
}

async function isWritable(db: Db): Promise<boolean> {
  const [server] = await db.query<{ readOnly: string }>(
    'look_at_server',
    `select current_setting('transaction_read_only') as read_only`,
  );
  return server?.readOnly === 'off';
}

/** The networks that a worker is reading. */
export async function findLeasedNetworks(db: Db, now: Date): Promise<string[]> {
  const leases = await db.query<{ network: string }>(
    'look_at_leases',
    `
    select network from chain_cursors where pass = 'first' and lease_until > $1`,
    [now],
  );
  return leases.map(({ network }) => network);
}

/**
 * How many deliveries are due, counted up to a limit, and since when the oldest is that waits for this service. Test clocks
 * move deliveries into the past, and those of a slow endpoint wait for it while a worker serves its account's slow ones.
 */
export async function countDueDeliveries(
  db: Db,
  now: Date,
  maxCounted = 100_000,
): Promise<{ due: bigint; oldest: Date | null }> {
  const [queue] = await db.query<{ due: bigint; oldest: Date | null }>(
    'look_at_queue',
    `
    with recursive ${WAITING_ENDPOINTS}
    select (select count(*) from (select from deliveries where state = 'pending' and due_at <= $1 limit $2) counted) as due,
           (select min(first.due_at)
              from waiting
              join webhook_endpoints endpoint on endpoint.id = waiting.endpoint_id and endpoint.livemode
               and endpoint.status = 'active' and endpoint.deleted_at is null
             cross join lateral (
               select due_at from deliveries
                where state = 'pending' and endpoint_id = endpoint.id and due_at <= $1 order by due_at limit 1) first
             where endpoint.lane <> 'slow' or endpoint.account_id not in (
               select served.account_id
                 from delivery_leases lease
                 join webhook_endpoints served on served.id = lease.endpoint_id and served.lane = 'slow'
                where lease.until > $1)
           ) as oldest`,
    [now, maxCounted],
  );
  return { due: queue?.due ?? 0n, oldest: queue?.oldest ?? null };
}

const MAX_COUNTED_AMOUNTS = 100_000;
const MAX_COUNTED_TRANSFERS = 10_000;

/** The amounts that no other payment can have now, those in quarantine too, counted up to 100,000 per mode. */
export async function countReservedAmounts(db: Db, now: Date): Promise<{ livemode: boolean; count: number }[]> {
  return db.query<{ livemode: boolean; count: number }>(
    'count_all_reserved_amounts',
    `
    select mode.livemode, (select count(*)::integer from (
             (select 1 from reserved_amounts r where r.livemode = mode.livemode and r.reserved_until is null limit $2)
             union all
             (select 1 from reserved_amounts r where r.livemode = mode.livemode and r.reserved_until > $1 limit $2)
             limit $2) held) as count
      from (values (true), (false)) as mode (livemode)`,
    [now, MAX_COUNTED_AMOUNTS],
  );
}

/** The live transfers that no payment took and no person has handled, among the newest 10,000 without a payment. */
export async function countUnattributed(
  db: Db,
): Promise<{ network: ReceiveNetwork; reason: UnattributedReason; count: number }[]> {
  return db.query<{ network: ReceiveNetwork; reason: UnattributedReason; count: number }>(
    'count_unattributed_transfers',
    `
    select newest.network, newest.reason, count(*)::integer as count
      from (select livemode, network, reason, status, queued, handled_at
              from transfers where payment_id is null order by block_time desc limit $1) newest
     where newest.livemode and newest.reason is not null and newest.status <> 'dropped' and not newest.queued and newest.handled_at is null
     group by newest.network, newest.reason`,
    [MAX_COUNTED_TRANSFERS],
  );
}
