import { randomBytes } from 'node:crypto';
import { NETWORKS, type ReceiveNetwork } from '@quittance/contract';
import { base58 } from '@scure/base';
import type { Db } from '../../../platform/db/db.ts';
import { invariant } from '../../../platform/errors.ts';
import type { Chain, Head, Reading, RevertedPayment, Transfer, Verdict } from '../chain.ts';
import {
  type SandboxPlace,
  type SandboxTransfer,
  type SandboxRow,
  insertSandboxTransfer,
  newest,
  blockOf,
  hashOf,
  insertSandboxBlock,
  findSandboxBlockAt,
  readSandboxTransfers,
  findSandboxTransaction,
} from './block-store.ts';

/** A sandbox transfer is final with this many confirmations, on every network. */
export const SANDBOX_CONFIRMATIONS = 2;

/** A chain that is a few rows of one account: blocks are made on request. */
export interface SandboxChain extends Chain {
  /** Adds a block with any time and these transfers, each in its own transaction; returns their hashes. */
  mine(transfers: readonly SandboxTransfer[], at: Date): Promise<string[]>;
}

/** `recordedAt` is the real time at which its blocks are made. */
export function createSandboxChain(db: Db, place: SandboxPlace & { recordedAt: Date }): SandboxChain {
  const { accountId, network, recordedAt } = place;
  const chain: SandboxChain = {
    network,
    async mine(transfers, time) {
      const before = await newest(db, place);
      const number = (before?.number ?? 0n) + 1n;
      await insertSandboxBlock(db, place, { number, time, recordedAt });
      const hashes = transfers.map(() => newHash(network));
      for (const [at, transfer] of transfers.entries())
        await insertSandboxTransfer(db, place, { number, txHash: hashes[at] ?? '', transfer });
      return hashes;
    },
    async head(): Promise<Head> {
      const head = await newest(db, place);
      invariant(head, 'a sandbox chain that is read has a block');
      return { ...head, safe: null, finalized: null };
    },
    async probe() {},
    block: (number) => blockOf(db, place, number),
    isHeldByMost: async () => false,
    async blockAt(time) {
      const number = await findSandboxBlockAt(db, place, time);
      const block = number === undefined ? undefined : await blockOf(db, place, number);
      return block ?? { number: 0n, hash: hashOf(accountId, network, 0n), time: new Date(0) };
    },
    async read({ after, until, watching }): Promise<Reading> {
      const rows = await readSandboxTransfers(db, place, { after: after.number, until: until.number });
      const seen = rows.filter((row) => watching.addresses.has(row.to));
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
      const head = await newest(db, place);
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
      const rows = await findSandboxTransaction(db, place, txHash);
      if (rows.length === 0) return undefined;
      const mine = rows.filter((row) => watching.addresses.has(row.to));
      return {
        provider: 'sandbox',
        transfers: mine.filter((row) => !row.reverted).map((row) => toTransfer(accountId, row)),
        reverted: rows.some((row) => row.reverted) ? mine.filter((row) => row.reverted).map(toReverted) : null,
      };
    },
    replacements: async () => [],
    health: () => ({
      reachable: true,
      isDownToOne: false,
      providers: [{ name: 'sandbox', healthy: true, lastError: null, lastAnsweredAt: null }],
    }),
    async close() {},
  };
  return chain;
}

function toReverted(row: SandboxRow): RevertedPayment {
  const { txHash, from, to, amountUnits, carried } = row;
  return { txHash, from, to, amountUnits, carried };
}

function toTransfer(accountId: string, { blockNumber: number, time, reverted, ...row }: SandboxRow): Transfer {
  return { ...row, block: { number, hash: hashOf(accountId, row.network, number), time } };
}

function newHash(network: ReceiveNetwork): string {
  const { family } = NETWORKS[network];
  if (family === 'solana') return base58.encode(randomBytes(64));
  return `${family === 'evm' ? '0x' : ''}${randomBytes(32).toString('hex')}`;
}
