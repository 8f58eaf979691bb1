import type { ReceiveNetwork } from '@quittance/contract';
import type { Db } from '../../platform/db/db.ts';
import { toJson } from './payment-store.ts';
import { toStored, TRANSFER_COLUMNS, type StoredTransfer, type TransferRow, UNSURE } from './transfer-store.ts';

/** A final transfer to check again, and the account of its payment; empty if no payment kept it. */
export interface RecheckedTransfer {
  transfer: StoredTransfer;
  accountId: string;
}

/**
 * Chooses from `candidates`, in round robin over accounts and addresses, up to $5: first those that were never asked about,
 * then those last asked about before $3 (before $4 if `is_rare`).
 */
const IN_TURNS = `(
      select *, row_number() over (partition by account_id, to_address order by asked_at nulls first, block_number, id) as at_address
        from candidates
       where asked_at is null or asked_at <= case when is_rare then $4::timestamptz else $3 end
    ), served as (
      select id, account_id, asked_at, row_number() over (partition by account_id order by at_address, block_number, id) as at_account
        from waiting
       order by at_account, asked_at nulls first, id
       limit $5
    )
    select ${TRANSFER_COLUMNS}, served.account_id
      from served join transfers t on t.id = served.id
     order by served.asked_at nulls first, t.block_number, t.tx_hash, t.index`;

const IS_REOPENED = `(evidence ? 'byBlock' or payment_id is null)`;

/**
 * Marks final transfers above a block for a recheck, because a reorg went deeper than expected. Those that belong to no
 * payment, or became final with their block only, are open again.
 */
export async function markForRecheckAbove(db: Db, network: ReceiveNetwork, above: bigint): Promise<void> {
  await db.query(
    'mark_for_recheck_above',
    `
    update transfers
       set evidence = case when ${IS_REOPENED} then evidence - 'byBlock' else evidence || '{"doubted": true}' end,
           status = case when ${IS_REOPENED} then 'seen' else status end,
           final_at = case when ${IS_REOPENED} then null else final_at end
     where livemode and network = $1 and status = 'final' and block_number > $2`,
    [network, above],
  );
}

/**
 * Opens marked transfers again, of payments that have counted no money. Their payments are locked first, so that none
 * counts them meanwhile.
 */
export async function reopenMarked(db: Db, network: ReceiveNetwork): Promise<void> {
  await db.query(
    'reopen_marked',
    `
    with uncounted as (
      select p.id from payments p
       where p.actual_output_units is null
         and p.id in (select t.payment_id from transfers t
                       where t.livemode and t.network = $1 and t.status = 'final' and t.evidence ? 'doubted')
       order by p.id for update
    )
    update transfers t set status = 'seen', final_at = null, evidence = t.evidence - $2::text[]
      from uncounted u
     where t.payment_id = u.id and t.livemode and t.network = $1 and t.status = 'final' and t.evidence ? 'doubted'`,
    [network, UNSURE],
  );
}

/**
 * Some transfers marked for a recheck, in round robin over accounts and addresses. Those that stayed undecided come after
 * the others, and not before `postponedUntil`, or `deepPostponedUntil` in blocks that are not above `deep`.
 */
export async function findMarkedForRecheck(
  db: Db,
  network: ReceiveNetwork,
  { deep, postponedUntil, deepPostponedUntil }: { deep: bigint; postponedUntil: Date; deepPostponedUntil: Date },
  limit: number,
): Promise<RecheckedTransfer[]> {
  const rows = await db.query<TransferRow & { accountId: string }>(
    'find_marked_for_recheck',
    `
    with candidates as (
      select t.id, coalesce(p.account_id, '') as account_id, t.to_address, t.block_number,
             nullif(t.evidence ->> 'doubted', 'true')::timestamptz as asked_at, t.block_number <= $2 as is_rare
        from transfers t left join payments p on p.id = t.payment_id
       where t.livemode and t.network = $1 and t.status = 'final' and t.evidence ? 'doubted'
    ), waiting as ${IN_TURNS}`,
    [network, deep, postponedUntil, deepPostponedUntil, limit],
  );
  return rows.map(toRechecked);
}

/**
 * Some final transfers of payments that disappeared, as above: those that were asked about not before `askedUntil`, or
 * `rarelyAskedUntil` if they have been missing since before `recent`.
 */
export async function findDisappeared(
  db: Db,
  network: ReceiveNetwork,
  { recent, askedUntil, rarelyAskedUntil }: { recent: Date; askedUntil: Date; rarelyAskedUntil: Date },
  limit: number,
): Promise<RecheckedTransfer[]> {
  const rows = await db.query<TransferRow & { accountId: string }>(
    'find_disappeared',
    `
    with candidates as (
      select t.id, p.account_id, t.to_address, t.block_number, (t.evidence ->> 'goneAskedAt')::timestamptz as asked_at,
             (t.evidence ->> 'goneAfterFinal')::timestamptz < $2 as is_rare
        from payments p join transfers t on t.payment_id = p.id
       where p.settlement_alert is not null and t.livemode and t.network = $1 and t.status = 'final'
         and t.evidence ? 'goneAfterFinal'
    ), waiting as ${IN_TURNS}`,
    [network, recent, askedUntil, rarelyAskedUntil, limit],
  );
  return rows.map(toRechecked);
}

function toRechecked({ accountId, ...row }: TransferRow & { accountId: string }): RecheckedTransfer {
  return { transfer: toStored(row), accountId };
}

/** A marked transfer stayed undecided, so it waits behind the others. */
export async function postponeRecheck(db: Db, id: string, at: Date): Promise<void> {
  await db.query(
    'postpone_recheck',
    `
    update transfers set evidence = evidence || jsonb_build_object('doubted', $2::timestamptz) where id = $1 and evidence ? 'doubted'`,
    [id, at],
  );
}

/** A transfer that disappeared was asked about, and waits behind the others if it is still missing. */
export async function noteAsked(db: Db, id: string, at: Date): Promise<void> {
  await db.query(
    'note_disappeared_asked',
    `
    update transfers set evidence = evidence || jsonb_build_object('goneAskedAt', $2::timestamptz)
     where id = $1 and evidence ? 'goneAfterFinal'`,
    [id, at],
  );
}

/** Saves the result of rechecking a final transfer: its current block and the evidence. */
export async function saveRecheck(
  db: Db,
  { id, block }: StoredTransfer,
  evidence: Record<string, unknown>,
): Promise<void> {
  await db.query(
    'save_recheck',
    `
    update transfers
       set evidence = (evidence - array['doubted', 'goneAfterFinal', 'goneAskedAt']) || $2::jsonb,
           block_number = $3, block_hash = $4, block_time = $5
     where id = $1 and status = 'final'`,
    [id, toJson(evidence), block.number, block.hash, block.time],
  );
}
