import type { Db } from '../../../platform/db/db.ts';

/** Moves retries of an account's test mode forward by the advance of its test clock. */
export async function shiftDeliveries(db: Db, accountId: string, ms: number): Promise<void> {
  await db.query(
    'shift_deliveries',
    `
    update deliveries set due_at = due_at - $2 * interval '1 millisecond',
                          resume_due_at = resume_due_at - $2 * interval '1 millisecond'
     where account_id = $1 and not livemode and state = 'pending'
       and endpoint_id in (select id from webhook_endpoints where account_id = $1 and not livemode)`,
    [accountId, ms],
  );
}

interface DueDelivery {
  id: string;
  endpointId: string;
  recordedAt: Date;
  dueAt: Date;
}

export async function listDue(db: Db, accountId: string, now: Date): Promise<DueDelivery[]> {
  return db.query<DueDelivery>(
    'list_due',
    `
    select d.id, d.endpoint_id, d.recorded_at, d.due_at
      from webhook_endpoints endpoint
      join deliveries d on d.endpoint_id = endpoint.id and d.state = 'pending' and d.due_at <= $2
     where endpoint.account_id = $1 and not endpoint.livemode and endpoint.status = 'active' and endpoint.deleted_at is null
     order by d.due_at`,
    [accountId, now],
  );
}

/** Those that are unchanged. An attempt makes them due later, or ends them. */
export async function stillOpen(db: Db, deliveries: readonly DueDelivery[]): Promise<DueDelivery[]> {
  const rows = await db.query<{ id: string }>(
    'still_open',
    `
    select d.id
      from unnest($1::timestamptz[], $2::text[], $3::timestamptz[]) as known (recorded_at, id, due_at)
      join deliveries d on d.recorded_at = known.recorded_at and d.id = known.id
     where d.due_at = known.due_at`,
    [
      deliveries.map(({ recordedAt }) => recordedAt),
      deliveries.map(({ id }) => id),
      deliveries.map(({ dueAt }) => dueAt),
    ],
  );
  const open = new Set(rows.map(({ id }) => id));
  return deliveries.filter(({ id }) => open.has(id));
}
