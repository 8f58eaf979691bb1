import { NOTE_KEY } from '@quittance/contract/customer-note';
import type { Account } from '../../platform/caller.ts';
import type { Db } from '../../platform/db/db.ts';
import { foldQuotes } from '../../settlement/records/customer.ts';
import type { Payment } from '../../settlement/records/payment.ts';
import { PAYMENT_COLUMNS, type PaymentRow, toPayment } from '../../settlement/records/payment-store.ts';
import { QUOTES_SQL } from '../../settlement/records/sql-lists.ts';
import type { PaymentFilter } from '../payments/list-store.ts';
import type { SearchJson } from '@quittance/contract/dashboard';

// Every statement is limited to this account and mode, even if another account owns the searched id.

export async function findPaymentsById(db: Db, account: Account, ids: readonly string[]): Promise<Payment[]> {
  const rows = await db.query<PaymentRow>(
    'search_payments',
    `
    select ${PAYMENT_COLUMNS}
      from payments p join checkout_sessions s on s.id = p.session_id
     where p.id = any($3) and p.account_id = $1 and p.livemode = $2
     order by p.created_at desc, p.id desc`,
    [account.id, account.livemode, ids],
  );
  return rows.map(toPayment);
}

/** Those of the payments that fit the filter, newest first. */
export async function narrow(
  db: Db,
  account: Account,
  ids: readonly string[],
  { status, route, balance, createdAfter, createdBefore, link }: PaymentFilter,
): Promise<string[]> {
  return idsOf(
    await db.query<{ id: string }>(
      'narrow_searched_payments',
      `
    select p.id
      from payments p join checkout_sessions s on s.id = p.session_id
     where p.id = any($3) and p.account_id = $1 and p.livemode = $2
       and ($4::text is null or p.status = $4) and ($5::text is null or p.route = $5)
       and ($6::text is null or p.balance = $6) and ($7::text is null or s.payment_link_id = $7)
       and p.created_at >= coalesce($8::timestamptz, '-infinity') and p.created_at < coalesce($9::timestamptz, 'infinity')
     order by p.created_at desc, p.id desc`,
      [account.id, account.livemode, ids, status, route, balance, link, createdAfter, createdBefore],
    ),
  );
}

export async function findByIds(db: Db, account: Account, id: string): Promise<string[]> {
  return idsOf(
    await db.query<{ id: string }>(
      'search_by_id',
      `
    select id from payments where id = $3 and account_id = $1 and livemode = $2
     union select id from payments where session_id = $3 and account_id = $1 and livemode = $2
     union select object_id as id from events where id = $3 and account_id = $1 and livemode = $2
     union select e.object_id as id from deliveries d join events e on e.id = d.event_id where d.id = $3
       and d.account_id = $1 and d.livemode = $2
     union select p.id from transfers t join payments p on p.id = coalesce(t.payment_id, t.near_payment_id)
            where t.id = $3 and t.livemode = $2 and p.account_id = $1`,
      [account.id, account.livemode, id],
    ),
  );
}

/** The newest payments of a payment link that were begun. */
export async function findByLink(db: Db, account: Account, linkId: string, limit: number): Promise<string[]> {
  return idsOf(
    await db.query<{ id: string }>(
      'search_by_link',
      `
    select p.id
      from (
             select payment_id, created_at from checkout_sessions
              where payment_link_id = $3 and account_id = $1 and livemode = $2
              order by created_at desc, payment_id desc
              limit 2000
           ) s
      join payments p on p.id = s.payment_id
     where p.started_at is not null
     order by s.created_at desc
     limit $4`,
      [account.id, account.livemode, linkId, limit],
    ),
  );
}

export async function findByTransaction(
  db: Db,
  account: Account,
  txHash: string,
  networks: readonly string[],
): Promise<string[]> {
  return idsOf(
    await db.query<{ id: string }>(
      'search_by_transaction',
      `
    select p.id
      from transfers t join payments p on p.id = coalesce(t.payment_id, t.near_payment_id)
     where t.livemode = $2 and t.network = any($4) and t.tx_hash = $3 and p.account_id = $1
     limit 50`,
      [account.id, account.livemode, txHash, networks],
    ),
  );
}

/** `reference` may be the first half of one. */
export async function findByReference(db: Db, account: Account, reference: Uint8Array): Promise<string[]> {
  return idsOf(
    await db.query<{ id: string }>(
      'search_by_reference',
      `
    select payment_id as id
      from checkout_sessions
     where substring(reference from 1 for 16) = substring($3::bytea from 1 for 16)
       and substring(reference from 1 for length($3::bytea)) = $3::bytea and account_id = $1 and livemode = $2`,
      [account.id, account.livemode, Buffer.from(reference)],
    ),
  );
}

/** Among the newest transfers of that sender, because an exchange sends millions. */
export async function findBySender(db: Db, account: Account, address: string, limit: number): Promise<string[]> {
  return idsOf(
    await db.query<{ id: string }>(
      'search_by_sender',
      `
    select p.id
      from (
             select coalesce(payment_id, near_payment_id) as payment_id, block_time from transfers
              where from_address = $3 and livemode = $2
              order by block_time desc
              limit 10000
           ) t
     cross join lateral (select id from payments where id = t.payment_id and account_id = $1 limit 1) p
     order by t.block_time desc
     limit $4`,
      [account.id, account.livemode, address, limit],
    ),
  );
}

/**
 * By an order number or its beginning, newest first among the first matches: a short beginning must not read a million
 * orders. A range, because the plan of a prepared `like` does not use the beginning.
 */
export async function findByOrder(db: Db, account: Account, text: string, limit: number): Promise<string[]> {
  return idsOf(
    await db.query<{ id: string }>(
      'search_by_order',
      `
    select id from (
             select payment_id as id, created_at from checkout_sessions
              where account_id = $1 and livemode = $2 and order_id is not null and order_id ~>=~ $3 and order_id ~<~ $4
              limit 1000
           ) fitting
     order by created_at desc
     limit $5`,
      [account.id, account.livemode, text, `${text}\u{10FFFF}`, limit],
    ),
  );
}

/** By the whole reference or address of the customer. */
export async function findByCustomer(
  db: Db,
  account: Account,
  { reference, email }: { reference: string; email: string | undefined },
  limit: number,
): Promise<string[]> {
  return idsOf(
    await db.query<{ id: string }>(
      'search_by_customer',
      `
    select id from (
      (select payment_id as id, created_at from checkout_sessions
        where account_id = $1 and livemode = $2 and customer ->> 'reference' = $3
        order by created_at desc, payment_id desc
        limit $5)
       union all
      (select payment_id as id, created_at from checkout_sessions
        where account_id = $1 and livemode = $2 and customer ->> 'email' = $4
        order by created_at desc, payment_id desc
        limit $5)) fitting
     order by created_at desc`,
      [account.id, account.livemode, reference, email, limit],
    ),
  );
}

/** The newest payments of each route, as `p`. */
const NEWEST = `(values ('direct'), ('routed')) as r (route)
     cross join lateral (
             select id, session_id, created_at from payments
              where account_id = $1 and livemode = $2 and route = r.route and started_at is not null
              order by created_at desc, id desc
              limit 2000
           ) p`;

/**
 * By a part of the customer's name, of their address, of their note or of the description, or by the end of the order
 * number, among the newest payments of each route. An index of parts would be the largest of its table.
 */
export async function findByText(
  db: Db,
  account: Account,
  { part, orderEnd }: { part: string; orderEnd: string | null },
  limit: number,
): Promise<string[]> {
  return idsOf(
    await db.query<{ id: string }>(
      'search_by_text',
      `
    select p.id
      from ${NEWEST}
      join checkout_sessions s on s.id = p.session_id
     where ${folded("s.customer ->> 'name'")} ilike $3 or s.customer ->> 'email' ilike $3
        or ${folded('s.description')} ilike $3 or s.order_id ilike $4
        or case when s.payment_link_id is not null then ${folded('s.metadata ->> $5')} ilike $3 else false end
     order by p.created_at desc
     limit $6`,
      [account.id, account.livemode, containing(part), orderEnd === null ? null : endingIn(orderEnd), NOTE_KEY, limit],
    ),
  );
}

/** A column whose quotation marks are those that people type. */
function folded(column: string): string {
  return `translate(${column}, ${QUOTES_SQL})`;
}

/** The pattern of folded texts that contain this one. */
function containing(text: string): string {
  return `${endingIn(foldQuotes(text))}%`;
}

function endingIn(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}`;
}

/**
 * By the requested amount, among the newest payments of each route. An index of amounts would serve only this query.
 */
export async function findByAmount(db: Db, account: Account, amountMinor: bigint, limit: number): Promise<string[]> {
  return idsOf(
    await db.query<{ id: string }>(
      'search_by_amount',
      `
    select p.id
      from ${NEWEST}
      join checkout_sessions s on s.id = p.session_id
     where s.amount_minor = $3
     order by p.created_at desc
     limit $4`,
      [account.id, account.livemode, amountMinor.toString(), limit],
    ),
  );
}

/** A coin's amount in base units. */
export interface CoinAmount {
  asset: string;
  network: string;
  units: bigint;
}

/** By an exact amount that was asked for or arrived, among the newest payments of each route. */
export async function findByCoinAmount(
  db: Db,
  account: Account,
  amounts: readonly CoinAmount[],
  limit: number,
): Promise<string[]> {
  return idsOf(
    await db.query<{ id: string }>(
      'search_by_coin_amount',
      `
    select p.id
      from ${NEWEST}
     where exists (
             select 1 from payment_targets t join unnest($3::text[], $4::text[], $5::numeric[]) as a (asset, network, units)
                 on t.asset = a.asset and t.network = a.network and t.amount_units = a.units
              where t.payment_id = p.id)
        or exists (
             select 1 from transfers t join unnest($3::text[], $4::text[], $5::numeric[]) as a (asset, network, units)
                 on t.asset = a.asset and t.network = a.network and t.amount_units = a.units
              where t.payment_id = p.id)
     order by p.created_at desc
     limit $6`,
      [
        account.id,
        account.livemode,
        amounts.map(({ asset }) => asset),
        amounts.map(({ network }) => network),
        amounts.map(({ units }) => units.toString()),
        limit,
      ],
    ),
  );
}

/** Links, wallets, endpoints, transfers and requests of this id or address. */
export async function findOtherObjects(
  db: Db,
  account: Account,
  text: string,
  addresses: readonly string[],
): Promise<SearchJson['others']> {
  const rows = await db.query<{ kind: string; id: string; label: string }>(
    'search_others',
    `
    select 'payment_link'::text as kind, id, description as label from payment_links where id = $3 and account_id = $1 and livemode = $2
     union all
    select 'payout_wallet'::text as kind, id, coalesce(label, address) as label from payout_wallets
      where (id = $3 or address = any($4)) and account_id = $1 and livemode = $2
     union all
    select 'webhook_endpoint'::text as kind, id, url as label from webhook_endpoints where id = $3 and account_id = $1
      and livemode = $2 and deleted_at is null
     union all
    select 'transfer'::text as kind, t.id, t.tx_hash as label from transfers t
     where t.livemode = $2 and t.id = $3 and t.payment_id is null
       and exists (select 1 from payout_wallets w where w.account_id = $1 and w.livemode = $2 and w.address = t.to_address)
     union all
    select 'request'::text as kind, id, method || ' ' || path as label from request_log where id = $3
      and account_id = $1 and livemode = $2`,
    [account.id, account.livemode, text, addresses],
  );
  return rows as SearchJson['others'];
}

/**
 * Links, wallets, endpoints and keys with the text in their names, each among the newest ones. A key also by the last
 * characters of its secret, which its list shows.
 */
export async function findByName(db: Db, account: Account, text: string, limit: number): Promise<SearchJson['others']> {
  const rows = await db.query<{ kind: string; id: string; label: string }>(
    'search_by_name',
    `
    (select 'payment_link'::text as kind, id, description as label
       from (select id, description from payment_links where account_id = $1 and livemode = $2
              order by created_at desc, id desc limit 500) newest
      where ${folded('description')} ilike $3 limit $5)
     union all
    (select 'payout_wallet'::text as kind, id, label
       from (select id, label from payout_wallets where account_id = $1 and livemode = $2 and archived_at is null
              order by created_at desc, id desc limit 500) newest
      where ${folded('label')} ilike $3 limit $5)
     union all
    (select 'webhook_endpoint'::text as kind, id, url as label
       from (select id, url from webhook_endpoints where account_id = $1 and livemode = $2 and deleted_at is null
              order by created_at desc, id desc limit 500) newest
      where url ilike $3 limit $5)
     union all
    (select 'api_key'::text as kind, id, coalesce(label || ' · ', '') || '…' || last4 as label
       from (select id, label, last4 from api_keys where account_id = $1 and livemode = $2 and revoked_at is null
              order by created_at desc, id desc limit 500) newest
      where ${folded('label')} ilike $3 or last4 = $4 limit $5)`,
    [account.id, account.livemode, containing(text), text.slice(-4), limit],
  );
  return rows as SearchJson['others'];
}

/**
 * Transfers to wallets of the account that belong to no payment, by their transaction or among the newest of a sender.
 */
export async function findUnattributed(
  db: Db,
  account: Account,
  by: { txHash: string | null; networks: readonly string[]; senders: readonly string[] },
  limit: number,
): Promise<SearchJson['others']> {
  const rows = await db.query<{ kind: string; id: string; label: string }>(
    'search_unattributed',
    `
    select 'transfer'::text as kind, t.id, t.tx_hash as label
      from (
             (select id, tx_hash, to_address, payment_id, queued, status, block_time from transfers
               where livemode = $2 and network = any($4) and tx_hash = $3
               limit 1000)
              union
             (select sent.* from unnest($5::text[]) as s (address)
               cross join lateral (
                       select id, tx_hash, to_address, payment_id, queued, status, block_time from transfers
                        where from_address = s.address and livemode = $2
                        order by block_time desc
                        limit 2000) sent)
           ) t
     where t.payment_id is null and not t.queued and t.status <> 'dropped'
       and exists (select 1 from payout_wallets w where w.account_id = $1 and w.livemode = $2 and w.address = t.to_address)
     order by t.block_time desc
     limit $6`,
    [account.id, account.livemode, by.txHash, by.networks, by.senders, limit],
  );
  return rows as SearchJson['others'];
}

function idsOf(rows: { id: string | null }[]): string[] {
  return rows.flatMap(({ id }) => id ?? []);
}
