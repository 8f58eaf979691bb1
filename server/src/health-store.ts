import type { Db } from './platform/db/db.ts';

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

export async function countDueDeliveries(db: Db, now: Date): Promise<{ due: bigint; oldest: Date | null }> {
  const [queue] = await db.query<{ due: bigint; oldest: Date | null }>(
    'look_at_queue',
    `
    select count(*) as due, min(due_at) as oldest from deliveries where state = 'pending' and due_at <= $1`,
    [now],
  );
  return { due: queue?.due ?? 0n, oldest: queue?.oldest ?? null };
}
