import type { AssetSymbol, Network } from '@quittance/contract';
import type { Db } from '../../platform/db/db.ts';
import type { KeptRate, TakenAmount } from './amounts.ts';

/** What a customer was told to pay. Never changes. */
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
  rate: KeptRate | null;
  lockedUntil: Date;
  refundAddress: string | null;
  /** A connected wallet that proved its address. */
  sender: string | null;
  /** Whether a transfer may carry the tag. */
  takesTag: boolean;
  createdAt: Date;
}

interface TargetRow {
  id: string;
  payment_id: string;
  livemode: boolean;
  kind: Target['kind'];
  asset: AssetSymbol;
  network: Network;
  address: string;
  amount_units: bigint;
  required_units: bigint;
  rate: KeptRate | null;
  locked_until: Date;
  refund_address: string | null;
  sender: string | null;
  takes_tag: boolean;
  created_at: Date;
}

/** Exact amounts are unique here, whoever's they are. */
export interface AmountPlace {
  livemode: boolean;
  network: string;
  address: string;
  asset: AssetSymbol;
}

export type AmountPurpose = 'target' | 'remainder' | 'route_output';

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

/** The payments' targets, oldest first. */
export async function findTargets(db: Db, paymentIds: readonly string[]): Promise<Target[]> {
  const rows = await db.query<TargetRow>(
    'find_targets',
    `
    select id, payment_id, livemode, kind, asset, network, address, amount_units, required_units, rate, locked_until, refund_address, sender, takes_tag, created_at
      from payment_targets where payment_id = any($1) order by created_at, id`,
    [paymentIds],
  );
  return rows.map((row) => ({
    id: row.id,
    paymentId: row.payment_id,
    livemode: row.livemode,
    kind: row.kind,
    asset: row.asset,
    network: row.network,
    address: row.address,
    amountUnits: row.amount_units,
    requiredUnits: row.required_units,
    rate: row.rate,
    lockedUntil: row.locked_until,
    refundAddress: row.refund_address,
    sender: row.sender,
    takesTag: row.takes_tag,
    createdAt: row.created_at,
  }));
}

/**
 * Takes an exact amount for a payment, unless it is somebody's already: the primary key decides, and an old one only
 * after its quarantine. True where it is this payment's now.
 */
export async function takeAmount(
  db: Db,
  place: AmountPlace,
  amountUnits: bigint,
  owner: { paymentId: string; purpose: AmountPurpose; until: Date | null },
  now: Date,
): Promise<boolean> {
  const rows = await db.query(
    'take_amount',
    `
    insert into reserved_amounts as r (livemode, network, address, asset, amount_units, payment_id, purpose, taken_at, reserved_until)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
        on conflict (livemode, network, address, asset, amount_units) do update
       set payment_id = excluded.payment_id, purpose = excluded.purpose, taken_at = excluded.taken_at, reserved_until = excluded.reserved_until
     where r.reserved_until <= $8 or (r.payment_id = excluded.payment_id and r.purpose = excluded.purpose)
    returning r.payment_id`,
    [
      place.livemode,
      place.network,
      place.address,
      place.asset,
      amountUnits,
      owner.paymentId,
      owner.purpose,
      now,
      owner.until,
    ],
  );
  return rows.length > 0;
}

/** Gives an amount back that no customer was told of. An amount that an order asks its provider for stays reserved. */
export async function returnAmount(db: Db, place: AmountPlace, amountUnits: bigint, paymentId: string): Promise<void> {
  await db.query(
    'return_amount',
    `
    delete from reserved_amounts where livemode = $1 and network = $2 and address = $3 and asset = $4 and amount_units = $5 and payment_id = $6
       and not exists (select 1 from route_orders o where o.payment_id = $6 and o.output_units = $5)`,
    [place.livemode, place.network, place.address, place.asset, amountUnits, paymentId],
  );
}

/** The amounts in a range that are or were taken. */
export async function findTakenAmounts(
  db: Db,
  place: AmountPlace,
  least: bigint,
  most: bigint,
): Promise<TakenAmount[]> {
  const rows = await db.query<{ amount_units: bigint; taken_at: Date; reserved_until: Date | null }>(
    'find_taken_amounts',
    `
    select amount_units, taken_at, reserved_until from reserved_amounts
     where livemode = $1 and network = $2 and address = $3 and asset = $4 and amount_units between $5 and $6`,
    [place.livemode, place.network, place.address, place.asset, least, most],
  );
  return rows.map((row) => ({ amountUnits: row.amount_units, takenAt: row.taken_at, until: row.reserved_until }));
}

/** The amounts that a payment holds for what is still missing. */
export async function findRemainders(db: Db, paymentId: string): Promise<bigint[]> {
  const rows = await db.query<{ amount_units: bigint }>(
    'find_remainders',
    `
    select amount_units from reserved_amounts where payment_id = $1 and purpose = 'remainder' order by taken_at desc`,
    [paymentId],
  );
  return rows.map((row) => row.amount_units);
}

/** How many amounts the account has open at an address. */
export async function countOpenAmounts(db: Db, accountId: string, place: Omit<AmountPlace, 'asset'>): Promise<number> {
  const [row] = await db.query<{ open: bigint }>(
    'count_open_amounts',
    `
    select count(distinct r.payment_id) as open
      from reserved_amounts r join payments p on p.id = r.payment_id
     where r.livemode = $1 and r.network = $2 and r.address = $3 and r.reserved_until is null and p.account_id = $4`,
    [place.livemode, place.network, place.address, accountId],
  );
  return Number(row?.open ?? 0n);
}
