import type { AssetSymbol, FailureReason, Network } from '@quittance/contract';
import type { RouteProgress } from '../../outside/routers/router.ts';
import type { Db, Transaction } from '../../platform/db/db.ts';
import { toJson } from './payment-store.ts';

/** A conversion ordered from a provider, and its known progress. */
export interface StoredOrder {
  id: string;
  targetId: string;
  paymentId: string;
  livemode: boolean;
  provider: string;
  reference: string;
  depositAddress: string;
  refundAddress: string;
  inputUnits: bigint;
  minimumInputUnits: bigint;
  /** The exact output of the order, and the required output without the suffix. */
  outputUnits: bigint;
  requiredUnits: bigint;
  serviceFeeMinor: bigint;
  deadline: Date;
  raw: unknown;
  state: RouteProgress['state'];
  reason: FailureReason | null;
  depositedUnits: bigint | null;
  depositedAt: Date | null;
  /**
   * When the server first learned that the provider is converting the deposit. By the server's clock, because the price
   * depends on it.
   */
  convertingAt: Date | null;
  payoutTxHashes: string[];
  polledAt: Date | null;
  /** When a customer last submitted a deposit hint, and when the provider first reported full delivery. */
  hintedAt: Date | null;
  doneAt: Date | null;
  dueAt: Date | null;
  createdAt: Date;
  /**
   * By how much, in basis points, the input was worth more than the output. Null for orders from before this was
   * recorded.
   */
  premiumBps: number | null;
  /** From its target: the customer's pay asset and network. */
  payAsset: AssetSymbol;
  payNetwork: Network;
  /** From its target: until when the deposit may be sent at this price. */
  lockedUntil: Date;
}

/** Whether its provider has the customer's money, or has delivered it. A hint or a deposit that is too small is not one. */
export function isDeposited({ state, depositedUnits }: Pick<StoredOrder, 'state' | 'depositedUnits'>): boolean {
  if (state === 'seen') return depositedUnits !== null;
  return state === 'converting' || state === 'delivering' || state === 'done';
}

/** The same in SQL, of an order `o`. */
export const HAS_DEPOSIT = `(o.state in ('converting', 'delivering', 'done') or (o.state = 'seen' and o.deposited_units is not null))`;

/**
 * Whether the provider of an order `o` may hold money of it, even part of a deposit. A hint alone makes an order `seen`, and a
 * `dead` order may still have its deposit.
 */
export const MAY_HOLD_MONEY = `(o.state <> 'returned' and (o.deposited_units > 0 or o.state not in ('waiting', 'seen', 'dead')))`;

const ORDER_COLUMNS = `
  o.id, o.target_id, o.payment_id, o.livemode, o.provider, o.reference, o.deposit_address, o.refund_address,
    o.input_units, o.minimum_input_units,
  o.output_units, o.required_units, o.service_fee_minor, o.deadline, o.raw, o.state, o.reason, o.deposited_units,
    o.deposited_at, o.payout_tx_hashes,
  o.polled_at, o.hinted_at, o.done_at, o.due_at, o.created_at, o.premium_bps, o.converting_at, t.asset as pay_asset,
    t.network as pay_network, t.locked_until`;

/**
 * Stores an order. Returns false if a live order already has its deposit address or identifier, decided by the
 * database.
 */
export async function insertOrder(
  db: Db,
  order: Omit<StoredOrder, 'payAsset' | 'payNetwork' | 'lockedUntil'>,
): Promise<boolean> {
  const rows = await db.query(
    'insert_order',
    `
    insert into route_orders
           (id, target_id, payment_id, account_id, livemode, provider, reference, deposit_address, refund_address,
            input_units, minimum_input_units, output_units, required_units, service_fee_minor, deadline, raw, state,
            due_at, created_at, premium_bps)
    values ($1, $2, $3, (select account_id from payments where id = $3), $4, $5, $6, $7, $8,
            $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)
        on conflict do nothing
    returning id`,
    [
      order.id,
      order.targetId,
      order.paymentId,
      order.livemode,
      order.provider,
      order.reference,
      order.depositAddress,
      order.refundAddress,
      order.inputUnits,
      order.minimumInputUnits,
      order.outputUnits,
      order.requiredUnits,
      order.serviceFeeMinor,
      order.deadline,
      toJson(order.raw),
      order.state,
      order.dueAt,
      order.createdAt,
      order.premiumBps,
    ],
  );
  return rows.length > 0;
}

/** The orders of a payment, oldest first. */
export async function findOrders(db: Db, paymentId: string): Promise<StoredOrder[]> {
  return db.query<StoredOrder>(
    'find_orders',
    `
    select ${ORDER_COLUMNS} from route_orders o join payment_targets t on t.id = o.target_id
     where o.payment_id = $1 order by o.created_at, o.id`,
    [paymentId],
  );
}

/** Locks an order until the transaction ends. */
export async function lockOrder(db: Transaction, id: string): Promise<StoredOrder | undefined> {
  const [order] = await db.query<StoredOrder>(
    'lock_order',
    `
    select ${ORDER_COLUMNS} from route_orders o join payment_targets t on t.id = o.target_id where o.id = $1 for update of o`,
    [id],
  );
  return order;
}

/**
 * Leases a provider's live orders that are due until `until`, so that two workers do not poll the same order: those of
 * each account in turn, so that many of one delay none of another's. Each account costs one look into the index. More are
 * found than are taken, because another worker may hold the first.
 */
export async function leaseDueOrders(
  db: Db,
  provider: string,
  { now, until, limit }: { now: Date; until: Date; limit: number },
): Promise<StoredOrder[]> {
  return db.query<StoredOrder>(
    'lease_due_orders',
    `
    with recursive accounts as (
      (select account_id from route_orders where provider = $4 and due_at is not null order by account_id limit 1)
      union all
      select (select account_id from route_orders
               where provider = $4 and due_at is not null and account_id > accounts.account_id order by account_id limit 1)
        from accounts where account_id is not null
    ), turns as (
      select one.id, one.turn
        from accounts, lateral (
          select id, due_at, row_number() over (order by due_at, id) as turn
            from (select id, due_at from route_orders
                   where livemode and provider = $4 and account_id = accounts.account_id and due_at <= $1
                   order by due_at, id limit $3) first) one
       order by one.turn, one.due_at limit 4 * $3
    ), due as (
      select o.id from turns join route_orders o on o.id = turns.id where o.due_at <= $1
       order by turns.turn, o.due_at limit $3 for update of o skip locked
    )
    update route_orders o set due_at = $2
      from due, payment_targets t
     where o.id = due.id and t.id = o.target_id
    returning ${ORDER_COLUMNS}`,
    [now, until, limit, provider],
  );
}

/** The other providers that have live orders to be polled. */
export async function findOtherProviders(db: Db, known: readonly string[]): Promise<string[]> {
  const rows = await db.query<{ provider: string }>(
    'find_other_providers',
    `
    select distinct provider from route_orders where livemode and due_at is not null and provider <> all($1) order by provider`,
    [known],
  );
  return rows.map(({ provider }) => provider);
}

export async function saveProgress(db: Db, order: StoredOrder): Promise<void> {
  await db.query(
    'save_progress',
    `
    update route_orders
       set state = $2, reason = $3, deposited_units = $4, deposited_at = $5, payout_tx_hashes = $6, polled_at = $7,
         due_at = $8, done_at = $9,
           converting_at = $10
     where id = $1`,
    [
      order.id,
      order.state,
      order.reason,
      order.depositedUnits,
      order.depositedAt,
      order.payoutTxHashes,
      order.polledAt,
      order.dueAt,
      order.doneAt,
      order.convertingAt,
    ],
  );
}

/**
 * How many orders of a payment take a deposit at a locked price. Includes orders being requested: they reserved their
 * output since `askedSince` and are not stored yet. Only meaningful while the payment is locked.
 */
export async function countLiveOrders(
  db: Transaction,
  paymentId: string,
  now: Date,
  askedSince: Date,
): Promise<number> {
  const [row] = await db.query<{ live: bigint }>(
    'count_live_orders',
    `
    select (select count(*) from route_orders o join payment_targets t on t.id = o.target_id
             where o.payment_id = $1 and o.deadline > $2 and t.locked_until > $2 and o.state in ('waiting', 'seen', 'short'))
         + (select count(*) from reserved_amounts r
             where r.payment_id = $1 and r.purpose = 'route_output' and r.taken_at > $3
               and not exists (select 1 from route_orders o where o.payment_id = $1 and o.output_units = r.amount_units)) as live`,
    [paymentId, now, askedSince],
  );
  return Number(row?.live ?? 0n);
}

/**
 * Records a deposit hint: the provider is polled at once, and often for a while. Returns false if that happened a
 * moment ago or the provider already has the deposit, because anyone can submit a hint.
 */
export async function recordDepositHint(db: Db, id: string, now: Date, before: Date): Promise<boolean> {
  const rows = await db.query(
    'record_deposit_hint',
    `
    update route_orders set hinted_at = $2, due_at = least(due_at, $2)
     where id = $1 and due_at is not null and state in ('waiting', 'seen', 'short') and (hinted_at is null or hinted_at <= $3)
    returning id`,
    [id, now, before],
  );
  return rows.length > 0;
}

/** Postpones all due orders of an unreachable provider. */
export async function postponeOrders(db: Db, provider: string, dueBy: Date, until: Date): Promise<void> {
  await db.query(
    'postpone_orders',
    `
    update route_orders set due_at = $3 where livemode and provider = $1 and due_at <= $2`,
    [provider, dueBy, until],
  );
}
