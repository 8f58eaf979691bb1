import type { AssetSymbol, Currency, FailureReason, Network, PaymentStatus, ReceiveNetwork } from '@quittance/contract';
import { NOTE_KEY } from '@quittance/contract/customer-note';
import type { Account } from '../../platform/caller.ts';
import type { Database, Db, Transaction } from '../../platform/db/db.ts';
import type { Customer } from '../../settlement/records/customer.ts';
import type { QueuedKind } from '../../settlement/records/notice-store.ts';
import { RECEIVE_NETWORK } from '../../settlement/records/payment-store.ts';
import { IS_ACTIVE_OWNER } from '../../settlement/records/address-owner-store.ts';
import type { ArrivedMoney } from './arrived.ts';

export interface MailedNotices {
  /** Mails about one thing each in the last 24 hours. */
  singles: number;
  lastSummaryAt: Date | null;
}

export type Outcome = 'mailed' | 'digest' | 'skipped' | 'limited';

/** Accounts and modes with something to tell. */
export function findAccountsToTell(db: Database, now: Date, limit: number): Promise<Account[]> {
  return db.query<Account>(
    'find_accounts_to_tell',
    `
    select distinct account_id as id, livemode
      from (select account_id, livemode from notices
             where handled_at is null and due_at <= $1 and kind <> 'receipt'
             order by due_at
             limit 10000) due
     limit $2`,
    [now, limit],
  );
}

/** Locks what waits for this account; others skip it. */
export async function lockWaiting(db: Transaction, account: Account, limit: number): Promise<bigint[]> {
  const rows = await db.query<{ id: bigint }>(
    'lock_waiting_notices',
    `
    select id from notices
     where account_id = $1 and livemode = $2 and handled_at is null and kind <> 'receipt'
     order by id
     limit $3
       for update skip locked`,
    [account.id, account.livemode, limit],
  );
  return rows.map(({ id }) => id);
}

// What was decided, confirmed, sent, assigned or handled meanwhile needs no mail.
const IS_CURRENT = `case n.kind
    when 'paid' then p.status in ('paid', 'refunded')
    when 'needs_decision' then p.status = 'refund_required'
    when 'refund_answered' then r.status = case when (r.link ->> 'proved')::boolean then 'planned' else 'requested' end
    else t.payment_id is null and t.handled_at is null and t.status = 'final' end`;

const FROM_WAITING = `
      from notices n left join payments p on p.id = n.payment_id left join checkout_sessions s on s.id = p.session_id
      left join transfers t on t.id = n.transfer_id left join refunds r on r.id = n.refund_id`;

export async function countWaiting(
  db: Transaction,
  ids: readonly bigint[],
): Promise<{ kind: QueuedKind; count: number }[]> {
  return db.query<{ kind: QueuedKind; count: number }>(
    'count_waiting_notices',
    `select n.kind, count(*)::integer as count ${FROM_WAITING} where n.id = any ($1) and ${IS_CURRENT} group by n.kind order by n.kind`,
    [ids],
  );
}

/** What a line of a mail says. Either the payment's or the transfer's columns are there, and those of a refund first. */
export interface WaitingNotice {
  id: bigint;
  kind: QueuedKind;
  paymentId: string | null;
  amountMinor: bigint | null;
  currency: Currency | null;
  orderId: string | null;
  customer: Customer | null;
  description: string | null;
  /** What the customer wrote on the page of a payment link. */
  note: string | null;
  status: PaymentStatus | null;
  failureReason: FailureReason | null;
  serviceFeeMinor: bigint | null;
  receiveAsset: AssetSymbol | null;
  receiveNetwork: ReceiveNetwork | null;
  expectedOutputUnits: bigint | null;
  actualOutputUnits: bigint | null;
  network: Network | null;
  asset: AssetSymbol | null;
  amountUnits: bigint | null;
  txHash: string | null;
  /** That the customer named for a refund, and whether it is the wallet that paid. */
  refundAddress: string | null;
  isProved: boolean | null;
}

export function readWaiting(db: Transaction, ids: readonly bigint[], limit: number): Promise<WaitingNotice[]> {
  return db.query<WaitingNotice>(
    'read_waiting_notices',
    `
    select n.id, n.kind, n.payment_id, coalesce(r.amount_minor, s.amount_minor) as amount_minor, s.currency, s.order_id, s.customer,
           s.description, case when s.payment_link_id is not null then s.metadata ->> '${NOTE_KEY}' end as note,
           p.status, p.failure_reason, p.service_fee_minor, s.receive_asset, ${RECEIVE_NETWORK} as receive_network,
           p.expected_output_units, p.actual_output_units,
           coalesce(r.network, t.network) as network, coalesce(r.asset, t.asset) as asset,
           coalesce(r.amount_units, t.amount_units) as amount_units, t.tx_hash,
           r.link ->> 'address' as refund_address, (r.link ->> 'proved')::boolean as is_proved
      ${FROM_WAITING}
     where n.id = any ($1) and ${IS_CURRENT}
     order by n.id
     limit $2`,
    [ids, limit],
  );
}

export async function readMailed(db: Transaction, account: Account, since: Date): Promise<MailedNotices> {
  const [row] = await db.query<{ singles: number; lastSummaryAt: Date | null }>(
    'read_mailed_notices',
    `
    select (select count(*)::integer from notices
             where account_id = $1 and livemode = $2 and outcome = 'mailed' and handled_at >= $3 and kind <> 'receipt') as singles,
           (select handled_at from notices
             where account_id = $1 and livemode = $2 and outcome = 'digest' and handled_at is not null
             order by handled_at desc limit 1) as last_summary_at`,
    [account.id, account.livemode, since],
  );
  return { singles: row?.singles ?? 0, lastSummaryAt: row?.lastSummaryAt ?? null };
}

export async function finishNotices(
  db: Db,
  ids: readonly bigint[],
  done: { outcome: Outcome; at: Date },
): Promise<void> {
  await db.query('finish_notices', `update notices set handled_at = $2, outcome = $3 where id = any ($1)`, [
    ids,
    done.at,
    done.outcome,
  ]);
}

/** What is due waits until then, without being read; a backlog beyond `limit` follows on the next turns. */
export async function postponeNotices(
  db: Db,
  account: Account,
  { now, until, limit }: { now: Date; until: Date; limit: number },
): Promise<void> {
  await db.query(
    'postpone_notices',
    `
    update notices set due_at = $4
     where id in (
       select id from notices
        where account_id = $1 and livemode = $2 and handled_at is null and due_at <= $3 and kind <> 'receipt'
        limit $5)`,
    [account.id, account.livemode, now, until, limit],
  );
}

/** Whom to write to. */
export async function findRecipient(
  db: Db,
  accountId: string,
): Promise<{ email: string | null; name: string | null } | undefined> {
  const [row] = await db.query<{ email: string | null; name: string | null }>(
    'find_notice_recipient',
    `select email, name from accounts where id = $1`,
    [accountId],
  );
  return row;
}

/** What there is to tell while no mail server is configured is not kept. */
export async function deleteWaiting(db: Db, limit: number): Promise<number> {
  const rows = await db.query(
    'delete_waiting_notices',
    `delete from notices where id in (select id from notices where handled_at is null limit $1) returning id`,
    [limit],
  );
  return rows.length;
}

/** Deletes a batch; returns how many. */
export async function deleteNoticesBefore(db: Db, instant: Date, limit: number): Promise<number> {
  const rows = await db.query(
    'delete_notices_before',
    `delete from notices where id in (select id from notices where handled_at < $1 limit $2) returning id`,
    [instant, limit],
  );
  return rows.length;
}

/** A receipt to mail, and what decides whether it may be. */
export interface WaitingReceipt extends ArrivedMoney {
  id: bigint;
  accountId: string;
  livemode: boolean;
  toAddress: string;
  sessionId: string;
  paidAt: Date;
  /** Of the merchant. */
  email: string | null;
  name: string | null;
  supportEmail: string | null;
  /** Whether the account has proved the address that received the money. */
  isProved: boolean;
}

/** These receipts, but those of payments that are not paid any more. */
export function findReceiptsToMail(db: Transaction, ids: readonly bigint[]): Promise<WaitingReceipt[]> {
  return db.query<WaitingReceipt>(
    'find_receipts_to_mail',
    `
    select n.id, n.account_id, n.livemode, coalesce(n.to_address, '') as to_address, p.session_id, s.amount_minor, s.currency,
           coalesce(p.paid_at, p.created_at) as paid_at, a.email, a.name, a.support_email,
           p.actual_output_units, p.expected_output_units, s.receive_asset, ${RECEIVE_NETWORK} as receive_network,
           exists (select 1 from address_owners o
                    where o.livemode = n.livemode and o.network = ${RECEIVE_NETWORK} and o.address = s.receive_address
                      and o.account_id = n.account_id and ${IS_ACTIVE_OWNER}) as is_proved
      from notices n
      join accounts a on a.id = n.account_id
      join payments p on p.id = n.payment_id and p.status = 'paid'
      join checkout_sessions s on s.id = p.session_id
     where n.id = any ($1)
     order by n.id`,
    [ids],
  );
}

/** The oldest receipts that wait, whether or not they will be mailed. */
export async function findReceiptIds(db: Transaction, limit: number): Promise<bigint[]> {
  const rows = await db.query<{ id: bigint }>(
    'find_receipt_ids',
    `select id from notices where handled_at is null and kind = 'receipt' order by id limit $1`,
    [limit],
  );
  return rows.map(({ id }) => id);
}
