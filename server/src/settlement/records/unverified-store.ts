import type { Currency, ReceiveNetwork } from '@quittance/contract';
import type { Db } from '../../platform/db/db.ts';
import { transferNoticesSql } from './notice-store.ts';
import { toStored, TRANSFER_COLUMNS, type StoredTransfer, type TransferRow } from './transfer-store.ts';

/** A transfer that a payment depends on, and the payment's terms. */
export interface UnverifiedTransfer {
  transfer: StoredTransfer;
  accountId: string;
  amountMinor: bigint;
  currency: Currency;
  expiresAt: Date;
}

/** Limits one query, however many transfers wait. Each address of each account is served. */
const MAX_UNVERIFIED = 20_000;

/**
 * Transfers that payments depend on and that are not final yet, up to a block. In round robin over accounts and their
 * addresses, oldest first, so that no address delays another. Transfers about which providers disagree are a separate
 * list, and contested ones, or those above the block, are decided before (`findUndecided`).
 */
export async function findUnverifiedTransfers(
  db: Db,
  network: ReceiveNetwork,
  upTo: bigint,
  { contradicted }: { contradicted: boolean },
): Promise<UnverifiedTransfer[]> {
  const rows = await db.query<TransferRow & Omit<UnverifiedTransfer, 'transfer'>>(
    'find_unverified',
    `
    with waiting as (
      select t.id, p.account_id, t.block_number, t.tx_hash, t.index,
             row_number() over (partition by p.account_id, t.to_address order by t.block_number, t.tx_hash, t.index) as at_address
        from transfers t join payments p on p.id = t.payment_id
       where t.livemode and t.network = $1 and t.status = 'seen' and not t.queued and t.contested is null
         and t.block_number <= $2 and (t.evidence ? 'contradictedSince') = $3
    ), served as (
      select id, row_number() over (partition by account_id order by at_address, block_number, tx_hash, index) as at_account
        from waiting
       order by at_account, block_number, tx_hash, index
       limit $4
    )
    select ${TRANSFER_COLUMNS}, p.account_id, s.amount_minor, s.currency, p.expires_at
      from served join transfers t on t.id = served.id join payments p on p.id = t.payment_id
        join checkout_sessions s on s.id = p.session_id
     order by t.block_number, t.tx_hash, t.index`,
    [network, upTo, contradicted, MAX_UNVERIFIED],
  );
  return rows.map((row) => ({
    transfer: toStored(row),
    accountId: row.accountId,
    amountMinor: row.amountMinor,
    currency: row.currency,
    expiresAt: row.expiresAt,
  }));
}

/** A block with unattributed transfers that are not final yet. */
export interface OpenBlock {
  number: bigint;
  hash: string;
}

/**
 * The oldest blocks in a range whose unattributed transfers are not final yet. A block is one provider's answer, so it
 * says nothing about transfers that only one provider reported, or that providers report differently.
 */
export async function findOpenBlocks(
  db: Db,
  network: ReceiveNetwork,
  range: { after: bigint; upTo: bigint },
  limit: number,
): Promise<OpenBlock[]> {
  return db.query<OpenBlock>(
    'find_open_blocks',
    `
    select distinct block_number as number, block_hash as hash
      from transfers
     where livemode and network = $1 and status = 'seen' and payment_id is null and not queued and block_number > $2 and block_number <= $3
       and confirmed and contested is null
     order by block_number, block_hash
     limit $4`,
    [network, range.after, range.upTo, limit],
  );
}

/** Marks the unattributed transfers of these blocks as final. */
export async function finalizeTransfersIn(
  db: Db,
  network: ReceiveNetwork,
  blocks: readonly OpenBlock[],
  at: Date,
): Promise<void> {
  await db.query(
    'finalize_transfers_in',
    `
    with final as (
      update transfers t
         set status = 'final', final_at = $4, evidence = evidence || '{"byBlock": true}'
        from unnest($2::bigint[], $3::text[]) as block (number, hash)
       where t.livemode and t.network = $1 and t.block_number = block.number and t.block_hash = block.hash
         and t.status = 'seen' and t.payment_id is null and not t.queued and t.confirmed and t.contested is null
      returning t.id, t.livemode, t.to_address
    )
    ${transferNoticesSql('final')}`,
    [network, blocks.map((block) => block.number), blocks.map((block) => block.hash), at],
  );
}

/** Unattributed transfers of orphaned blocks. */
export async function findTransfersIn(
  db: Db,
  network: ReceiveNetwork,
  blocks: readonly OpenBlock[],
  limit: number,
): Promise<StoredTransfer[]> {
  const rows = await db.query<TransferRow>(
    'find_transfers_in',
    `
    select ${TRANSFER_COLUMNS}
      from transfers t join unnest($2::bigint[], $3::text[]) as block (number, hash) on t.block_number = block.number
        and t.block_hash = block.hash
     where t.livemode and t.network = $1 and t.status = 'seen' and t.payment_id is null and not t.queued
       and t.confirmed and t.contested is null
     order by t.block_number, t.tx_hash, t.index
     limit $4`,
    [network, blocks.map((block) => block.number), blocks.map((block) => block.hash), limit],
  );
  return rows.map(toStored);
}
