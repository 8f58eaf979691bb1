import type { Db } from '../../src/platform/db/db.ts';

/** What each copy has, as SQL of its number `n`, and of its session's columns where it belongs to the payment. */
export interface Copies {
  /** The numbers: `generate_series(1, 20) n`. */
  numbers: string;
  /** The 24 characters behind the prefix. */
  id?: string;
  createdAt?: string;
  orderId?: string;
  metadata?: string;
  route?: string;
  paidAt?: string;
  /** What these expressions name as `$2` and so on. */
  values?: readonly unknown[];
}

let made = 0;

/** Copies a session, each with a paid payment: thousands in one statement. */
export async function fillPayments(db: Db, sessionId: string, copies: Copies): Promise<void> {
  const {
    numbers,
    id = `lpad(n::text, 24, '0')`,
    createdAt = `timestamptz '2026-01-01' + n * interval '1 second'`,
    orderId = 'order_id',
    metadata = 'metadata',
    route = `'direct'`,
    paidAt = 'null',
    values = [],
  } = copies;
  await db.query(
    `test_fill_payments_${(made += 1)}`,
    `
    with copies as (
      insert into checkout_sessions (id, account_id, livemode, payment_id, payout_wallet_id, amount_minor, currency,
        order_id, metadata, accepted_assets, reference, receive_asset, receive_network, receive_address, created_at,
        expires_at)
      select 'cs_' || ${id}, account_id, livemode, 'pay_' || ${id}, payout_wallet_id, amount_minor, currency,
             ${orderId}, ${metadata}, accepted_assets, sha256((${id})::bytea), receive_asset, receive_network,
             receive_address, ${createdAt}, '2027-01-01'
        from checkout_sessions, ${numbers}
       where checkout_sessions.id = $1
      returning *
    )
    insert into payments (id, account_id, livemode, session_id, status, sequence, route, pay_asset, pay_network,
      started_at, paid_at, created_at, expires_at, is_announced)
    select payment_id, account_id, livemode, id, 'paid', 3, ${route}, receive_asset, receive_network, created_at,
           ${paidAt}, created_at, expires_at, true
      from copies`,
    [sessionId, ...values],
  );
}

/** How one row of a table is copied. */
export interface CopiedRow {
  prefix: string;
  /** The column of its order. */
  at?: string;
  /** What three of four copies have. */
  large?: object;
  /** What makes each copy another one, as SQL of its number `n` and of the row, `one`. */
  unique?: string;
  /** Which of the table's rows are its list's. */
  where?: string;
}

/** Copies the newest row, three times at each instant, so that an order needs the ids too. */
export async function copyRow(
  db: Db,
  table: string,
  { prefix, at = 'created_at', large = {}, unique, where = 'true' }: CopiedRow,
  copies: number,
): Promise<void> {
  await db.query(
    `test_copy_${table}`,
    `
    insert into ${table}
    select copied.*
      from (select * from ${table} where ${where} order by ${at} desc limit 1) one,
           generate_series(1, ${copies}) n,
           jsonb_populate_record(null::${table}, to_jsonb(one) || case when n % 4 = 0 then '{}' else $1::jsonb end ||
             jsonb_build_object('id', '${prefix}_' || lpad(n::text, 24, '0'),
               '${at}', timestamptz '2026-01-01' + (n / 3) * interval '1 second' ${unique ? `, ${unique}` : ''})) copied`,
    [large],
  );
}
