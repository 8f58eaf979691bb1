import type { Context } from '../../context.ts';
import type { Transfer } from '../../outside/chains/chain.ts';
import type { Db } from '../../platform/db/db.ts';
import { later } from '../../platform/time.ts';
import type { Payment } from '../records/payment.ts';
import { findAddressOwner } from '../records/address-owner-store.ts';
import { assessPayments, type AssessedPayment } from '../outcome/assessed-payment.ts';
import { PAYMENT_COLUMNS, toPayment, type PaymentRow } from '../records/payment-store.ts';
import { EARLY_TOLERANCE_MS } from '../records/amounts.ts';
import type { AmountPurpose } from '../records/reserved-amount-store.ts';
import type { StoredTransfer } from '../records/transfer-store.ts';
import type { Candidate, Candidates } from './attribute.ts';
import { findAuthorized } from './authorization-store.ts';
import { findClaimed } from './claim-store.ts';

/** Bytes of a reference in a 20-byte tag. */
const TAG_BYTES = 16;

/** A transaction can name any number of sessions but pays at most one, so further references are ignored. */
const MAX_REFERENCES = 16;

/** Loads all candidates for a transfer, in a fixed number of queries, each with a limit. */
export async function findCandidates(
  ctx: Pick<Context, 'prices'>,
  db: Db,
  transfer: StoredTransfer,
): Promise<Candidates> {
  const { livemode } = transfer;
  const judged = { ...transfer, carried: transfer.carried.slice(0, MAX_REFERENCES) };
  const amount = (await findReserved(db, livemode, [judged])).get(0);
  const authorized = await findAuthorized(db, judged);
  const referenced = (await findReferenced(db, livemode, [judged])).get(0) ?? [];
  const unproven = (await findReferenced(db, livemode, [{ ...judged, carried: transfer.unproven ?? [] }])).get(0) ?? [];
  const senders = (await findSenders(db, livemode, [judged])).get(0) ?? [];
  const claimed = (await findClaimed(db, livemode, [judged])).get(0) ?? [];
  const wallets = (await findAddresses(db, livemode, [judged])).get(transfer.to) ?? [];

  const ids = [
    amount?.paymentId,
    transfer.paymentId,
    ...authorized,
    ...referenced,
    ...unproven,
    ...senders,
    ...claimed,
  ].filter((id) => id != null);
  const payments = await findPaymentsById(db, [...new Set(ids)]);
  // Assessed without this transfer: its own amount must not count toward the missing amount.
  const assessed = await assessPayments(ctx, db, payments, transfer.id);
  // In test mode, accounts may use addresses that they do not own.
  const owner = livemode
    ? await findAddressOwner(db, { livemode, network: transfer.network, address: transfer.to })
    : undefined;
  const isOthers = ({ payment }: AssessedPayment) => owner !== undefined && payment.accountId !== owner;
  const assessedOf = (paymentIds: readonly (string | null | undefined)[]) =>
    paymentIds
      .flatMap((id) => (id ? (assessed.get(id) ?? []) : []))
      // The owner released this transfer, so no payment of another account gets it again.
      .filter((assessed) => !(transfer.releasedAt && isOthers(assessed)));
  /** For rules that identify a payment by themselves. The owner's payments come first. */
  const candidates = (paymentIds: readonly (string | null | undefined)[]) =>
    assessedOf(paymentIds)
      .sort((a, b) => Number(isOthers(a)) - Number(isOthers(b)))
      .map(candidateOf);
  /** For rules that depend on other payments at the address. Excludes accounts that do not own the address. */
  const ownCandidates = (paymentIds: readonly (string | null | undefined)[]) =>
    assessedOf(paymentIds)
      .filter((assessed) => !isOthers(assessed))
      .map(candidateOf);

  const [reserver] = ownCandidates([amount?.paymentId]);
  const [former] = candidates([transfer.paymentId]);
  return {
    reserved:
      amount && reserver
        ? {
            candidate: reserver,
            purpose: amount.purpose,
            targetId: amount.targetId,
            since: amount.since,
            until: amount.until,
          }
        : null,
    authorized: candidates(authorized),
    referenced: candidates(referenced),
    unproven: candidates(unproven),
    senders: ownCandidates(senders),
    claimed: candidates(claimed),
    former: former && transfer.attributedBy ? { candidate: former, by: transfer.attributedBy } : null,
    address: {
      thisAsset: wallets.some((wallet) => wallet.network === transfer.network && wallet.asset === transfer.asset),
      thisNetwork: wallets.some((wallet) => wallet.network === transfer.network),
      otherNetwork: wallets.some((wallet) => wallet.network !== transfer.network),
    },
  };
}

function candidateOf({ payment, direct, acceptsDirect }: AssessedPayment): Candidate {
  return {
    paymentId: payment.id,
    status: payment.status,
    createdAt: payment.createdAt,
    receiveAsset: payment.receiveAsset,
    receiveNetwork: payment.receiveNetwork,
    receiveAddress: payment.receiveAddress,
    acceptsDirect,
    amountMinor: payment.amountMinor,
    requiredUnits: direct.requiredUnits,
    dueUnits: direct.dueUnits,
  };
}

interface Reservation {
  paymentId: string;
  purpose: AmountPurpose;
  targetId: string | null;
  since: Date;
  until: Date | null;
}

async function findReserved(
  db: Db,
  livemode: boolean,
  transfers: readonly Transfer[],
): Promise<Map<number, Reservation>> {
  const rows = await db.query<{
    place: bigint;
    payment_id: string;
    purpose: AmountPurpose;
    taken_at: Date;
    reserved_until: Date | null;
    target_id: string | null;
  }>(
    'find_reserved',
    `
    select seen.place, r.payment_id, r.purpose, r.taken_at, r.reserved_until, target.id as target_id
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
  return new Map(
    rows.map((row) => [
      Number(row.place) - 1,
      {
        paymentId: row.payment_id,
        purpose: row.purpose,
        targetId: row.target_id,
        since: row.taken_at,
        until: row.reserved_until,
      },
    ]),
  );
}

/**
 * The payments whose references each transfer carries, in that order. `carried` may hold unproven references as well.
 */
async function findReferenced(
  db: Db,
  livemode: boolean,
  transfers: readonly Transfer[],
): Promise<Map<number, string[]>> {
  const marks = transfers.flatMap((transfer, place) =>
    transfer.carried.map((mark, order) => ({ place, order, mark: Buffer.from(mark) })),
  );
  if (marks.length === 0) return new Map();

  const rows = await db.query<{ place: number; payment_id: string }>(
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
  return grouped(rows.map((row) => [row.place, row.payment_id]));
}

// A sender can open tens of thousands of checkouts a day, so only the newest are checked.
const MAX_CHOICES_OF_SENDER = 200;

/** An open payment whose customer proved to be the sender. */
const FITTING_OF_SENDER = `
       select p.id as payment_id
         from (select t.payment_id from payment_targets t
                where t.livemode = $1 and t.network = seen.network and t.sender = seen.sender and t.address = seen.address and t.asset = seen.asset
                  and t.kind = 'direct'
                order by t.created_at desc
                limit ${MAX_CHOICES_OF_SENDER}) chosen
         join payments p on p.id = chosen.payment_id
        where p.status in ('created', 'pending') and p.created_at <= seen.latest`;

/** Up to two open payments whose customer proved to be the sender. The sender decides only if there is exactly one. */
async function findSenders(db: Db, livemode: boolean, transfers: readonly Transfer[]): Promise<Map<number, string[]>> {
  const rows = await db.query<{ place: bigint; payment_id: string; other_id: string | null }>(
    'find_senders',
    `
    select seen.place, one.payment_id, other.payment_id as other_id
      from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::timestamptz[]) with ordinality as seen (network, address, asset, sender, latest, place)
     cross join lateral (${FITTING_OF_SENDER} limit 1) one
      left join lateral (${FITTING_OF_SENDER} and p.id <> one.payment_id limit 1) other on true`,
    [
      livemode,
      transfers.map((one) => one.network),
      transfers.map((one) => one.to),
      transfers.map((one) => one.asset),
      transfers.map((one) => one.from),
      transfers.map((one) => later(one.block.time, EARLY_TOLERANCE_MS)),
    ],
  );
  return new Map(rows.map((row) => [Number(row.place) - 1, [row.payment_id, ...(row.other_id ? [row.other_id] : [])]]));
}

/** The payout wallets at the addresses that were paid. */
async function findAddresses(
  db: Db,
  livemode: boolean,
  transfers: readonly Transfer[],
): Promise<Map<string, { network: string; asset: string }[]>> {
  const rows = await db.query<{ address: string; network: string; asset: string }>(
    'find_addresses',
    `
    select distinct w.address, w.network, w.asset
      from payout_wallets w
     where w.livemode = $1 and w.network in ('ethereum', 'base', 'polygon', 'arbitrum', 'solana') and w.address = any($2)`,
    [livemode, [...new Set(transfers.map((one) => one.to))]],
  );
  return Map.groupBy(rows, (row) => row.address);
}

async function findPaymentsById(db: Db, ids: readonly string[]): Promise<Payment[]> {
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
