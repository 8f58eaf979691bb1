import { randomBytes } from 'node:crypto';
import { NETWORKS, type AssetSymbol, type ReceiveNetwork } from '@quittance/contract';
import { base58 } from '@scure/base';
import type { Db } from '../../../platform/db/db.ts';
import { invariant } from '../../../platform/errors.ts';
import { sha256 } from '../../../platform/secrets.ts';
import type { BlockRef, Chain, Head, Reading, RevertedPayment, Transfer, Verdict } from '../chain.ts';

/** A sandbox transfer is final with this many confirmations, on every network. */
export const SANDBOX_CONFIRMATIONS = 2;

export interface SandboxTransfer {
  asset: AssetSymbol;
  from: string;
  to: string;
  amountUnits: bigint;
  carried?: Uint8Array[];
  reverted?: boolean;
}

/** A chain that consists of a few rows of one account. Blocks are created on demand. */
export interface SandboxChain extends Chain {
  /** Adds a block with any time and these transfers, each in its own transaction; returns their hashes. */
  mine(transfers: readonly SandboxTransfer[], at: Date): Promise<string[]>;
}

export function createSandboxChain(db: Db, accountId: string, network: ReceiveNetwork): SandboxChain {
  const chain: SandboxChain = {
    network,
    async mine(transfers, at) {
      const before = await newest(db, accountId, network);
      const number = (before?.number ?? 0n) + 1n;
      await db.query(
        'insert_sandbox_block',
        `insert into sandbox_blocks (account_id, network, number, time) values ($1, $2, $3, $4)`,
        [accountId, network, number, at],
      );
      const hashes = transfers.map(() => newHash(network));
      for (const [place, transfer] of transfers.entries())
        await insertSandboxTransfer(db, accountId, network, number, hashes[place] ?? '', transfer);
      return hashes;
    },
    async head(): Promise<Head> {
      const head = await newest(db, accountId, network);
      invariant(head, 'a sandbox chain has a block before it is read');
      return { ...head, safe: null, finalized: null };
    },
    block: (number) => blockOf(db, accountId, network, number),
    async blockAt(time) {
      const [row] = await db.query<{ number: bigint }>(
        'sandbox_block_at',
        `
        select number from sandbox_blocks where account_id = $1 and network = $2 and time <= $3 order by number desc limit 1`,
        [accountId, network, time],
      );
      const block = row && (await blockOf(db, accountId, network, row.number));
      return block ?? { number: 0n, hash: hashOf(accountId, network, 0n), time: new Date(0) };
    },
    async read(after, until, watching): Promise<Reading> {
      const rows = await db.query<SandboxRow>(
        'read_sandbox',
        `
        select t.*, b.time from sandbox_transfers t join sandbox_blocks b using (account_id, network)
         where t.account_id = $1 and t.network = $2 and b.number = t.block_number and t.block_number > $3 and t.block_number <= $4
         order by t.block_number, t.tx_hash, t.index`,
        [accountId, network, after.number, until.number],
      );
      const seen = rows.filter((row) => watching.addresses.has(row.to_address));
      return {
        transfers: seen.filter((row) => !row.reverted).map((row) => toTransfer(accountId, row)),
        reverted: seen.filter((row) => row.reverted).map(toReverted),
        covered: until,
        provider: 'sandbox',
      };
    },
    async check(transfer): Promise<Verdict> {
      const found = await chain.transaction(transfer.txHash, { addresses: new Set([transfer.to]) });
      const same = found?.transfers.find((one) => one.index === transfer.index);
      const head = await newest(db, accountId, network);
      return same && head
        ? {
            type: 'stands',
            transfer: same,
            providers: ['sandbox'],
            alone: null,
            head: { number: head.number, safe: null, finalized: null },
          }
        : { type: 'gone' };
    },
    async transaction(txHash, watching) {
      const rows = await db.query<SandboxRow>(
        'sandbox_transaction',
        `
        select t.*, b.time from sandbox_transfers t join sandbox_blocks b using (account_id, network)
         where t.account_id = $1 and t.network = $2 and b.number = t.block_number and t.tx_hash = $3`,
        [accountId, network, txHash],
      );
      if (rows.length === 0) return undefined;
      const mine = rows.filter((row) => watching.addresses.has(row.to_address));
      return {
        transfers: mine.filter((row) => !row.reverted).map((row) => toTransfer(accountId, row)),
        reverted: rows.some((row) => row.reverted) ? mine.filter((row) => row.reverted).map(toReverted) : null,
      };
    },
    health: () => ({ reachable: true, providers: [{ name: 'sandbox', healthy: true, lastError: null }] }),
    async close() {},
  };
  return chain;
}

function toReverted(row: SandboxRow): RevertedPayment {
  return { txHash: row.tx_hash, to: row.to_address, carried: row.carried };
}

interface SandboxRow {
  network: ReceiveNetwork;
  tx_hash: string;
  index: number;
  asset: AssetSymbol;
  from_address: string;
  to_address: string;
  amount_units: bigint;
  carried: Buffer[];
  block_number: bigint;
  reverted: boolean;
  time: Date;
}

async function insertSandboxTransfer(
  db: Db,
  accountId: string,
  network: ReceiveNetwork,
  number: bigint,
  txHash: string,
  transfer: SandboxTransfer,
): Promise<void> {
  await db.query(
    'insert_sandbox_transfer',
    `
    insert into sandbox_transfers (account_id, network, tx_hash, index, asset, from_address, to_address, amount_units, carried, block_number, reverted)
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

async function newest(db: Db, accountId: string, network: ReceiveNetwork): Promise<BlockRef | undefined> {
  const [row] = await db.query<{ number: bigint; time: Date }>(
    'newest_sandbox_block',
    `
    select number, time from sandbox_blocks where account_id = $1 and network = $2 order by number desc limit 1`,
    [accountId, network],
  );
  return row && { number: row.number, hash: hashOf(accountId, network, row.number), time: row.time };
}

async function blockOf(
  db: Db,
  accountId: string,
  network: ReceiveNetwork,
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

function toTransfer(accountId: string, row: SandboxRow): Transfer {
  return {
    network: row.network,
    txHash: row.tx_hash,
    index: row.index,
    asset: row.asset,
    from: row.from_address,
    to: row.to_address,
    amountUnits: row.amount_units,
    block: { number: row.block_number, hash: hashOf(accountId, row.network, row.block_number), time: row.time },
    carried: row.carried,
  };
}

function hashOf(accountId: string, network: string, number: bigint): string {
  return `0x${sha256(`sandbox ${accountId} ${network} ${number}`).toString('hex')}`;
}

function newHash(network: ReceiveNetwork): string {
  return NETWORKS[network].family === 'solana'
    ? base58.encode(randomBytes(64))
    : `0x${randomBytes(32).toString('hex')}`;
}
