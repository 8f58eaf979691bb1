import type { PayoutStatus } from '@quittance/contract';
import type { Account } from '../../platform/caller.ts';
import type { Db, Transaction } from '../../platform/db/db.ts';
import type { Position } from '../../platform/http/in-steps.ts';
import { fromColumns, type OutgoingJsonColumns, toColumns } from '../outgoing-transfers/outgoing.ts';
import { type DueTurn, leaseDue, leaseOf } from '../outgoing-transfers/store.ts';
import { MAX_OPEN_PAYOUTS, type PayoutLine, type StoredPayout } from './payout.ts';
import { fail } from '../../platform/errors.ts';

const PAYOUT_COLUMNS = `
  id, account_id, livemode, status, amount_units, asset, network, to_address, note, import_name, line, tx_hash,
  transfer_index, verified, mismatch, failure_reason, sent_at, due_at, looks, created_at, wallet,
  other_hashes`;

type PayoutRow = Omit<StoredPayout, keyof OutgoingJsonColumns> & OutgoingJsonColumns;

export async function findPayouts(db: Db, account: Account, ids: readonly string[]): Promise<StoredPayout[]> {
  const rows = await db.query<PayoutRow>(
    'find_payouts',
    `select ${PAYOUT_COLUMNS} from payouts where id = any ($1) and account_id = $2 and livemode = $3`,
    [ids, account.id, account.livemode],
  );
  return rows.map(toPayout);
}

/** The same, locked in an order that is the same for all. */
export async function lockPayoutRows(
  db: Transaction,
  account: Account,
  ids: readonly string[],
): Promise<StoredPayout[]> {
  const rows = await db.query<PayoutRow>(
    'lock_payouts',
    `
    select ${PAYOUT_COLUMNS} from payouts where id = any ($1) and account_id = $2 and livemode = $3
     order by id for update`,
    [ids, account.id, account.livemode],
  );
  return rows.map(toPayout);
}

/** Newest first. */
export async function fetchPayouts(
  db: Db,
  account: Account,
  status: PayoutStatus | null,
  { after, limit }: { after: Position | null; limit: number },
): Promise<StoredPayout[]> {
  const values = [account.id, account.livemode, after?.createdAt, after?.id, limit];
  const rows =
    status === null
      ? await db.query<PayoutRow>('list_payouts', pageOf('true'), values)
      : await db.query<PayoutRow>('list_payouts_of_status', pageOf('status = $6'), [...values, status]);
  return rows.map(toPayout);
}

function pageOf(condition: string): string {
  return `
    select ${PAYOUT_COLUMNS} from payouts
     where account_id = $1 and livemode = $2 and ${condition}
       and (created_at, id) < (coalesce($3::timestamptz, 'infinity'), coalesce($4::text, ''))
     order by created_at desc, id desc limit $5`;
}

/** Those whose transaction moved something else, and those that may have been sent twice, the last sent first. */
export async function findDoubtfulPayouts(
  db: Db,
  account: Account,
  since: Date,
  limit: number,
): Promise<StoredPayout[]> {
  const rows = await db.query<PayoutRow>(
    'find_doubtful_payouts',
    `
    select ${PAYOUT_COLUMNS} from payouts
     where account_id = $1 and livemode = $2 and sent_at >= $3
       and ((status = 'sent' and mismatch is not null) or (status = 'final' and other_hashes <> '{}'))
     order by sent_at desc, id desc limit $4`,
    [account.id, account.livemode, since, limit],
  );
  return rows.map(toPayout);
}

/** What is planned, or sent and not verified. */
export async function findOpenPayouts(
  db: Db,
  account: Account,
): Promise<Pick<StoredPayout, 'toAddress' | 'asset' | 'network' | 'amountUnits'>[]> {
  return db.query(
    'find_open_payouts',
    `
    select to_address, asset, network, amount_units from payouts
     where account_id = $1 and livemode = $2 and status in ('planned', 'sent') limit ${MAX_OPEN_PAYOUTS}`,
    [account.id, account.livemode],
  );
}

/** What an import planned, in the order of its lines. */
export async function findImported(db: Db, account: Account, importName: string): Promise<PayoutLine[]> {
  return db.query(
    'find_imported_payouts',
    `
    select line, to_address, asset, network, amount_units, note from payouts
     where account_id = $1 and livemode = $2 and import_name = $3
     order by line`,
    [account.id, account.livemode, importName],
  );
}

/** Writes a new payout, or what changed of a locked one. */
export async function writePayout(db: Transaction, payout: StoredPayout): Promise<void> {
  const { mismatch, wallet } = toColumns(payout);
  await db.query(
    'write_payout',
    `
    insert into payouts (${PAYOUT_COLUMNS})
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22)
    on conflict (id) do update
       set status = excluded.status, tx_hash = excluded.tx_hash, transfer_index = excluded.transfer_index,
           verified = excluded.verified, mismatch = excluded.mismatch, failure_reason = excluded.failure_reason,
           sent_at = excluded.sent_at, due_at = excluded.due_at, looks = excluded.looks, wallet = excluded.wallet,
           other_hashes = excluded.other_hashes`,
    [
      payout.id,
      payout.accountId,
      payout.livemode,
      payout.status,
      payout.amountUnits,
      payout.asset,
      payout.network,
      payout.toAddress,
      payout.note,
      payout.importName,
      payout.line,
      payout.txHash,
      payout.transferIndex,
      payout.verified,
      mismatch,
      payout.failureReason,
      payout.sentAt,
      payout.dueAt,
      payout.looks,
      payout.createdAt,
      wallet,
      payout.otherHashes,
    ],
  );
}

export async function leaseDuePayouts(db: Db, turn: DueTurn): Promise<StoredPayout[]> {
  const rows = await db.query<PayoutRow>('lease_due_payouts', leaseDue('payouts', PAYOUT_COLUMNS), leaseOf(turn));
  return rows.map(toPayout);
}

/** Those that nothing was sent for, and those of test mode. */
export async function deleteUnsentPayouts(db: Db, before: Date, limit: number): Promise<number> {
  const rows = await db.query(
    'delete_unsent_payouts',
    `
    delete from payouts
     where id in (select id from payouts
                   where (not livemode or status = 'cancelled' and tx_hash is null) and created_at < $1
                   order by created_at limit $2 for update skip locked)
    returning id`,
    [before, limit],
  );
  return rows.length;
}

function toPayout(row: PayoutRow): StoredPayout {
  return { ...row, ...fromColumns(row) };
}

/** The account's payouts in this order, each once, or 404. */
export async function ownPayouts(db: Db, account: Account, ids: readonly string[]): Promise<StoredPayout[]> {
  return inOrder(ids, await findPayouts(db, account, ids));
}

/** The same, locked until the transaction ends. */
export async function lockPayouts(db: Transaction, account: Account, ids: readonly string[]): Promise<StoredPayout[]> {
  return inOrder(ids, await lockPayoutRows(db, account, ids));
}

function inOrder(ids: readonly string[], found: readonly StoredPayout[]): StoredPayout[] {
  const byId = new Map(found.map((payout) => [payout.id, payout]));
  return [...new Set(ids)].map((id) => byId.get(id) ?? fail('not_found', { param: 'payouts' }));
}
