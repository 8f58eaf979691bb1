import type { Database, Db } from '../platform/db/db.ts';
import { sha256 } from '../platform/secrets.ts';

/** Moves an order into the past, so that the demo has a month of data. Only for test money that this start made. */
export async function moveBack(database: Database, accountId: string, sessionId: string, ms: number): Promise<void> {
  const values = [sessionId, accountId, `${ms} milliseconds`];
  const ids = `(select payment_id from checkout_sessions where id = $1 and account_id = $2 and not livemode)`;
  await database.transaction(async (db) => {
    await db.query(
      'demo_move_states',
      `update payment_states set at = at - $3::interval where payment_id in ${ids}`,
      values,
    );
    await db.query(
      'demo_move_targets',
      `update payment_targets set created_at = created_at - $3::interval, locked_until = locked_until - $3::interval
        where payment_id in ${ids}`,
      values,
    );
    await db.query(
      'demo_move_transfers',
      `update transfers
        set block_time = block_time - $3::interval, first_seen_at = first_seen_at - $3::interval,
          final_at = final_at - $3::interval where coalesce(payment_id, near_payment_id) in ${ids}`,
      values,
    );
    await db.query(
      'demo_move_events',
      `update events set created_at = created_at - $3::interval where object_id in ${ids}`,
      values,
    );
    await db.query(
      'demo_move_payment',
      `update payments
        set created_at = created_at - $3::interval, expires_at = expires_at - $3::interval,
          started_at = started_at - $3::interval, paid_at = paid_at - $3::interval, ended_at = ended_at - $3::interval where id in ${ids}`,
      values,
    );
    await db.query(
      'demo_move_session',
      `update checkout_sessions set created_at = created_at - $3::interval, expires_at = expires_at - $3::interval
        where id = $1 and account_id = $2`,
      values.slice(0, 3),
    );
    await db.query(
      'demo_move_customers',
      `
      update customers c
         set last_paid_at = paid.last_paid_at
        from (select coalesce('r' || (s.customer ->> 'reference'), 'e' || (s.customer ->> 'email')) as key, max(p.paid_at) as last_paid_at
                from checkout_sessions s join payments p on p.session_id = s.id
               where s.account_id = $1 and not s.livemode and p.paid_at is not null
               group by 1) paid
       where c.account_id = $1 and not c.livemode and paid.key = coalesce('r' || c.reference, 'e' || c.email)`,
      [accountId],
    );
  });
}

export async function describeShop(db: Db, accountId: string): Promise<void> {
  await db.query(
    'describe_demo_shop',
    `
    update accounts
      set name = coalesce(name, 'Fern & Fog'), support_email = coalesce(support_email, 'help@fern-and-fog.example') where id = $1`,
    [accountId],
  );
}

export async function findDemoPayment(db: Db, sessionId: string): Promise<string> {
  const [row] = await db.query<{ paymentId: string }>(
    'find_demo_payment',
    'select payment_id from checkout_sessions where id = $1',
    [sessionId],
  );
  return row?.paymentId ?? '';
}

export async function isDeliveryWaiting(db: Db, accountId: string): Promise<boolean> {
  const rows = await db.query(
    'demo_waiting',
    `select 1 from deliveries where account_id = $1 and not livemode and state = 'pending' limit 1`,
    [accountId],
  );
  return rows.length > 0;
}

export async function alignAttemptTimes(db: Db, accountId: string): Promise<void> {
  await db.query(
    'demo_align_attempts',
    `
    update delivery_attempts a set attempted_at = e.created_at + (a.recorded_at - e.recorded_at)
      from deliveries d join events e on e.id = d.event_id
     where a.delivery_id = d.id and d.account_id = $1 and not d.livemode`,
    [accountId],
  );
}

/** What a developer needs for the first request. Stored readable, because it gives access to test money only. */
export interface DemoAccount {
  accountId: string;
  email: string;
  testKey: string;
  payoutWalletId: string;
  /** The endpoint of the built-in receiver, if it is registered. */
  webhook?: { id: string; url: string; secret: string };
  /** Whether the sample payments exist. */
  isSeeded?: boolean;
}

/** Whether the key still works: the database may be another one, or the key rotated. */
export async function isKeyValid(db: Db, { accountId, testKey }: DemoAccount): Promise<boolean> {
  const rows = await db.query(
    'find_demo_key',
    'select id from api_keys where secret_hash = $1 and account_id = $2 and revoked_at is null',
    [sha256(testKey), accountId ?? ''],
  );
  return rows.length > 0;
}
