import { EVM_RECEIVE_NETWORKS, findAsset, isEvm } from '@quittance/contract';
import type { Transfer } from '../../outside/chains/chain.ts';
import type { Db } from '../../platform/db/db.ts';
import { later } from '../../platform/time.ts';
import { EARLY_TOLERANCE_MS, unitsOn } from '../records/amounts.ts';
import { PAYMENT_COLUMNS, type PaymentRow, toPayment } from '../records/payment-store.ts';
import type { Payment } from '../records/payment.ts';
import type { AmountPurpose } from '../records/reserved-amount-store.ts';
import { RECEIVE_NETWORKS_SQL } from '../records/sql-lists.ts';
import type { StoredTransfer } from '../records/transfer-store.ts';

const NONCE_BYTES = 32;

/** A 20-byte tag carries so much of a reference. */
const TAG_BYTES = 16;

interface Reserved {
  paymentId: string;
  purpose: AmountPurpose;
  targetId: string | null;
  since: Date;
  until: Date | null;
}

export async function findReserved(
  db: Db,
  livemode: boolean,
  transfers: readonly Transfer[],
): Promise<Map<number, Reserved>> {
  const rows = await db.query<Reserved & { place: bigint }>(
    'find_reserved',
    `
    select seen.place, r.payment_id, r.purpose, r.taken_at as since, r.reserved_until as until, target.id as target_id
      from unnest($2::text[], $3::text[], $4::text[], $5::numeric[]) with ordinality as seen (network, address, asset, amount_units, place)
      join reserved_amounts r on r.livemode = $1 and r.network = seen.network and r.address = seen.address and r.asset = seen.asset
                             and r.amount_units = seen.amount_units
      left join lateral (
        select t.id from payment_targets t
         where t.payment_id = r.payment_id and t.kind = 'direct' and t.amount_units = r.amount_units
         order by t.created_at desc limit 1) target on true`,
    [
      livemode,
      transfers.map((one) => one.network),
      transfers.map((one) => one.to),
      transfers.map((one) => one.asset),
      transfers.map((one) => one.amountUnits.toString()),
    ],
  );
  return new Map(rows.map(({ place, ...reserved }) => [Number(place) - 1, reserved]));
}

/**
 * The payments that were shown exactly this amount of the same token at the same address of another network of the
 * Ethereum family, where an account has the same address: at most one of each network.
 */
export async function findElsewhere(db: Db, transfer: StoredTransfer): Promise<string[]> {
  const own = findAsset(transfer.asset, transfer.network);
  if (!own?.address || !isEvm(transfer.network)) return [];
  const others = EVM_RECEIVE_NETWORKS.flatMap((network) => {
    if (network === transfer.network || !findAsset(transfer.asset, network)) return [];
    const units = unitsOn(network, transfer.amountUnits, transfer.asset, transfer.network);
    const isWhole = unitsOn(transfer.network, units, transfer.asset, network) === transfer.amountUnits;
    return isWhole ? [{ network, units }] : [];
  });
  const rows = await db.query<{ paymentId: string }>(
    'find_elsewhere',
    `
    select r.payment_id
      from unnest($2::text[], $3::numeric[]) as other (network, amount_units)
      join reserved_amounts r on r.livemode = $1 and r.network = other.network and r.address = $4 and r.asset = $5
                             and r.amount_units = other.amount_units and r.purpose = 'target'`,
    [
      transfer.livemode,
      others.map(({ network }) => network),
      others.map(({ units }) => units.toString()),
      transfer.to,
      transfer.asset,
    ],
  );
  return rows.map(({ paymentId }) => paymentId);
}

/** The payments whose references each transfer carries, in the order it carries them; `carried` may hold unproven ones as well. */
export async function findReferenced(
  db: Db,
  livemode: boolean,
  transfers: readonly Transfer[],
): Promise<Map<number, string[]>> {
  const marks = transfers.flatMap((transfer, place) =>
    transfer.carried.map((mark, order) => ({ place, order, mark: Buffer.from(mark) })),
  );
  if (marks.length === 0) return new Map();

  const rows = await db.query<{ place: number; paymentId: string }>(
    'find_referenced',
    `
    select carried.place, s.payment_id
      from unnest($2::integer[], $3::integer[], $4::text[]) as carried (place, position, mark)
      join checkout_sessions s
        on substring(s.reference from 1 for ${TAG_BYTES}) = substring(decode(carried.mark, 'hex') from 1 for ${TAG_BYTES})
       and substring(s.reference from 1 for length(decode(carried.mark, 'hex'))) = decode(carried.mark, 'hex')
       and s.livemode = $1
     where length(carried.mark) in (${TAG_BYTES * 2}, 64)
     order by carried.place, carried.position`,
    [
      livemode,
      marks.map((one) => one.place),
      marks.map((one) => one.order),
      marks.map((one) => one.mark.toString('hex')),
    ],
  );
  return grouped(rows.map((row) => [row.place, row.paymentId]));
}

// A sender may open tens of thousands of checkouts a day; only the newest are looked at.
const MAX_CHOICES_OF_SENDER = 200;

/** A payment that is not over and whose customer proved to be the sender. An open one comes before a conversion. */
const FITTING_OF_SENDER = `
       select p.id as payment_id
         from (select t.payment_id from payment_targets t
                where t.livemode = $1 and t.network = seen.network and t.sender = seen.sender
                  and t.address = seen.address and t.asset = seen.asset
                  and t.kind = 'direct'
                order by t.created_at desc
                limit ${MAX_CHOICES_OF_SENDER}) chosen
         join payments p on p.id = chosen.payment_id
        where p.status in ('created', 'pending', 'routing', 'settling') and p.created_at <= seen.latest`;
const OPEN_FIRST = `order by p.status in ('created', 'pending') desc limit 1`;

/** Up to two such payments whose customer proved to be the sender of each transfer: a sender decides only where there is exactly one. */
export async function findSenders(
  db: Db,
  livemode: boolean,
  transfers: readonly Transfer[],
): Promise<Map<number, string[]>> {
  const rows = await db.query<{ place: bigint; paymentId: string; otherId: string | null }>(
    'find_senders',
    `
    select seen.place, one.payment_id, other.payment_id as other_id
      from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::timestamptz[]) with ordinality as seen (network,
        address, asset, sender, latest, place)
     cross join lateral (${FITTING_OF_SENDER} ${OPEN_FIRST}) one
      left join lateral (${FITTING_OF_SENDER} and p.id <> one.payment_id ${OPEN_FIRST}) other on true`,
    [
      livemode,
      transfers.map((one) => one.network),
      transfers.map((one) => one.to),
      transfers.map((one) => one.asset),
      transfers.map((one) => one.from),
      transfers.map((one) => later(one.block.time, EARLY_TOLERANCE_MS)),
    ],
  );
  return new Map(rows.map((row) => [Number(row.place) - 1, [row.paymentId, ...(row.otherId ? [row.otherId] : [])]]));
}

/** The wallets at the addresses that were paid. */
export async function findAddresses(
  db: Db,
  livemode: boolean,
  transfers: readonly Transfer[],
): Promise<Map<string, { network: string; asset: string }[]>> {
  const rows = await db.query<{ address: string; network: string; asset: string }>(
    'find_addresses',
    `
    select distinct w.address, w.network, w.asset
      from payout_wallets w
     where w.livemode = $1 and w.network in (${RECEIVE_NETWORKS_SQL}) and w.address = any($2)`,
    [livemode, [...new Set(transfers.map((one) => one.to))]],
  );
  return Map.groupBy(rows, (row) => row.address);
}

export async function findPaymentsById(db: Db, ids: readonly string[]): Promise<Payment[]> {
  if (ids.length === 0) return [];
  const rows = await db.query<PaymentRow>(
    'find_payments_by_id',
    `
    select ${PAYMENT_COLUMNS}
      from payments p join checkout_sessions s on s.id = p.session_id
     where p.id = any($1)`,
    [ids],
  );
  return rows.map(toPayment);
}

function grouped(pairs: readonly [number, string][]): Map<number, string[]> {
  const groups = new Map<number, string[]>();
  for (const [place, id] of pairs) groups.set(place, [...(groups.get(place) ?? []), id]);
  return groups;
}

/**
 * The payments that the sender of a transfer signed an authorization for, by the nonces that the transfer carries. A
 * nonce counts only together with its payer, because two payers may use the same nonce.
 */
export async function findAuthorized(
  db: Db,
  transfer: Pick<StoredTransfer, 'livemode' | 'network' | 'from' | 'carried'>,
): Promise<string[]> {
  const nonces = transfer.carried.filter((mark) => mark.length === NONCE_BYTES).map((mark) => Buffer.from(mark));
  if (nonces.length === 0 || transfer.from === null) return [];
  const rows = await db.query<{ paymentId: string }>(
    'find_authorized',
    `
    select payment_id from machine_credentials
     where livemode = $1 and network = $2 and nonce = any($3) and payer = $4
     order by created_at
     limit 2`,
    [transfer.livemode, transfer.network, nonces, transfer.from],
  );
  return rows.map((row) => row.paymentId);
}

/** A transfer and the sessions' payments whose references it carries. */
export interface NewlyReferenced {
  id: string;
  paymentIds: string[];
}

/**
 * The newest live transfers that matched nothing, since an instant, and whose reference has a session for their address by
 * now. If the address had a wallet for another asset or network only, their reason says that. Addresses take turns: anyone
 * can send a thousand transfers with made-up references to their own address.
 */
export async function findNewlyReferenced(
  db: Db,
  from: Date,
  limit: number,
): Promise<{ referenced: NewlyReferenced[]; isLimited: boolean }> {
  const rows = await db.query<{ lookedAt: number; id: string | null; paymentIds: string[] | null }>(
    'find_newly_referenced',
    `
    with unmatched as (
      select id, network, asset, to_address, reason, carried, block_time,
             row_number() over (partition by network, to_address order by block_time desc) as turn
        from transfers
       where livemode and payment_id is null and handled_at is null
         and reason in ('no_match', 'other_asset', 'wrong_network') and carried <> '{}'
         and released_at is null and set_aside_at is null and not queued and status <> 'dropped' and block_time >= $1
    ), looked_at as materialized (
      select * from unmatched order by turn, block_time desc limit $2
    ), referenced as (
      select t.id, array_agg(distinct s.payment_id) as payment_ids
        from looked_at t
       cross join lateral unnest(t.carried) as carried (mark)
        join checkout_sessions s
          on substring(s.reference from 1 for 16) = substring(carried.mark from 1 for 16)
         and substring(s.reference from 1 for length(carried.mark)) = carried.mark
         and s.livemode and s.receive_address = t.to_address and s.receive_network = t.network
         and (t.reason = 'no_match' or s.receive_asset = t.asset)
       group by t.id
    )
    select (select count(*) from looked_at)::integer as looked_at, referenced.id, referenced.payment_ids
      from (values (1)) one left join referenced on true
     order by referenced.id`,
    [from, limit],
  );
  return {
    referenced: rows.flatMap(({ id, paymentIds }) => (id && paymentIds ? [{ id, paymentIds }] : [])),
    isLimited: (rows[0]?.lookedAt ?? 0) >= limit,
  };
}
