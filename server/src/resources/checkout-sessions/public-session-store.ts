import type { PublicSessionJson } from '@quittance/contract';
import type { Database, Db } from '../../platform/db/db.ts';
import { later } from '../../platform/time.ts';
import type { Payment } from '../../settlement/records/payment.ts';
import type { CheckoutSession } from './session.ts';
import { shownNear } from './near-transfer-store.ts';
import { EARLIER_STATE_SQL } from './try-store.ts';

/** Real time in live mode, the account's clock in test mode. */
export async function clockOf(db: Database, session: Pick<CheckoutSession, 'accountId' | 'livemode'>): Promise<Date> {
  const now = await db.now();
  if (session.livemode) return now;
  const [row] = await db.query<{ testClockOffsetMs: bigint }>(
    'find_clock_offset',
    `select test_clock_offset_ms from accounts where id = $1`,
    [session.accountId],
  );
  return later(now, Number(row?.testClockOffsetMs ?? 0n));
}

export async function findMerchant(db: Db, accountId: string): Promise<PublicSessionJson['merchant']> {
  const [row] = await db.query<{
    name: string | null;
    logoUrl: string | null;
    supportEmail: string | null;
    supportUrl: string | null;
  }>('find_public_merchant', `select name, logo_url, support_email, support_url from accounts where id = $1`, [
    accountId,
  ]);
  return {
    name: row?.name ?? null,
    logo_url: row?.logoUrl ?? null,
    support_email: row?.supportEmail ?? null,
    support_url: row?.supportUrl ?? null,
  };
}

/** The newest block that any process has read. */
export async function findHead(db: Db, session: CheckoutSession, payment: Payment): Promise<bigint | null> {
  const [row] = session.livemode
    ? await db.query<{ head: bigint | null }>(
        'find_read_head',
        `select block_number as head from chain_cursors where network = $1 and pass = 'first'`,
        [payment.receiveNetwork],
      )
    : await db.query<{ head: bigint | null }>(
        'find_sandbox_head',
        `select max(number) as head from sandbox_blocks where account_id = $1 and network = $2`,
        [session.accountId, payment.receiveNetwork],
      );
  return row?.head ?? null;
}

/** The newest block that any process has read of the network of a session `s` with its payment `p`. */
const HEAD_SQL = `case when p.livemode
    then (select c.block_number from chain_cursors c where c.network = s.receive_network and c.pass = 'first')
    else (select max(b.number) from sandbox_blocks b where b.account_id = p.account_id and b.network = s.receive_network)
  end`;

/** Everything that can change what a page shows, in one query: thousands of pages may be open. */
export async function findState(db: Db, paymentId: string): Promise<string | undefined> {
  const [row] = await db.query<{ state: string }>(
    'find_stream_state',
    `
    select concat_ws(' ', p.sequence, p.started_at,
             (select count(*) || max(t.id) from payment_targets t where t.payment_id = p.id),
             (select string_agg(concat(t.id, t.status, t.block_number), ' ' order by t.id) from transfers t where t.payment_id = p.id),
             (select count(*) || max(n.id) from (${shownNear('t.id', 'p.id')}) n),
             (select string_agg(concat(o.id, o.state, o.deposited_units), ' ' order by o.id) from route_orders o where o.payment_id = p.id),
             ${EARLIER_STATE_SQL},
             -- Confirmations count up only if there is a transfer to confirm.
             case when exists (select 1 from transfers t where t.payment_id = p.id and t.status = 'seen') then
               ${HEAD_SQL}
             end) as state
      from payments p join checkout_sessions s on s.id = p.session_id
     where p.id = $1`,
    [paymentId],
  );
  return row?.state;
}

/**
 * Changes with everything stored that a customer sees of a session: the versions of its rows. Undefined without a session. Of the
 * merchant's account too, which has the name, the look and the test clock.
 */
export async function findVersion(db: Db, sessionId: string): Promise<string | undefined> {
  const [row] = await db.query<{ version: string }>(
    'find_session_version',
    `
    select md5(concat_ws(' ', s.xmin, p.xmin, a.xmin,
             (select string_agg(t.xmin::text, ',') from payment_targets t where t.payment_id = p.id),
             (select string_agg(t.xmin::text, ',') from transfers t where t.payment_id = p.id),
             (select string_agg(n.xmin::text, ',') from (${shownNear('t.xmin', 'p.id')}) n),
             (select string_agg(o.xmin::text, ',') from route_orders o where o.payment_id = p.id),
             (select string_agg(r.xmin::text, ',') from reserved_amounts r where r.payment_id = p.id),
             (select string_agg(c.xmin::text, ',') from machine_credentials c where c.payment_id = p.id),
             ${EARLIER_STATE_SQL},
             -- Confirmations count up only if there is a transfer to confirm.
             case when exists (select 1 from transfers t where t.payment_id = p.id) then
               ${HEAD_SQL}
             end)) as version
      from checkout_sessions s join payments p on p.session_id = s.id join accounts a on a.id = s.account_id
     where s.id = $1`,
    [sessionId],
  );
  return row?.version;
}
