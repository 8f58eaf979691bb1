import type { AssetSymbol } from '@quittance/contract';
import type { Db, Transaction } from '../../platform/db/db.ts';
import { HOUR_MS, later, MINUTE_MS } from '../../platform/time.ts';
import type { ReservedAmount } from './exact-amounts.ts';

/**
 * How long an amount stays reserved after its payment ended, so that a late transfer does not pay another customer's
 * order. Longer if there is evidence that the customer sent money or was about to.
 */
export const QUARANTINE_MS = 30 * MINUTE_MS;
export const QUARANTINE_WITH_EVIDENCE_MS = 48 * HOUR_MS;

/** Reserved amounts are unique here across accounts. */
export interface AmountPlace {
  livemode: boolean;
  network: string;
  address: string;
  asset: AssetSymbol;
}

/** An exact amount, at the only place where it is unique. */
export interface AmountAtPlace {
  place: AmountPlace;
  amountUnits: bigint;
}

export type AmountPurpose = 'target' | 'remainder' | 'route_output';

/** The payment that reserves an amount, and the budgets that the amount counts against until money arrives. */
export interface AmountHolder {
  paymentId: string;
  purpose: AmountPurpose;
  budgets?: AmountBudgetKeys;
  /** Whether the customer's wallet was connected. */
  walletSeen?: boolean;
}

/** Keyed hashes of the client and of its wider range, the payment link, and the account if it has not proved the address. */
export interface AmountBudgetKeys {
  client: Buffer | null;
  clientRange: Buffer | null;
  paymentLinkId: string | null;
  accountId: string | null;
}

/**
 * Whether both passes have read past the end of a quarantine. Before, money that arrived in time for its payment may be
 * in blocks that are still to be read.
 */
const IS_READ_PAST = `not (r.livemode and exists (
           select 1 from chain_cursors c
            where c.network = r.network and (c.block_time is null or c.block_time <= r.reserved_until)
              and (c.pass = 'first' or not c.waits_for_provider)))`;

/**
 * Reserves an amount unless another payment holds it, decided by the primary key. Returns true if this payment holds it
 * now. An amount that the payment already holds keeps its original `taken_at`.
 */
export async function tryReserveAmount(
  db: Db,
  { place, amountUnits }: AmountAtPlace,
  { paymentId, purpose, budgets, walletSeen = false }: AmountHolder,
  now: Date,
): Promise<boolean> {
  const rows = await db.query(
    'try_reserve_amount',
    `
    insert into reserved_amounts as r
      (livemode, network, address, asset, amount_units, payment_id, purpose, taken_at, client, payment_link_id,
        account_id, wallet_seen_at, client_range)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, case when $12 then $8::timestamptz end, $13)
        on conflict (livemode, network, address, asset, amount_units) do update
       set payment_id = excluded.payment_id, purpose = excluded.purpose, reserved_until = null, client = excluded.client,
           client_range = excluded.client_range, payment_link_id = excluded.payment_link_id,
             account_id = excluded.account_id, wallet_seen_at = excluded.wallet_seen_at,
           taken_at = case when r.payment_id = excluded.payment_id then r.taken_at else excluded.taken_at end
     where (r.reserved_until <= $8 and ${IS_READ_PAST}) or (r.payment_id = excluded.payment_id and r.purpose = excluded.purpose)
    returning r.payment_id`,
    [
      place.livemode,
      place.network,
      place.address,
      place.asset,
      amountUnits,
      paymentId,
      purpose,
      now,
      budgets?.client ?? null,
      budgets?.paymentLinkId ?? null,
      budgets?.accountId ?? null,
      walletSeen,
      budgets?.clientRange ?? null,
    ],
  );
  return rows.length > 0;
}

/** Frees an amount that no customer was shown. The output amount of a provider's order stays reserved. */
export async function freeAmount(db: Db, place: AmountPlace, amountUnits: bigint, paymentId: string): Promise<void> {
  await db.query(
    'free_amount',
    `
    delete from reserved_amounts where livemode = $1 and network = $2 and address = $3 and asset = $4
      and amount_units = $5 and payment_id = $6
       and not exists (select 1 from route_orders o where o.payment_id = $6 and o.output_units = $5)`,
    [place.livemode, place.network, place.address, place.asset, amountUnits, paymentId],
  );
}

/** Which of these amounts are or were reserved. */
export async function findReservedAmounts(
  db: Db,
  place: AmountPlace,
  amounts: readonly bigint[],
): Promise<ReservedAmount[]> {
  return db.query<ReservedAmount>(
    'find_reserved_amounts',
    `
    select r.amount_units, r.taken_at, case when ${IS_READ_PAST} then r.reserved_until end as until
      from unnest($5::numeric[]) as wanted (amount_units)
      join reserved_amounts r on r.livemode = $1 and r.network = $2 and r.address = $3 and r.asset = $4
        and r.amount_units = wanted.amount_units`,
    [place.livemode, place.network, place.address, place.asset, amounts.map(String)],
  );
}

/** Whether an amount is reserved for a payment, so that a transfer of it can only be this payment's. */
export async function isReservedFor(
  db: Db,
  { place, amountUnits }: AmountAtPlace,
  paymentId: string,
  now: Date,
): Promise<boolean> {
  const rows = await db.query(
    'is_reserved_for',
    `
    select payment_id from reserved_amounts
     where livemode = $1 and network = $2 and address = $3 and asset = $4 and amount_units = $5 and payment_id = $6
       and (reserved_until is null or reserved_until > $7)`,
    [place.livemode, place.network, place.address, place.asset, amountUnits, paymentId, now],
  );
  return rows.length > 0;
}

/** The amounts that a payment reserved for its missing rest. */
export async function findRemainders(db: Db, paymentId: string): Promise<bigint[]> {
  const rows = await db.query<{ amountUnits: bigint }>(
    'find_remainders',
    `
    select amount_units from reserved_amounts where payment_id = $1 and purpose = 'remainder' order by taken_at desc`,
    [paymentId],
  );
  return rows.map((row) => row.amountUnits);
}

/** Records that the customer's wallet was connected, which extends the quarantine of the payment's amounts. */
export async function recordWalletInteraction(db: Db, paymentId: string, now: Date): Promise<void> {
  await db.query(
    'record_wallet_interaction',
    `
    update reserved_amounts set wallet_seen_at = $2 where payment_id = $1 and wallet_seen_at is null`,
    [paymentId, now],
  );
}

/**
 * Starts the quarantine of an ended payment. If money arrived, its amounts no longer count against any budget. A route
 * provider's output stays reserved as long as the provider is polled about it.
 */
export async function releaseAmounts(db: Transaction, paymentId: string, endedAt: Date): Promise<void> {
  const { money, evidence } = await findEvidence(db, paymentId);
  await db.query(
    'release_amounts',
    `
    update reserved_amounts r
       set reserved_until = greatest(r.reserved_until, case r.purpose when 'route_output' then greatest($2::timestamptz, (
             select max(o.deadline) + interval '1 day' from route_orders o where o.payment_id = r.payment_id
               and o.output_units = r.amount_units)) else $2 end),
           client = case when $3 then null else r.client end,
           client_range = case when $3 then null else r.client_range end,
           payment_link_id = case when $3 then null else r.payment_link_id end,
           account_id = case when $3 then null else r.account_id end
     where r.payment_id = $1`,
    [paymentId, later(endedAt, money || evidence ? QUARANTINE_WITH_EVIDENCE_MS : QUARANTINE_MS), money],
  );
}

/** Starts the quarantine of amounts that an open payment replaced by newer ones and whose price lock ended. */
export async function releaseReplacedAmounts(db: Transaction, paymentId: string, now: Date): Promise<void> {
  const { money, evidence } = await findEvidence(db, paymentId);
  if (money || evidence) return;
  await db.query(
    'release_replaced_amounts',
    `
    update reserved_amounts r set reserved_until = t.locked_until + make_interval(secs => $3)
      from payment_targets t
     where r.payment_id = $1 and r.purpose = 'target' and r.reserved_until is null
       and t.payment_id = $1 and t.kind = 'direct' and t.amount_units = r.amount_units and t.locked_until <= $2`,
    [paymentId, now, QUARANTINE_MS / 1000],
  );
}

/** Extends a running quarantine when evidence arrives after the payment ended. */
export async function extendQuarantine(db: Transaction, paymentIds: readonly string[]): Promise<void> {
  if (paymentIds.length === 0) return;
  await db.query(
    'extend_quarantine',
    `
    update reserved_amounts r set reserved_until = p.ended_at + make_interval(secs => $2)
      from payments p
     where r.payment_id = any($1) and p.id = r.payment_id and r.reserved_until < p.ended_at + make_interval(secs => $2)`,
    [paymentIds, QUARANTINE_WITH_EVIDENCE_MS / 1000],
  );
}

/** Whether there is evidence that the customer sent money or had a wallet ready. */
async function findEvidence(db: Db, paymentId: string): Promise<{ money: boolean; evidence: boolean }> {
  const [row] = await db.query<{ money: boolean; evidence: boolean }>(
    'find_amount_evidence',
    `
    select exists (select 1 from transfers where payment_id = $1 and status <> 'dropped') as money,
           exists (select 1 from transfers where near_payment_id = $1)
           or exists (select 1 from transaction_hints where payment_id = $1)
           or exists (select 1 from signed_claims where payment_id = $1)
           or exists (select 1 from reverted_transactions where payment_id = $1)
           or exists (select 1 from payment_targets where payment_id = $1 and sender is not null)
           or exists (select 1 from reserved_amounts where payment_id = $1 and wallet_seen_at is not null) as evidence`,
    [paymentId],
  );
  return row ?? { money: false, evidence: false };
}
