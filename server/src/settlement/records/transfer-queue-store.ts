import type { ReceiveNetwork } from '@quittance/contract';
import type { Transfer } from '../../outside/chains/chain.ts';
import type { Db } from '../../platform/db/db.ts';
import { DAY_MS, later } from '../../platform/time.ts';
import { toStored, TRANSFER_COLUMNS, type StoredTransfer, type TransferRow } from './transfer-store.ts';

/**
 * Queued transfers of a network whose attempt is due: some per address, for addresses after `after`. Reads no more of
 * the index than that.
 */
export async function findQueued(
  db: Db,
  network: ReceiveNetwork,
  page: { after: string; addresses: number; perAddress: number; now: Date },
): Promise<{ id: string; to: string }[]> {
  return db.query<{ id: string; to: string }>(
    'find_queued',
    `
    with recursive address as (
      (select to_address as name, 1 as place from transfers where queued and network = $1 and to_address > $2
        and (retry_at is null or retry_at <= $5)
        order by to_address limit 1)
      union all
      select (select t.to_address from transfers t where t.queued and t.network = $1 and t.to_address > before.name
                 and (t.retry_at is null or t.retry_at <= $5) order by t.to_address limit 1), before.place + 1
        from address before
       where before.name is not null and before.place < $3
    )
    select one.id, address.name as to
      from address
     cross join lateral (
       select t.id, t.block_number, t.tx_hash, t.index
         from transfers t
        where t.queued and t.network = $1 and t.to_address = address.name and (t.retry_at is null or t.retry_at <= $5)
        order by t.block_number, t.tx_hash, t.index
        limit $4) one
     where address.name is not null
     order by address.name, one.block_number, one.tx_hash, one.index`,
    [network, page.after, page.addresses, page.perAddress, page.now],
  );
}

/** For how long contested transfers hold the expiry of payments to their address: one liar cannot hold them forever. */
const CONTEST_HOLDS_MS = 1 * DAY_MS;

/** Since when a contest must last to hold nothing any more. */
export function contestHoldsSince(now: Date): Date {
  return later(now, -CONTEST_HOLDS_MS);
}

/**
 * Whether a transfer to an address before an instant still waits for attribution, or any for the quorum because
 * providers report it differently: its time may be among what they contest.
 */
export async function hasQueued(
  db: Db,
  { network, address }: { network: ReceiveNetwork; address: string },
  { until, now }: { until: Date; now: Date },
): Promise<boolean> {
  const [row] = await db.query<{ found: boolean }>(
    'has_queued',
    `
    select exists (select 1 from transfers where queued and livemode and network = $1 and to_address = $2 and block_time <= $3)
        or exists (select 1 from transfers where contested is not null and livemode and network = $1 and to_address = $2 and status = 'seen'
                                              and (contested ->> 'since')::timestamptz > $4) as found`,
    [network, address, until, contestHoldsSince(now)],
  );
  return row?.found ?? false;
}

/** Counts a failed attempt, sets when the next one is due, and returns the number of attempts. */
export async function postponeTransfer(
  db: Db,
  id: string,
  { first, later }: { first: Date; later: Date },
): Promise<number> {
  const [row] = await db.query<{ attempts: number }>(
    'postpone_transfer',
    `
    update transfers set attempts = attempts + 1, retry_at = case when attempts = 0 then $2::timestamptz else $3::timestamptz end
     where id = $1 and queued
    returning attempts`,
    [id, first, later],
  );
  return row?.attempts ?? 0;
}

/**
 * Queues transfers again that were set aside before an instant after fewer than `maxAttempts` attempts, those set aside
 * longest first. Returns their number.
 */
export async function requeueSetAside(
  db: Db,
  { before, maxAttempts, limit }: { before: Date; maxAttempts: number; limit: number },
): Promise<number> {
  const rows = await db.query(
    'requeue_set_aside',
    `
    update transfers set queued = true, retry_at = null
     where id = any(array(select id from transfers
                           where set_aside_at <= $1 and payment_id is null and handled_at is null and attempts < $2 and not queued
                             and livemode and status <> 'dropped'
                           order by set_aside_at limit $3))
    returning 1`,
    [before, maxAttempts, limit],
  );
  return rows.length;
}

/** Queues the set-aside transfers of a network from a block on again, with all attempts. */
export async function requeueSetAsideFrom(db: Db, network: ReceiveNetwork, block: bigint): Promise<void> {
  await db.query(
    'requeue_set_aside_from',
    `
    update transfers set queued = true, retry_at = null, attempts = 0
     where livemode and network = $1 and block_number >= $2 and set_aside_at is not null and payment_id is null and handled_at is null
       and not queued and status <> 'dropped'`,
    [network, block],
  );
}

/** Removes a transfer whose attribution keeps failing from the queue. It is tried again later, or a person decides. */
export async function setTransferAside(db: Db, id: string, at: Date): Promise<void> {
  await db.query(
    'set_transfer_aside',
    `
    update transfers
       set queued = false, set_aside_at = $2, reason = case when payment_id is null then coalesce(reason, 'no_match') end
     where id = $1 and queued`,
    [id, at],
  );
}

/** The queued transfers of these transactions, in block order. */
export async function findQueuedByHash(
  db: Db,
  livemode: boolean,
  transfers: readonly Transfer[],
  limit: number,
): Promise<StoredTransfer[]> {
  if (transfers.length === 0) return [];
  const rows = await db.query<TransferRow>(
    'find_queued_by_hash',
    `
    select ${TRANSFER_COLUMNS}
      from transfers t
      join (select distinct network, tx_hash from unnest($2::text[], $3::text[]) as named (network, tx_hash)) named using (network, tx_hash)
     where t.livemode = $1 and t.queued
     order by t.block_number, t.tx_hash, t.index
     limit $4`,
    [livemode, transfers.map((one) => one.network), transfers.map((one) => one.txHash), limit],
  );
  return rows.map(toStored);
}

export async function dequeueTransfer(db: Db, id: string): Promise<void> {
  await db.query(
    'dequeue_transfer',
    `update transfers set queued = false, attempts = 0, set_aside_at = null where id = $1`,
    [id],
  );
}
