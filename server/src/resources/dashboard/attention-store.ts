import type { AssetSymbol, Network } from '@quittance/contract';
import type { Account } from '../../platform/caller.ts';
import type { Db } from '../../platform/db/db.ts';
import type { Payment } from '../../settlement/records/payment.ts';
import { PAYMENT_COLUMNS, type PaymentRow, toPayment } from '../../settlement/records/payment-store.ts';
import {
  type StoredTransfer,
  toStored,
  TRANSFER_COLUMNS,
  type TransferRow,
} from '../../settlement/records/transfer-store.ts';
import type { BusyAddressJson } from '@quittance/contract/dashboard';

/** Payments with an alert, newest first, until the merchant has refunded them or the alert is old. */
export async function findDisappearedPayments(
  db: Db,
  account: Account,
  since: Date,
  limit: number,
): Promise<Payment[]> {
  const rows = await db.query<PaymentRow>(
    'find_disappeared_payments',
    `
    select ${PAYMENT_COLUMNS}
      from payments p join checkout_sessions s on s.id = p.session_id
     where p.account_id = $1 and p.livemode = $2 and p.settlement_alert is not null and p.status <> 'refunded'
       and (p.settlement_alert ->> 'detected_at')::timestamptz >= $3
     order by (p.settlement_alert ->> 'detected_at')::timestamptz desc, p.id
     limit $4`,
    [account.id, account.livemode, since, limit],
  );
  return rows.map(toPayment);
}

interface Arriving {
  payment: string;
  asset: AssetSymbol;
  network: Network;
  detectedUnits: bigint;
}

/** What was seen for the newest direct payments that wait for money, final or not. */
export async function findArriving(db: Db, account: Account, newest: number): Promise<Arriving[]> {
  return db.query<Arriving>(
    'find_arriving_payments',
    `
    select p.id as payment, t.asset, t.network, sum(t.amount_units) as detected_units
      from (select id from payments
             where account_id = $1 and livemode = $2 and status = 'pending' and route = 'direct'
             order by created_at desc, id desc limit $3) p
      join transfers t on t.payment_id = p.id and t.status <> 'dropped' and t.attributed_by <> 'route'
     group by p.id, t.asset, t.network`,
    [account.id, account.livemode, newest],
  );
}

/** Transfers to the account's wallets that were set aside and are neither assigned nor handled, newest first. */
export async function findSetAside(db: Db, account: Account, limit: number): Promise<StoredTransfer[]> {
  const rows = await db.query<TransferRow>(
    'find_set_aside',
    `
    select ${TRANSFER_COLUMNS}
      from transfers t
     where t.livemode = $2 and t.set_aside_at is not null and t.payment_id is null and t.handled_at is null and t.status <> 'dropped'
       and t.to_address in (select w.address from payout_wallets w where w.account_id = $1 and w.livemode = $2)
     order by t.block_time desc, t.id desc
     limit $3`,
    [account.id, account.livemode, limit],
  );
  return rows.map(toStored);
}

/**
 * Live transactions to the account's wallets that could not be stored since an instant, newest first. A transaction
 * that was stored later, by a hint or a rescan, is listed with the transfers.
 */
export async function findSetAsideTransactions(
  db: Db,
  account: Account,
  since: Date,
  limit: number,
): Promise<{ network: string; txHash: string; at: Date }[]> {
  return db.query<{ network: string; txHash: string; at: Date }>(
    'find_set_aside_transactions',
    `
    with mine as (select array_agg(w.address) as addresses from payout_wallets w where w.account_id = $1 and w.livemode)
    select s.network, s.tx_hash, s.at
      from set_aside_transactions s, mine
     where s.to_addresses && mine.addresses and s.at >= $2
       and not exists (select 1 from transfers t where t.livemode and t.network = s.network and t.tx_hash = s.tx_hash)
     order by s.at desc, s.network, s.tx_hash
     limit $3`,
    [account.id, since, limit],
  );
}

/** Saved addresses of which not every transfer was listed since an instant, the busiest first. */
export function findBusyAddresses(db: Db, account: Account, since: Date, limit: number): Promise<BusyAddressJson[]> {
  return db.query<BusyAddressJson>(
    'find_busy_addresses',
    `
    select w.id as wallet, w.label, w.network, w.address, w.proved, activity.skipped, activity.dust
      from (select distinct on (network, address) id, label, network, address, 
                   exists (select 1 from address_owners o
                            where o.livemode = p.livemode and o.network = p.network and o.address = p.address
                              and o.account_id = p.account_id) as proved
              from payout_wallets p
             where account_id = $1 and livemode = $2 and archived_at is null
             order by network, address, created_at) w
     cross join lateral (
             select coalesce(sum(skipped), 0)::integer as skipped, coalesce(sum(dust), 0)::integer as dust
               from address_activity where network = w.network and address = w.address and hour > $3) activity
     where activity.skipped > 0 or activity.dust > 0
     order by activity.skipped desc, activity.dust desc, w.id
     limit $4`,
    [account.id, account.livemode, since, limit],
  );
}
