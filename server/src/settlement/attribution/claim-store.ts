import type { ReceiveNetwork } from '@quittance/contract';
import type { Transfer } from '../../outside/chains/chain.ts';
import type { Db, Transaction } from '../../platform/db/db.ts';
import { invariant } from '../../platform/errors.ts';
import { sha256 } from '../../platform/secrets.ts';
import { DAY_MS, later } from '../../platform/time.ts';
import type { Payment } from '../records/payment.ts';

/** Maximum number of stored claims per payment. */
export const MAX_CLAIMS_PER_PAYMENT = 8;
/**
 * Maximum number of claims per signer and transaction that are stored, and that are read when the transaction arrives.
 */
export const MAX_CLAIMS_PER_SIGNER = 8;
// A transaction pays a wallet from a few accounts at most. Further accounts are not checked against a signature.
const MAX_SENDERS = 8;
const RETENTION_MS = 31 * DAY_MS;
const RETENTION_AFTER_SESSION_MS = 30 * DAY_MS;

export interface NewClaim {
  paymentId: string;
  livemode: boolean;
  network: ReceiveNetwork;
  txHash: string;
  /** Null while a Solana signature does not name its signer. */
  signer: string | null;
  /** Null if the signer is already verified. */
  signature: string | null;
  expiresAt: Date;
}

export type Insertion =
  | { type: 'stored'; id: bigint }
  | { type: 'too_many_of_payment' }
  | { type: 'too_many_of_signer' };

/** Claims and hints of a payment are kept for as long as its wallet is watched for it. */
export function claimExpiry(payment: Pick<Payment, 'livemode' | 'expiresAt'>, now: Date): Date {
  const minimum = later(now, RETENTION_MS);
  const afterSession = later(payment.expiresAt, RETENTION_AFTER_SESSION_MS);
  // A test clock may be years ahead.
  return payment.livemode && afterSession > minimum ? afterSession : minimum;
}

/**
 * Stores a claim within its limits, or finds the stored one. The caller locks the payment, so that the count is exact.
 */
export async function insertClaim(db: Transaction, claim: NewClaim, now: Date): Promise<Insertion> {
  const { paymentId, livemode, network, txHash, signature } = claim;
  const signer = claim.signer ?? '';
  const digest = signature === null ? '' : sha256(signature).toString('hex');
  const [known] = await db.query<{ id: bigint }>(
    'renew_claim',
    `
    update signed_claims set due_at = $6
     where payment_id = $1 and network = $2 and tx_hash = $3 and signer = $4 and signature_sha256 in ('', $5)
    returning id`,
    [paymentId, network, txHash, signer, digest, now],
  );
  if (known) return { type: 'stored', id: known.id };

  const [count] = await db.query<{ ofPayment: number; ofSigner: number; isSender: boolean }>(
    'count_claims',
    `
    select (select count(*) from signed_claims where payment_id = $1)::int as of_payment,
           (select count(*) from (
              select 1 from signed_claims
               where livemode = $2 and network = $3 and tx_hash = $4 and signer = $5 and (verified_at is not null) = $6
               limit ${MAX_CLAIMS_PER_SIGNER}) own)::int as of_signer,
           $6 and exists (select 1 from transfers where livemode = $2 and network = $3 and tx_hash = $4
             and from_address = $5) as is_sender`,
    [paymentId, livemode, network, txHash, signer, signature === null],
  );
  // For the account that a stored transfer came from, the limit does not apply: strangers cannot use it up.
  if (!count?.isSender && (count?.ofPayment ?? 0) >= MAX_CLAIMS_PER_PAYMENT) return { type: 'too_many_of_payment' };
  if ((count?.ofSigner ?? 0) >= MAX_CLAIMS_PER_SIGNER) return { type: 'too_many_of_signer' };

  const [inserted] = await db.query<{ id: bigint }>(
    'insert_claim',
    `
    insert into signed_claims (payment_id, livemode, network, tx_hash, signer, signature, signature_sha256,
      verified_at, due_at, created_at, expires_at)
    values ($1, $2, $3, $4, $5, $6, $7, case when $6::text is null then $8::timestamptz end, $8, $8, $9)
    returning id`,
    [paymentId, livemode, network, txHash, signer, signature, digest, now, claim.expiresAt],
  );
  invariant(inserted, 'an inserted row has an id');
  return { type: 'stored', id: inserted.id };
}

/** The payments that the debited account claimed each transfer for, by the transfers' positions. */
export async function findClaimed(
  db: Db,
  livemode: boolean,
  transfers: readonly Transfer[],
): Promise<Map<number, string[]>> {
  const rows = await db.query<{ place: bigint; paymentId: string }>(
    'find_claims',
    `
    select seen.place, claim.payment_id
      from unnest($2::text[], $3::text[], $4::text[]) with ordinality as seen (network, tx_hash, sender, place)
     cross join lateral (
            select c.payment_id, c.id
              from signed_claims c
             where c.livemode = $1 and c.network = seen.network and c.tx_hash = seen.tx_hash
               and c.signer = seen.sender and c.verified_at is not null
             order by c.id
             limit ${MAX_CLAIMS_PER_SIGNER}) claim
     order by claim.id`,
    [
      livemode,
      transfers.map((one) => one.network),
      transfers.map((one) => one.txHash),
      transfers.map((one) => one.from),
    ],
  );
  const claimed = new Map<number, string[]>();
  for (const row of rows)
    claimed.set(Number(row.place) - 1, [...(claimed.get(Number(row.place) - 1) ?? []), row.paymentId]);
  return claimed;
}

/** A claim that has not been matched with its transfer yet. */
export interface DueClaim {
  id: bigint;
  paymentId: string;
  sessionId: string;
  /** The payout wallet. */
  address: string;
  livemode: boolean;
  network: ReceiveNetwork;
  txHash: string;
  signer: string | null;
  /** Null if the signer is already verified. */
  signature: string | null;
  attempts: number;
  createdAt: Date;
  /** The end of its lease. */
  dueAt: Date;
  clockOffsetMs: number;
}

/**
 * Postpones up to `limit` due claims (or the one with `id`) whose transfer has not been read. The interval grows with
 * the claim's age. Reads no signature, so a flood of claims costs little. Returns the number of postponed claims.
 */
export async function postponeClaims(
  db: Db,
  { now, limit, id = null }: { now: Date; limit: number; id?: bigint | null },
): Promise<number> {
  const rows = await db.query(
    'postpone_claims',
    `
    with due as (
      select d.id from signed_claims d
       where d.due_at <= $1 and ($3::bigint is null or d.id = $3)
       order by d.due_at
       limit $2
         for update skip locked)
    update signed_claims c
       set due_at = nullif(least($1::timestamptz + least(greatest(($1::timestamptz - c.created_at) / 2,
         interval '10 seconds'), interval '1 hour'), c.expires_at), c.expires_at)
      from due, payments p, checkout_sessions s
     where c.id = due.id and p.id = c.payment_id and s.id = p.session_id
       and not exists (select 1 from transfers t
                        where t.livemode = c.livemode and t.network = c.network and t.tx_hash = c.tx_hash
                          and t.to_address = s.receive_address
                          and t.status <> 'dropped' and (c.signer = '' or t.from_address = c.signer))
    returning 1`,
    [now, limit, id],
  );
  return rows.length;
}

/** Leases up to `limit` due claims, or the one with `id`, so that only one process works on each. */
export async function leaseDueClaims(
  db: Db,
  { now, until, limit, id = null }: { now: Date; until: Date; limit: number; id?: bigint | null },
): Promise<DueClaim[]> {
  const rows = await db.query<Omit<DueClaim, 'clockOffsetMs'> & { testClockOffsetMs: bigint }>(
    'lease_due_claims',
    `
    with due as (
      select d.id from signed_claims d
       where d.due_at <= $1 and ($4::bigint is null or d.id = $4)
       order by d.due_at
       limit $3
         for update skip locked)
    update signed_claims c set due_at = $2
      from due, payments p, checkout_sessions s, accounts a
     where c.id = due.id and p.id = c.payment_id and s.id = p.session_id and a.id = p.account_id
    returning c.id, c.payment_id, p.session_id, s.receive_address as address, c.livemode, c.network, c.tx_hash,
      nullif(c.signer, '') as signer,
              c.signature, c.attempts, c.created_at, c.due_at, a.test_clock_offset_ms`,
    [now, until, limit, id],
  );
  return rows.map(({ testClockOffsetMs, ...claim }) => ({
    ...claim,
    clockOffsetMs: claim.livemode ? 0 : Number(testClockOffsetMs),
  }));
}

/**
 * The accounts that the transaction debited in favor of the payout wallet; only the claimed signer if the claim names
 * one.
 */
export async function findDebitedAccounts(
  db: Db,
  { livemode, network, txHash, address, signer }: DueClaim,
): Promise<string[]> {
  const rows = await db.query<{ sender: string }>(
    'find_debited_accounts',
    `
    select distinct coalesce(t.from_address, '') as sender
      from transfers t
     where t.livemode = $1 and t.network = $2 and t.tx_hash = $3 and t.to_address = $4 and t.from_address is not null
       and t.status <> 'dropped'
       and ($5::text is null or t.from_address = $5)
     limit ${MAX_SENDERS}`,
    [livemode, network, txHash, address, signer],
  );
  return rows.map((row) => row.sender);
}

/**
 * Stores a claim under its verified signer. Returns false if the signer already claimed it for this payment, or for too
 * many others.
 */
export async function markVerified(db: Db, claim: DueClaim, signer: string, now: Date): Promise<boolean> {
  const [row] = await db.query(
    'mark_claim_verified',
    `
    update signed_claims c set signer = $2, signature = null, signature_sha256 = '', verified_at = $3
     where c.id = $1
       and not exists (select 1 from signed_claims o
                        where o.payment_id = c.payment_id and o.network = c.network and o.tx_hash = c.tx_hash
                          and o.signer = $2 and o.signature_sha256 = '')
       and (select count(*) from signed_claims o
             where o.livemode = c.livemode and o.network = c.network and o.tx_hash = c.tx_hash and o.signer = $2
               and o.verified_at is not null) < ${MAX_CLAIMS_PER_SIGNER}
    returning 1`,
    [claim.id, signer, now],
  );
  return row !== undefined;
}

/**
 * Sets when a claim is next processed (null: never) and its number of attempts. A claim that became due meanwhile, because
 * a transfer of its transaction was dropped, stays due.
 */
export async function rescheduleClaim(
  db: Db,
  { id, dueAt }: Pick<DueClaim, 'id' | 'dueAt'>,
  { dueAt: next, attempts }: { dueAt: Date | null; attempts: number },
): Promise<void> {
  await db.query(
    'reschedule_claim',
    `update signed_claims set due_at = $3, attempts = $4 where id = $1 and due_at = $2`,
    [id, dueAt, next, attempts],
  );
}

export async function deleteClaim(db: Db, id: bigint): Promise<void> {
  await db.query('delete_claim', `delete from signed_claims where id = $1`, [id]);
}

/** Returns how many of up to `limit` expired claims were deleted. */
export async function deleteExpiredClaims(db: Db, now: Date, limit: number): Promise<number> {
  const rows = await db.query(
    'delete_expired_claims',
    `
    delete from signed_claims
      where id = any(array(select id from signed_claims where expires_at <= $1 order by expires_at limit $2)) returning 1`,
    [now, limit],
  );
  return rows.length;
}
