import type { AssetSymbol, UnattributedReason } from '@quittance/contract';
import type { Transfer } from '../../outside/chains/chain.ts';
import type { Db } from '../../platform/db/db.ts';
import type { Attribution, Rule } from './attribution.ts';
import { transferNoticesSql } from './notice-store.ts';
import { toJson } from './payment-store.ts';

/** A stored transfer: the chain's data, and its state. */
export interface StoredTransfer extends Transfer {
  id: string;
  livemode: boolean;
  status: 'seen' | 'final' | 'dropped';
  paymentId: string | null;
  targetId: string | null;
  attributedBy: Rule | null;
  reason: UnattributedReason | null;
  nearPaymentId: string | null;
  handledAt: Date | null;
  handledNote: string | null;
  evidence: Record<string, unknown>;
  firstSeenAt: Date;
  finalAt: Date | null;
  /** The transfer waits for attribution. */
  queued: boolean;
  /** Failed attributions. After three the transfer is set aside. */
  attempts: number;
  setAsideAt: Date | null;
  /** When the owner of the address released it from another account's payment. */
  releasedAt: Date | null;
  /** Whether several providers, or the only one, reported it. Until then it is one provider's claim. */
  confirmed: boolean;
  /** The host names of the providers that reported this version. */
  reportedBy: readonly string[];
  /** Providers report it differently, and the quorum has not decided yet. */
  contested: Contested | null;
}

/** Since when providers report a transfer differently, and what others than the stored version's say. */
export interface Contested {
  since: string;
  versions: ContestedVersion[];
}

/** Another version of a transfer in the same block, as it is stored. */
export interface ContestedVersion {
  providers: string[];
  asset: AssetSymbol;
  from: string | null;
  to: string;
  amountUnits: string;
  blockTime: string;
  carried: string[];
  unproven: string[];
}

export const TRANSFER_COLUMNS = `
  t.id, t.livemode, t.network, t.tx_hash, t.index, t.asset, t.from_address as "from", t.to_address as "to",
    t.amount_units, t.block_number, t.block_hash, t.block_time,
  t.carried, t.unproven, t.status, t.payment_id, t.target_id, t.attributed_by, t.reason, t.near_payment_id,
    t.handled_at, t.handled_note, t.evidence, t.first_seen_at, t.final_at,
  t.queued, t.attempts, t.set_aside_at, t.released_at, t.confirmed, t.reported_by, t.contested`;

export type TransferRow = Omit<StoredTransfer, 'block' | 'unproven' | 'untraced'> & {
  blockNumber: bigint;
  blockHash: string;
  blockTime: Date;
  unproven: Uint8Array[];
};

/** Prefix of the generated name of a transfer without a known transaction. */
const UNTRACED = 'block:';

/** The block's columns stay in the object: leaving them out by name would cost ten times as much. */
export function toStored(row: TransferRow): StoredTransfer {
  return {
    ...row,
    block: { number: row.blockNumber, hash: row.blockHash, time: row.blockTime },
    unproven: row.unproven.length > 0 ? row.unproven : undefined,
    untraced: row.txHash.startsWith(UNTRACED) ? true : undefined,
  };
}

/** Saves the payments of transfers, or why they are unattributed. */
export async function saveAttributions(
  db: Db,
  decided: readonly { transferId: string; attribution: Attribution }[],
): Promise<void> {
  if (decided.length === 0) return;
  const taken = decided.map(({ attribution }) => (attribution.type === 'taken' ? attribution : undefined));
  const left = decided.map(({ attribution }) => (attribution.type === 'left' ? attribution : undefined));
  await db.query(
    'save_attributions',
    `
    update transfers t
       set payment_id = decided.payment_id, target_id = decided.target_id, attributed_by = decided.attributed_by,
           reason = decided.reason, near_payment_id = decided.near_payment_id, queued = false, attempts = 0, set_aside_at = null
      from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[])
        as decided (id, payment_id, target_id, attributed_by, reason, near_payment_id)
     where t.id = decided.id`,
    [
      decided.map(({ transferId }) => transferId),
      taken.map((one) => one?.paymentId ?? null),
      taken.map((one) => one?.targetId ?? null),
      taken.map((one) => one?.by ?? null),
      left.map((one) => one?.reason ?? null),
      left.map((one) => one?.nearPaymentId ?? null),
    ],
  );
}

/** Releases transfers whose payment was completed or closed without them. */
export async function releaseTransfers(db: Db, ids: readonly string[], reason: UnattributedReason): Promise<void> {
  if (ids.length === 0) return;
  await db.query(
    'release_transfers',
    `
    with released as (
      update transfers
         set near_payment_id = payment_id, payment_id = null, target_id = null, attributed_by = null, reason = $2
       where id = any($1) and payment_id is not null
      returning id, livemode, to_address, status
    ), unattributed as (
      -- Who released a transfer themselves knows of it.
      select * from released where status = 'final' and $2 <> 'released'
    )
    ${transferNoticesSql('unattributed')}`,
    [ids, reason],
  );
}

/** Records that the owner of the address released a transfer, so that no payment of another account gets it again. */
export async function markReleased(db: Db, id: string, at: Date): Promise<void> {
  await db.query('mark_released', `update transfers set released_at = $2 where id = $1`, [id, at]);
}

/**
 * Marks a seen transfer as final or dropped. Returns false if its status has changed meanwhile. A dropped one may have
 * had the place of another transfer that its sender claimed the transaction for, so claims are compared again.
 */
export async function setTransferStatus(
  db: Db,
  transfer: StoredTransfer,
  { status, evidence }: { status: 'final' | 'dropped'; evidence: Record<string, unknown> },
  at: Date,
): Promise<boolean> {
  const rows = await db.query(
    'set_transfer_status',
    `
    with changed as (
      update transfers
         set status = $3, evidence = evidence || $4::jsonb, final_at = case when $3 = 'final' then $5::timestamptz end,
             block_number = $6, block_hash = $7, block_time = $8,
             -- The quorum decided.
             confirmed = true, contested = null
       where id = $1 and status = $2
      returning id, livemode, to_address, payment_id, network, tx_hash, from_address
    ), claims as (
      update signed_claims c set due_at = $5
        from changed
       where $3 = 'dropped' and c.livemode = changed.livemode and c.network = changed.network
         and c.tx_hash = changed.tx_hash and c.signer = changed.from_address and c.verified_at is not null
         and exists (select 1 from transfers t
                      where t.livemode = c.livemode and t.network = c.network and t.tx_hash = c.tx_hash
                        and t.from_address = c.signer and t.id <> changed.id and t.payment_id is null
                        and t.status <> 'dropped')
    ), unattributed as (
      select * from changed where payment_id is null and $3 = 'final'
    ), noticed as (${transferNoticesSql('unattributed')}
    )
    select id from changed`,
    [
      transfer.id,
      transfer.status,
      status,
      toJson(evidence),
      at,
      transfer.block.number,
      transfer.block.hash,
      transfer.block.time,
    ],
  );
  return rows.length > 0;
}

/** All transfers of payments, except dropped ones. */
export async function findTransfersOf(db: Db, paymentIds: readonly string[]): Promise<StoredTransfer[]> {
  const rows = await db.query<TransferRow>(
    'find_transfers_of',
    `
    select ${TRANSFER_COLUMNS} from transfers t
     where t.payment_id = any($1) and t.status <> 'dropped'
     order by t.block_time, t.block_number, t.tx_hash, t.index`,
    [paymentIds],
  );
  return rows.map(toStored);
}

export async function findTransfer(db: Db, id: string): Promise<StoredTransfer | undefined> {
  const [row] = await db.query<TransferRow>(
    'find_transfer',
    `select ${TRANSFER_COLUMNS} from transfers t where t.id = $1`,
    [id],
  );
  return row && toStored(row);
}

/** Locks a transfer until the transaction ends. */
export async function lockTransfer(db: Db, id: string): Promise<StoredTransfer | undefined> {
  const [row] = await db.query<TransferRow>(
    'lock_transfer',
    `select ${TRANSFER_COLUMNS} from transfers t where t.id = $1 for update`,
    [id],
  );
  return row && toStored(row);
}

/** The transfers of one transaction, including dropped ones. */
export async function findTransfersByHash(
  db: Db,
  livemode: boolean,
  network: string,
  txHash: string,
): Promise<StoredTransfer[]> {
  const rows = await db.query<TransferRow>(
    'find_transfers_by_hash',
    `
    select ${TRANSFER_COLUMNS} from transfers t where t.livemode = $1 and t.network = $2 and t.tx_hash = $3 order by t.index limit 1000`,
    [livemode, network, txHash],
  );
  return rows.map(toStored);
}

/** What one account paid to a wallet in a transaction ($1 to $5), without what only a person may assign. */
const OF_SENDER = `t.livemode = $1 and t.network = $2 and t.tx_hash = $3 and t.from_address = $4 and t.to_address = $5
       and t.status <> 'dropped' and t.handled_at is null and t.released_at is null`;

/** What else the sender paid to the wallet in the transaction, without what only a person may assign. */
export async function findOthersOfSender(
  db: Db,
  { id, livemode, network, txHash, from, to, asset }: StoredTransfer,
  limit: number,
): Promise<StoredTransfer[]> {
  const rows = await db.query<TransferRow>(
    'find_others_of_sender',
    `
    select ${TRANSFER_COLUMNS} from transfers t
     where ${OF_SENDER} and t.asset = $6 and t.id <> $7
     order by t.index
     limit $8`,
    [livemode, network, txHash, from, to, asset, id, limit],
  );
  return rows.map(toStored);
}

/** What the signer of a claim may have paid to the wallet in the transaction. */
export interface Unclaimed extends Pick<StoredTransfer, 'livemode' | 'network' | 'txHash'> {
  signer: string;
  /** The payout wallet. */
  address: string;
}

/** The transfers that a claim may take: no payment has them, they are not set aside, and a person need not assign them. */
export async function findUnclaimed(
  db: Db,
  { livemode, network, txHash, signer, address }: Unclaimed,
  limit: number,
): Promise<StoredTransfer[]> {
  const rows = await db.query<TransferRow>(
    'find_unclaimed',
    `
    select ${TRANSFER_COLUMNS} from transfers t
     where ${OF_SENDER} and t.payment_id is null and t.set_aside_at is null
     order by t.index
     limit $6`,
    [livemode, network, txHash, signer, address, limit],
  );
  return rows.map(toStored);
}

/** Marks a transfer as handled; the first time and the newest note count. False if a payment took it meanwhile. */
export async function markHandled(db: Db, id: string, at: Date, note: string | null): Promise<boolean> {
  const rows = await db.query(
    'mark_handled',
    `
    update transfers set handled_at = coalesce(handled_at, $2), handled_note = coalesce($3, handled_note)
     where id = $1 and payment_id is null
    returning id`,
    [id, at, note],
  );
  return rows.length > 0;
}

/** Takes the mark away, with its note. */
export async function unmarkHandled(db: Db, id: string): Promise<void> {
  await db.query('unmark_handled', 'update transfers set handled_at = null, handled_note = null where id = $1', [id]);
}

/** Whether a final transfer was not verified itself, or may not be on the chain any more. */
export function isUnsure({ evidence }: Pick<StoredTransfer, 'evidence'>): boolean {
  return UNSURE.some((name) => evidence[name] !== undefined);
}

/** The evidence of that. */
export const UNSURE = ['byBlock', 'doubted', 'goneAfterFinal'];

/** Reopens a final transfer that is unsure, so that it is verified itself: a payment depends on it now. */
export async function reopenTransfer(db: Db, id: string): Promise<void> {
  await db.query(
    'reopen_transfer',
    `
    update transfers set status = 'seen', final_at = null, evidence = evidence - $2::text[] where id = $1
      and status = 'final' and evidence ?| $2::text[]`,
    [id, UNSURE],
  );
}

export async function addEvidence(db: Db, id: string, evidence: Record<string, unknown>): Promise<void> {
  await db.query('add_evidence', `update transfers set evidence = evidence || $2::jsonb where id = $1`, [
    id,
    toJson(evidence),
  ]);
}

/** Deletes a batch of unattributed transfers older than an instant; returns the number. */
export async function deleteTransfersWithoutPayment(db: Db, before: Date, limit: number): Promise<number> {
  const rows = await db.query(
    'delete_transfers_without_payment',
    `
    delete from transfers
     where id = any(array(
       select id from transfers
        where payment_id is null and not queued and status in ('final', 'dropped') and block_time < $1
        order by block_time limit $2 for update skip locked))
    returning id`,
    [before, limit],
  );
  return rows.length;
}

/** The same for transactions that could not be stored. The alarm logged each of them. */
export async function deleteSetAsideTransactions(db: Db, before: Date, limit: number): Promise<number> {
  const rows = await db.query(
    'delete_set_aside_transactions',
    `
    delete from set_aside_transactions
     where (network, tx_hash) in (select network, tx_hash from set_aside_transactions where at < $1 order by at limit $2)
    returning tx_hash`,
    [before, limit],
  );
  return rows.length;
}
