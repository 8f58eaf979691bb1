import type { PublicSessionJson, PublicPaymentJson, UnattributedReason } from '@quittance/contract';
import type { Database, Db } from '../../platform/db/db.ts';
import { later } from '../../platform/time.ts';
import { IS_FOR_SESSION, IS_SOUGHT } from '../../settlement/attribution/hint-store.ts';
import { refusalOf } from '../../settlement/records/attribution.ts';
import type { Payment } from '../../settlement/records/payment.ts';
import type { CheckoutSession } from './session.ts';
import { MAX_TRIES } from './store.ts';
import { presentUnits } from '../../settlement/records/present-payment.ts';
import { MAY_HOLD_MONEY } from '../../settlement/records/route-order-store.ts';
import { CENTS_SQL, RECEIVE_NETWORKS_SQL } from '../../settlement/records/sql-lists.ts';
import {
  type StoredTransfer,
  TRANSFER_COLUMNS,
  toStored,
  type TransferRow,
} from '../../settlement/records/transfer-store.ts';

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

/**
 * Of the sessions that `s` goes on from, the one whose page shows money of the customer, or else looks for a transaction that
 * they named: they must not pay for the order twice.
 */
const EARLIER_SQL = `
  with recursive earlier (id, nth) as (
    select s.retry_of, 1 where s.retry_of is not null
     union all
    select before.retry_of, nth + 1 from earlier join checkout_sessions before on before.id = earlier.id
     where before.retry_of is not null and nth < ${MAX_TRIES}
  )
  select id, arrived from (
    select earlier.id, nth,
           paid.status = 'expired'
           and exists (select 1 from transaction_hints h where h.payment_id = paid.id and ${IS_SOUGHT}) as named,
           exists (select 1 from (${firstNear('t.reason, t.handled_at, t.asset, t.network, t.amount_units', 'paid.id')}) near
                     join (values ${CENTS_SQL}) cent (asset, network, units) using (asset, network)
                    where near.reason <> 'too_small' and near.handled_at is null and near.amount_units >= cent.units)
           or (paid.status <> 'refunded'
               and (exists (select 1 from transfers t where t.payment_id = paid.id and t.status <> 'dropped')
                    or exists (select 1 from route_orders o where o.payment_id = paid.id and ${MAY_HOLD_MONEY}))) as arrived
      from earlier join payments paid on paid.session_id = earlier.id) found
   where arrived or named
   order by arrived desc, nth limit 1`;

/** Of a session `s` with its payment `p`: while the customer may pay in it or try it again. */
const HAS_EARLIER = `s.retry_of is not null and p.status in ('created', 'pending', 'expired', 'failed')`;

/** What of it a page shows. */
const EARLIER_STATE_SQL = `case when ${HAS_EARLIER} then (select concat(e.id, e.arrived) from (${EARLIER_SQL}) e) end`;

/** The checkout to which the customer has to look before they pay in this one or try it again. */
export async function findEarlier(
  db: Db,
  session: Pick<CheckoutSession, 'id' | 'retryOf'>,
): Promise<PublicSessionJson['earlier']> {
  if (session.retryOf === null) return undefined;
  const [earlier] = await db.query<{ id: string; arrived: boolean }>(
    'find_earlier_of_session',
    `
    select e.id, e.arrived
      from checkout_sessions s join payments p on p.session_id = s.id cross join lateral (${EARLIER_SQL}) e
     where s.id = $1 and ${HAS_EARLIER}`,
    [session.id],
  );
  return earlier;
}

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

/**
 * The transfers that the page of a payment shows beside its own, as `t`: those near it, and those of the transactions that its
 * customer named, if they came to its wallet since it began. Who else has those is not looked at: a stranger can name any
 * transaction, and learns no more than the chain says. Anyone can send more, so that no answer and no version reads all.
 */
export function shownNear(columns: string, payment: string): string {
  return `(${firstNear(columns, payment)})
    union all
    (select ${columns} from transaction_hints h
       join checkout_sessions s on s.payment_id = h.payment_id
      cross join lateral (
             select t.xmin, t.* from transfers t
              where t.network in (${RECEIVE_NETWORKS_SQL}) and t.tx_hash = h.tx_hash and ${IS_FOR_SESSION}
                and (${isNear(payment)}) is not true
                and t.status <> 'dropped' and t.confirmed and not t.queued and t.handled_at is null
              order by t.network, t.index limit 10) t
     where h.payment_id = ${payment}
       -- One transaction may pay several orders, and the rest of it is another's.
       and not exists (select 1 from transfers own
                        where own.payment_id = h.payment_id and own.tx_hash = h.tx_hash and own.status <> 'dropped')
     order by t.id limit 10)`;
}

function firstNear(columns: string, payment: string): string {
  return `select ${columns} from transfers t where ${isNear(payment)} and t.status <> 'dropped' order by t.id limit 10`;
}

function isNear(payment: string): string {
  return `t.near_payment_id = ${payment} and t.payment_id is null and t.reason <> 'no_match'`;
}

/**
 * Transfers that do not count toward a payment: another coin, money after it was paid, or what its customer named and no rule
 * matches (`no_match`). One that has only an unproven reference may belong to someone else, so only the merchant sees it.
 */
export async function findOtherTransfers(db: Db, payment: Payment): Promise<PublicPaymentJson['other_transfers']> {
  const rows = await db.query<TransferRow>('find_near_transfers', shownNear(TRANSFER_COLUMNS, '$1'), [payment.id]);
  return rows.map(toStored).flatMap((transfer) => {
    const { asset, network, amountUnits, txHash } = transfer;
    const reason = reasonFor(payment, transfer);
    return reason
      ? [{ asset, network, amount: presentUnits(amountUnits, asset, network), tx_hash: txHash, reason }]
      : [];
  });
}

/**
 * A transfer that was only named is said to be unmatched and no more: any other reason would ask for a refund, and the money
 * may be another's. Undefined once the payment takes no more money, when it is not shown at all.
 */
function reasonFor(payment: Payment, transfer: StoredTransfer): UnattributedReason | undefined {
  const { nearPaymentId, paymentId, reason } = transfer;
  if (nearPaymentId === payment.id && paymentId === null && reason && reason !== 'no_match') return reason;
  return refusalOf(payment.status) ? undefined : 'no_match';
}
