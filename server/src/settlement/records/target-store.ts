import type { AssetSymbol, Network } from '@quittance/contract';
import type { Db } from '../../platform/db/db.ts';
import { EARLY_TOLERANCE_MS, type StoredRate } from './amounts.ts';
import { MOVING_LOCK_MS } from './price-lock.ts';

/** Anyone with the link of a checkout can choose again and again. The newest are what the customer saw. */
const MAX_NEWEST_TARGETS = 200;
/** Amounts whose price was locked at one instant. A checkout chooses at most twenty in that time. */
const MAX_LOCKED_TARGETS = 50;

/** The amount and address that a customer was shown. Never changes. */
export interface Target {
  id: string;
  paymentId: string;
  livemode: boolean;
  kind: 'direct' | 'routed';
  asset: AssetSymbol;
  network: Network;
  address: string;
  amountUnits: bigint;
  requiredUnits: bigint;
  rate: StoredRate | null;
  lockedUntil: Date;
  refundAddress: string | null;
  /** A connected wallet that proved its address. */
  sender: string | null;
  /** Whether a transfer may carry the tag. */
  takesTag: boolean;
  createdAt: Date;
}

export async function insertTarget(db: Db, target: Target): Promise<void> {
  await db.query(
    'insert_target',
    `
    insert into payment_targets (id, payment_id, livemode, kind, asset, network, address, amount_units,
      required_units, rate, locked_until, refund_address, sender, takes_tag, created_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`,
    [
      target.id,
      target.paymentId,
      target.livemode,
      target.kind,
      target.asset,
      target.network,
      target.address,
      target.amountUnits,
      target.requiredUnits,
      target.rate && JSON.stringify(target.rate),
      target.lockedUntil,
      target.refundAddress,
      target.sender,
      target.takesTag,
      target.createdAt,
    ],
  );
}

const TARGET_COLUMNS = `id, payment_id, livemode, kind, asset, network, address, amount_units, required_units, rate,
  locked_until, refund_address, sender,
  takes_tag, created_at`;

/**
 * The targets of payments that an assessment needs, oldest first: the newest, and those that may price a transfer. A
 * moving price is locked for some minutes; for a pegged asset all targets have one price, so the last one before a
 * transfer stands for all of them.
 */
export async function findPricingTargets(db: Db, paymentIds: readonly string[]): Promise<Target[]> {
  return db.query<Target>(
    'find_pricing_targets',
    `
    with asked as (
      select distinct id from unnest($1::text[]) as asked (id)
    ), paid as (
      select distinct t.payment_id, t.block_time
        from transfers t
       where t.payment_id = any($1) and t.status <> 'dropped'
    ), needed as (
      select target.id
        from asked cross join lateral (
          (select one.id from payment_targets one where one.payment_id = asked.id order by one.created_at desc, one.id desc limit $2)
          union all
          (select one.id from payment_targets one
            where one.payment_id = asked.id and one.kind = 'direct' order by one.created_at desc, one.id desc limit 1)) target
      union
      select target.id
        from paid cross join lateral (
          select one.id from payment_targets one
           where one.payment_id = paid.payment_id and one.kind = 'direct'
             and one.created_at between paid.block_time - $4 * interval '1 millisecond' and paid.block_time + $5 * interval '1 millisecond'
           order by one.created_at desc, one.id desc limit $3) target
      union
      select target.id
        from paid cross join lateral (
          select one.id from payment_targets one
           where one.payment_id = paid.payment_id and one.kind = 'direct'
             and one.created_at <= paid.block_time + $5 * interval '1 millisecond'
           order by one.created_at desc, one.id desc limit 1) target
    )
    select ${TARGET_COLUMNS} from payment_targets where id in (select id from needed) order by created_at, id`,
    [paymentIds, MAX_NEWEST_TARGETS, MAX_LOCKED_TARGETS, MOVING_LOCK_MS, EARLY_TOLERANCE_MS],
  );
}

export async function findTargetsById(db: Db, ids: readonly string[]): Promise<Target[]> {
  return db.query<Target>(
    'find_targets_by_id',
    `
    select ${TARGET_COLUMNS} from payment_targets where id = any($1) order by created_at, id`,
    [ids],
  );
}
