import type { ReceiveNetwork } from '@quittance/contract';
import type { Transfer } from '../../outside/chains/chain.ts';
import type { Db, Transaction } from '../../platform/db/db.ts';
import { newId } from '../../platform/ids.ts';
import { isSameVersion } from '../../outside/chains/pure/version.ts';
import { contestWith, type Reporter } from './contested.ts';
import { confirmTransfers, contestTransfers, findStoredVersions } from './contested-store.ts';
import { lockPayments } from './payment-store.ts';
import {
  type Contested,
  toStored,
  TRANSFER_COLUMNS,
  type StoredTransfer,
  type TransferRow,
  UNSURE,
} from './transfer-store.ts';

/** Rows per statement. */
const MAX_ROWS = 500;

// The limit of the column.
const MAX_UNPROVEN = 4;

/** Transfers of one mode, and who reported them. */
export interface Reported {
  livemode: boolean;
  transfers: readonly Transfer[];
  reporter: Reporter;
}

/** The new transfers, and the number of known ones that are contested now. */
export interface StoredReport {
  fresh: StoredTransfer[];
  contested: number;
}

/**
 * Stores transfers, each once, and queues new and moved ones for attribution. Known ones in the same block are compared:
 * another provider confirms them, or they are contested. Payments are always locked before their transfers.
 */
export async function storeTransfers(db: Transaction, { transfers, ...by }: Reported, at: Date): Promise<StoredReport> {
  const stored: StoredReport = { fresh: [], contested: 0 };
  for (let start = 0; start < transfers.length; start += MAX_ROWS) {
    const some = { ...by, transfers: transfers.slice(start, start + MAX_ROWS) };
    const inserted = await insertTransfers(db, some, at);
    stored.fresh.push(...inserted);
    if (inserted.length === some.transfers.length) continue;
    await lockPayments(db, await findPaymentsOfMoving(db, some));
    await moveTransfers(db, some);
    stored.fresh.push(...(await replaceChanged(db, some, at)));
    if (by.livemode) stored.contested += await compareTransfers(db, some, at);
  }
  return stored;
}

/** Compares reports with the stored versions in the same block. Returns how many contradict theirs. */
async function compareTransfers(db: Transaction, { transfers, reporter }: Reported, at: Date): Promise<number> {
  const reported = new Map(transfers.map((transfer) => [keyOf(transfer), transfer]));
  const known = await findStoredVersions(db, transfers);
  const pairs = known.flatMap((stored) => {
    const seen = reported.get(keyOf(stored));
    return seen && seen.block.hash === stored.block.hash ? [{ stored, seen }] : [];
  });
  const contradicted = pairs.filter(({ stored, seen }) => !isSameVersion(stored, seen));
  const contested = contradicted.flatMap(({ stored, seen }): { id: string; contested: Contested }[] => {
    const contest = contestWith(stored, seen, reporter, at);
    return contest ? [{ id: stored.id, contested: contest }] : [];
  });
  const agreeing = pairs.filter(
    ({ stored, seen }) =>
      isSameVersion(stored, seen) && reporter.providers.some((name) => !stored.reportedBy.includes(name)),
  );
  await confirmTransfers(
    db,
    agreeing.map(({ stored }) => stored),
    reporter,
  );
  await contestTransfers(db, contested);
  return contradicted.length;
}

function keyOf({ network, txHash, index }: Transfer): string {
  return `${network} ${txHash} ${index}`;
}

/** Inserts transfers that are not stored yet, and returns them. The unique key decides between concurrent readers. */
async function insertTransfers(
  db: Db,
  { livemode, transfers, reporter }: Reported,
  at: Date,
): Promise<StoredTransfer[]> {
  const rows = await db.query<TransferRow>(
    'insert_transfers',
    `
    insert into transfers as t (id, livemode, network, tx_hash, index, asset, from_address, to_address, amount_units,
      block_number, block_hash, block_time,
                                carried, unproven, status, evidence, first_seen_at, queued, confirmed, reported_by)
    select seen.id, $1, seen.network, seen.tx_hash, seen.index, seen.asset, seen.from_address, seen.to_address,
      seen.amount_units, seen.block_number,
           seen.block_hash, seen.block_time,
           array(select decode(mark, 'hex') from unnest(string_to_array(nullif(seen.carried, ''), ',')) as mark),
           array(select decode(mark, 'hex') from unnest(string_to_array(nullif(seen.unproven, ''), ',')) as mark),
             'seen', '{}', $14, true, $16, $17::text[]
      from unnest($2::text[], $3::text[], $4::text[], $5::integer[], $6::text[], $7::text[], $8::text[],
        $9::numeric[], $10::bigint[], $11::text[],
                  $12::timestamptz[], $13::text[], $15::text[])
        as seen (id, network, tx_hash, index, asset, from_address, to_address, amount_units, block_number, block_hash,
          block_time, carried, unproven)
     order by seen.network, seen.tx_hash, seen.index
        on conflict (livemode, network, tx_hash, index) do nothing
    returning ${TRANSFER_COLUMNS}`,
    [
      livemode,
      transfers.map(() => newId('tr')),
      ...columnsOf(transfers),
      transfers.map(carriedOf),
      at,
      transfers.map(unprovenOf),
      reporter.isConfirmed,
      reporter.providers,
    ],
  );
  return rows.map(toStored);
}

/** The payments of transfers that moved to another block. */
async function findPaymentsOfMoving(db: Db, { livemode, transfers }: Reported): Promise<string[]> {
  const rows = await db.query<{ paymentId: string }>(
    'find_payments_of_moving',
    `
    select distinct t.payment_id
      from transfers t
      join unnest($2::text[], $3::text[], $4::integer[], $5::text[]) as seen (network, tx_hash, index, block_hash)
        on t.livemode = $1 and t.network = seen.network and t.tx_hash = seen.tx_hash and t.index = seen.index
     where t.payment_id is not null and (t.status = 'dropped' or (t.status = 'seen' and t.block_hash <> seen.block_hash))`,
    [
      livemode,
      transfers.map((one) => one.network),
      transfers.map((one) => one.txHash),
      transfers.map((one) => one.index),
      transfers.map((one) => one.block.hash),
    ],
  );
  return rows.map((row) => row.paymentId);
}

/**
 * Updates the blocks of known transfers: after a reorg moved them, or when a dropped transfer is back. Final transfers
 * of payments are not changed, except those that became final with their block only. One provider alone takes no transfer
 * out of a block in which two have read it (`abandonAbove`). Returns the changed transfers.
 */
async function moveTransfers(db: Db, { livemode, transfers, reporter }: Reported): Promise<StoredTransfer[]> {
  const rows = await db.query<TransferRow>(
    'move_transfers',
    `
    update transfers t
       set block_number = seen.block_number, block_hash = seen.block_hash, block_time = seen.block_time, from_address = seen.from_address,
           unproven = array(select decode(mark, 'hex') from unnest(string_to_array(nullif(seen.unproven, ''), ',')) as mark),
           carried = array(select decode(mark, 'hex') from unnest(string_to_array(nullif(seen.carried, ''), ',')) as mark),
           status = 'seen', evidence = t.evidence - $16::text[], final_at = null, queued = true, attempts = 0, set_aside_at = null,
           confirmed = $14, reported_by = $15::text[], contested = null
      from unnest($2::text[], $3::text[], $4::integer[], $5::text[], $6::text[], $7::text[], $8::numeric[],
        $9::bigint[], $10::text[], $11::timestamptz[], $12::text[], $13::text[])
        as seen (network, tx_hash, index, asset, from_address, to_address, amount_units, block_number, block_hash,
          block_time, carried, unproven)
     where t.livemode = $1 and t.network = seen.network and t.tx_hash = seen.tx_hash and t.index = seen.index
       and t.asset = seen.asset and t.to_address = seen.to_address and t.amount_units = seen.amount_units
       and (t.status = 'dropped'
            or ((t.status = 'seen' or t.evidence ? 'byBlock') and t.block_hash <> seen.block_hash and ($14 or not t.confirmed)))
    returning ${TRANSFER_COLUMNS}`,
    [
      livemode,
      ...columnsOf(transfers),
      transfers.map(carriedOf),
      transfers.map(unprovenOf),
      reporter.isConfirmed,
      reporter.providers,
      [...UNSURE, 'gone'],
    ],
  );
  return rows.map(toStored);
}

/**
 * A transaction is in another block with other transfers, as contract calls may be on another fork, or is back after it
 * was dropped. The row is overwritten and attributed again: the blocks of the new branch are read only once. What two
 * have read stays, as above. Returns the changed transfers.
 */
async function replaceChanged(
  db: Db,
  { livemode, transfers, reporter }: Reported,
  at: Date,
): Promise<StoredTransfer[]> {
  const rows = await db.query<TransferRow>(
    'replace_changed_transfers',
    `
    update transfers t
       set asset = seen.asset, from_address = seen.from_address, to_address = seen.to_address, amount_units = seen.amount_units,
           block_number = seen.block_number, block_hash = seen.block_hash, block_time = seen.block_time,
           carried = array(select decode(mark, 'hex') from unnest(string_to_array(nullif(seen.carried, ''), ',')) as mark),
           unproven = array(select decode(mark, 'hex') from unnest(string_to_array(nullif(seen.unproven, ''), ',')) as mark),
           status = 'seen', payment_id = null, target_id = null, attributed_by = null, reason = null,
             near_payment_id = null, handled_at = null, handled_note = null, released_at = null,
           evidence = '{}', first_seen_at = $12,
           queued = true, attempts = 0, set_aside_at = null, confirmed = $15, reported_by = $16::text[], contested = null
      from unnest($2::text[], $3::text[], $4::integer[], $5::text[], $6::text[], $7::text[], $8::numeric[],
        $9::bigint[], $10::text[], $11::timestamptz[], $13::text[], $14::text[])
        as seen (network, tx_hash, index, asset, from_address, to_address, amount_units, block_number, block_hash,
          block_time, carried, unproven)
     where t.livemode = $1 and t.network = seen.network and t.tx_hash = seen.tx_hash and t.index = seen.index
       and (t.status = 'dropped' or (t.status = 'seen' and t.block_hash <> seen.block_hash and ($15 or not t.confirmed)))
       and (t.asset, t.to_address, t.amount_units) is distinct from (seen.asset, seen.to_address, seen.amount_units)
    returning ${TRANSFER_COLUMNS}`,
    [
      livemode,
      ...columnsOf(transfers),
      at,
      transfers.map(carriedOf),
      transfers.map(unprovenOf),
      reporter.isConfirmed,
      reporter.providers,
    ],
  );
  return rows.map(toStored);
}

/**
 * Takes back that two providers have read what is above a block, because the first pass went back to that block: what
 * stands there has to be read twice again, and one provider may move it meanwhile.
 */
export async function abandonAbove(db: Db, network: ReceiveNetwork, above: bigint): Promise<void> {
  await db.query(
    'abandon_above',
    `
    update transfers set confirmed = false, reported_by = '{}'
     where livemode and network = $1 and status = 'seen' and block_number > $2 and confirmed`,
    [network, above],
  );
}

function carriedOf(transfer: Transfer): string {
  return transfer.carried.map((mark) => Buffer.from(mark).toString('hex')).join(',');
}

function unprovenOf(transfer: Transfer): string {
  return (transfer.unproven ?? [])
    .slice(0, MAX_UNPROVEN)
    .map((mark) => Buffer.from(mark).toString('hex'))
    .join(',');
}

function columnsOf(transfers: readonly Transfer[]): unknown[] {
  return [
    transfers.map((transfer) => transfer.network),
    transfers.map((transfer) => transfer.txHash),
    transfers.map((transfer) => transfer.index),
    transfers.map((transfer) => transfer.asset),
    transfers.map((transfer) => transfer.from),
    transfers.map((transfer) => transfer.to),
    transfers.map((transfer) => transfer.amountUnits.toString()),
    transfers.map((transfer) => transfer.block.number.toString()),
    transfers.map((transfer) => transfer.block.hash),
    transfers.map((transfer) => transfer.block.time),
  ];
}
