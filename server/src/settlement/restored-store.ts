import type { AssetSymbol, Currency, ReceiveNetwork, UnattributedReason } from '@quittance/contract';
import type { Db } from '../platform/db/db.ts';

/** Money that no payment took. */
export interface LooseTransfer {
  id: string;
  network: ReceiveNetwork;
  asset: AssetSymbol;
  address: string;
  amountUnits: bigint;
  txHash: string;
  blockTime: Date;
  reason: UnattributedReason | null;
}

/** Live transfers since an instant that are neither assigned nor handled, oldest first. */
export async function findLooseTransfers(db: Db, from: Date, limit: number): Promise<LooseTransfer[]> {
  return db.query<LooseTransfer>(
    'find_loose_transfers',
    `
    select id, network, asset, to_address as address, amount_units, tx_hash, block_time, reason
      from transfers
     where livemode and payment_id is null and handled_at is null and status <> 'dropped' and block_time >= $1
     order by block_time, id limit $2`,
    [from, limit],
  );
}

/** A payment that has no money, as much of it as its exact amounts follow from. */
export interface UnpaidPayment {
  id: string;
  orderId: string | null;
  amountMinor: bigint;
  currency: Currency;
  reference: Buffer;
  network: ReceiveNetwork;
  asset: AssetSymbol;
  address: string;
}

/**
 * Live payments to these addresses that ended since an instant, or have yet to end, and have no money, newest first. A payment
 * that the backup knows counts too: its amount is lost if the customer chose after the backup.
 */
export async function findUnpaidPayments(
  db: Db,
  addresses: readonly string[],
  since: Date,
  limit: number,
): Promise<UnpaidPayment[]> {
  return db.query<UnpaidPayment>(
    'find_unpaid_payments',
    `
    select p.id, s.order_id, s.amount_minor, s.currency, s.reference, s.receive_network as network,
      s.receive_asset as asset, s.receive_address as address
      from payments p join checkout_sessions s on s.id = p.session_id
     where p.livemode and p.expires_at >= $2 and p.status in ('created', 'pending', 'expired') and s.receive_address = any($1)
     order by p.created_at desc limit $3`,
    [addresses, since, limit],
  );
}

/** A payment with money from before its session was created. */
export interface PaidByOlderMoney {
  id: string;
  orderId: string | null;
  createdAt: Date;
  transferId: string;
  txHash: string;
  blockTime: Date;
}

/**
 * Live payments created since an instant whose money is older than they are, newest first: before a restore it may have been
 * late, refunded or handled. Payments that a person decides anyway, and transfers that a person assigned, are left out.
 */
export async function findPaidByOlderMoney(db: Db, from: Date, limit: number): Promise<PaidByOlderMoney[]> {
  return db.query<PaidByOlderMoney>(
    'find_paid_by_older_money',
    `
    select p.id, s.order_id, p.created_at, t.id as transfer_id, t.tx_hash, t.block_time
      from payments p
      join checkout_sessions s on s.id = p.session_id
      join transfers t on t.payment_id = p.id and t.block_time < p.created_at and t.status <> 'dropped' and t.attributed_by = 'reference'
     where p.livemode and p.created_at >= $1 and p.status not in ('refund_required', 'refunded')
     order by p.created_at desc, t.id limit $2`,
    [from, limit],
  );
}

/** Live payments that wait for a decision, which may have been made after the backup. */
export async function findUndecided(db: Db, limit: number): Promise<{ id: string; endedAt: Date | null }[]> {
  return db.query<{ id: string; endedAt: Date | null }>(
    'find_undecided',
    `
    select id, ended_at from payments where livemode and status = 'refund_required' order by ended_at desc nulls last limit $1`,
    [limit],
  );
}
