import type { Account } from '../../platform/caller.ts';
import type { Db, Transaction } from '../../platform/db/db.ts';
import { later, MINUTE_MS, SECOND_MS } from '../../platform/time.ts';
import type { Outgoing } from './outgoing.ts';

/** The transfers of a transaction that other refunds and payouts of the account have used. */
export async function findUsedTransfers(db: Db, one: Outgoing): Promise<number[]> {
  const rows = await db.query<{ index: number }>(
    'find_used_transfers',
    `
    select index from outgoing_transfers
     where account_id = $1 and livemode = $2 and network = $3 and tx_hash = $4 and used_by <> $5`,
    [one.accountId, one.livemode, one.network, one.txHash, one.id],
  );
  return rows.map(({ index }) => index);
}

/** Uses a transfer up for its account. Of two at once, one gets it. */
export async function takeTransfer(db: Transaction, one: Outgoing, index: number): Promise<boolean> {
  const taken = await db.query(
    'take_transfer',
    `
    insert into outgoing_transfers (account_id, livemode, network, tx_hash, index, used_by)
    values ($1, $2, $3, $4, $5, $6)
    on conflict do nothing returning used_by`,
    [one.accountId, one.livemode, one.network, one.txHash, index, one.id],
  );
  return taken.length > 0;
}

/** A turn of those whose time has come. */
export interface DueTurn {
  now: Date;
  limit: number;
  /** Accounts that wait. */
  without: readonly string[];
}

/**
 * SQL that takes those whose time has come, those of each account in turn, so that many of one do not delay another's, and
 * sets when they are taken again. Each account costs one look into the index, however many it has.
 */
export function leaseDue(table: 'payouts' | 'refunds', columns: string): string {
  return `
  with recursive accounts as (
    (select account_id from ${table} where due_at is not null order by account_id limit 1)
    union all
    select (select account_id from ${table}
             where due_at is not null and account_id > accounts.account_id order by account_id limit 1)
      from accounts where account_id is not null
  ), due as (
    select one.id
      from accounts, lateral (
        select id, due_at, row_number() over (order by due_at, id) as turn
          from (select id, due_at from ${table}
                 where account_id = accounts.account_id and due_at <= $1 order by due_at, id limit $5) first) one
     where accounts.account_id <> all ($6)
     order by one.turn, one.due_at limit $5
  )
  update ${table}
     set due_at = case when looks < 20 then $2::timestamptz when looks < 80 then $3::timestamptz else $4::timestamptz end,
         looks = looks + 1
   where due_at <= $1 and id in (select id from due)
  returning ${columns}`;
}

/** The values of `leaseDue`. One is looked at again sooner while it is new. */
export function leaseOf({ now, limit, without }: DueTurn): unknown[] {
  return [now, later(now, 5 * SECOND_MS), later(now, MINUTE_MS), later(now, 15 * MINUTE_MS), limit, without];
}

export type AddressRole = 'merchant' | 'provider';

/** Whose the addresses are to which money must not be sent, because it does not reach anyone else there. */
export async function findAddressRoles(
  db: Db,
  account: Account,
  addresses: readonly string[],
): Promise<Map<string, AddressRole>> {
  const rows = await db.query<{ address: string; isMerchants: boolean; isProviders: boolean }>(
    'find_address_roles',
    `
    select address,
           exists (select 1 from payout_wallets
                    where account_id = $1 and livemode = $2 and lower(payout_wallets.address) = lower(given.address)) as is_merchants,
           exists (select 1 from route_orders where livemode and lower(deposit_address) = lower(given.address)) as is_providers
      from unnest($3::text[]) as given (address)`,
    [account.id, account.livemode, addresses],
  );
  return new Map(
    rows.flatMap(({ address, isMerchants, isProviders }): [string, AddressRole][] =>
      isMerchants ? [[address, 'merchant']] : isProviders ? [[address, 'provider']] : [],
    ),
  );
}
