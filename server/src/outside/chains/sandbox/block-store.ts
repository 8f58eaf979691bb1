import type { AssetSymbol, ReceiveNetwork } from '@quittance/contract';
import type { Db } from '../../../platform/db/db.ts';
import { sha256 } from '../../../platform/secrets.ts';
import type { BlockRef, Transfer } from '../chain.ts';

export interface SandboxTransfer {
  asset: AssetSymbol;
  from: string;
  to: string;
  amountUnits: bigint;
  carried?: Uint8Array[];
  reverted?: boolean;
}

/** The account and network whose sandbox it is. */
export interface SandboxPlace {
  accountId: string;
  network: ReceiveNetwork;
}

export type SandboxRow = Omit<Transfer, 'block' | 'unproven' | 'untraced'> & {
  blockNumber: bigint;
  reverted: boolean;
  time: Date;
};

const COLUMNS = `
  t.network, t.tx_hash, t.index, t.asset, t.from_address as "from", t.to_address as "to", t.amount_units, t.carried,
    t.block_number, t.reverted, b.time`;

export async function insertSandboxTransfer(
  db: Db,
  { accountId, network }: SandboxPlace,
  { number, txHash, transfer }: { number: bigint; txHash: string; transfer: SandboxTransfer },
): Promise<void> {
  await db.query(
    'insert_sandbox_transfer',
    `
    insert into sandbox_transfers (account_id, network, tx_hash, index, asset, from_address, to_address, amount_units,
      carried, block_number, reverted)
    values ($1, $2, $3, 0, $4, $5, $6, $7, $8, $9, $10)`,
    [
      accountId,
      network,
      txHash,
      transfer.asset,
      transfer.from,
      transfer.to,
      transfer.amountUnits,
      (transfer.carried ?? []).map((mark) => Buffer.from(mark)),
      number,
      transfer.reverted ?? false,
    ],
  );
}

export async function newest(db: Db, { accountId, network }: SandboxPlace): Promise<BlockRef | undefined> {
  const [row] = await db.query<{ number: bigint; time: Date }>(
    'newest_sandbox_block',
    `
    select number, time from sandbox_blocks where account_id = $1 and network = $2 order by number desc limit 1`,
    [accountId, network],
  );
  return row && { number: row.number, hash: hashOf(accountId, network, row.number), time: row.time };
}

export async function blockOf(
  db: Db,
  { accountId, network }: SandboxPlace,
  number: bigint,
): Promise<BlockRef | undefined> {
  const [row] = await db.query<{ time: Date }>(
    'sandbox_block',
    `
    select time from sandbox_blocks where account_id = $1 and network = $2 and number = $3`,
    [accountId, network, number],
  );
  return row && { number, hash: hashOf(accountId, network, number), time: row.time };
}

export function hashOf(accountId: string, network: string, number: bigint): string {
  return `0x${sha256(`sandbox ${accountId} ${network} ${number}`).toString('hex')}`;
}

export async function insertSandboxBlock(
  db: Db,
  { accountId, network }: SandboxPlace,
  { number, time, recordedAt }: { number: bigint; time: Date; recordedAt: Date },
): Promise<void> {
  await db.query(
    'insert_sandbox_block',
    `insert into sandbox_blocks (account_id, network, number, time, recorded_at) values ($1, $2, $3, $4, $5)`,
    [accountId, network, number, time, recordedAt],
  );
}

export async function findSandboxBlockAt(
  db: Db,
  { accountId, network }: SandboxPlace,
  time: Date,
): Promise<bigint | undefined> {
  const [row] = await db.query<{ number: bigint }>(
    'sandbox_block_at',
    `
    select number from sandbox_blocks where account_id = $1 and network = $2 and time <= $3 order by number desc limit 1`,
    [accountId, network, time],
  );
  return row?.number;
}

export function readSandboxTransfers(
  db: Db,
  { accountId, network }: SandboxPlace,
  { after, until }: { after: bigint; until: bigint },
): Promise<SandboxRow[]> {
  return db.query<SandboxRow>(
    'read_sandbox',
    `
    select ${COLUMNS} from sandbox_transfers t join sandbox_blocks b using (account_id, network)
     where t.account_id = $1 and t.network = $2 and b.number = t.block_number and t.block_number > $3 and t.block_number <= $4
     order by t.block_number, t.tx_hash, t.index`,
    [accountId, network, after, until],
  );
}

export function findSandboxTransaction(
  db: Db,
  { accountId, network }: SandboxPlace,
  txHash: string,
): Promise<SandboxRow[]> {
  return db.query<SandboxRow>(
    'sandbox_transaction',
    `
    select ${COLUMNS} from sandbox_transfers t join sandbox_blocks b using (account_id, network)
     where t.account_id = $1 and t.network = $2 and b.number = t.block_number and t.tx_hash = $3`,
    [accountId, network, txHash],
  );
}
