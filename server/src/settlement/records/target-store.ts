import type { AssetSymbol, Network } from '@quittance/contract';
import type { Db } from '../../platform/db/db.ts';
import type { StoredRate } from './amounts.ts';

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
    insert into payment_targets (id, payment_id, livemode, kind, asset, network, address, amount_units, required_units, rate, locked_until, refund_address, sender, takes_tag, created_at)
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

/** The targets of payments, oldest first. */
export async function findTargets(db: Db, paymentIds: readonly string[]): Promise<Target[]> {
  return db.query<Target>(
    'find_targets',
    `
    select id, payment_id, livemode, kind, asset, network, address, amount_units, required_units, rate, locked_until, refund_address, sender, takes_tag, created_at
      from payment_targets where payment_id = any($1) order by created_at, id`,
    [paymentIds],
  );
}
