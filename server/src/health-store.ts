import type { Db } from './platform/db/db.ts';
import { WAITING_ENDPOINTS } from './resources/webhooks/delivery/lease-store.ts';

export async function isWritable(db: Db): Promise<boolean> {
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
