import type { AssetSymbol } from '@quittance/contract';
import { getAddress } from 'viem';
import type { BlockRef, Transfer } from '../chain.ts';
import { authorizedNonces } from './authorizations.ts';
import type { Evm, WatchedWallets } from './evm.ts';
import { type Movement, referencesOf } from './references.ts';
import type { Block, Log, Receipt, Transaction } from './shapes.ts';
import type { Frame, TaggedCall } from './trace.ts';
import { isTransfer } from './logs.ts';

// Token transfers have their log's place among all logs of the receipt, so that a coin that is added later numbers none
// of the others again. Native ones are numbered from here, and never overlap with them.
export const NATIVE_INDEX = 1_000_000;

/** A transaction as a provider returned it. `executed` has the tagged calls of its trace, if one was needed. */
export interface SeenTransaction {
  transaction: Transaction;
  receipt: Receipt;
  frames?: readonly Frame[];
  executed?: readonly TaggedCall[];
}

/** A transfer to a watched wallet. Addresses are lowercase. */
interface InboundTransfer extends Movement {
  index: number;
  asset: AssetSymbol;
  from: string;
}

/** Every transfer of one transaction to watched wallets, with its references. */
export function transfersOf(
  evm: Evm,
  seen: SeenTransaction & { block: Block },
  watched: WatchedWallets,
  options: { selfTransfers?: boolean } = {},
): Transfer[] {
  const inbound = inboundOf(evm, seen, watched, options);
  const references = referencesOf(inbound, seen);
  return inbound.map((moved, position) => {
    const { carried = [], unproven = [] } = references[position] ?? {};
    return {
      network: evm.network,
      txHash: seen.receipt.txHash,
      index: moved.index,
      asset: moved.asset,
      from: getAddress(moved.from),
      to: watched.get(moved.to) as string,
      amountUnits: moved.amountUnits,
      block: toBlockRef(seen.block),
      carried,
      ...(unproven.length > 0 && { unproven }),
    };
  });
}

/**
 * The transfers of a transaction to watched wallets. A wallet's transfer to itself is not income and is omitted by
 * default.
 */
export function inboundOf(
  evm: Evm,
  { transaction, receipt, frames = [] }: SeenTransaction,
  watched: WatchedWallets,
  { selfTransfers = false }: { selfTransfers?: boolean } = {},
): InboundTransfer[] {
  if (!receipt.succeeded) return [];
  const nonces = authorizedNonces(receipt.logs);
  const tokens = receipt.logs
    .map((log, place) => ({ log, place }))
    .filter(({ log }) => isTransfer(log) && evm.tokens.has(log.address))
    .map(({ log, place }) => ({
      index: place,
      asset: evm.tokens.get(log.address) as AssetSymbol,
      token: log.address,
      ...movement(log),
      ...(nonces.has(log) && { nonce: nonces.get(log) as Uint8Array }),
    }));
  const native =
    evm.native === null
      ? []
      : nativeMovements(evm, transaction, receipt, frames).map(({ ordinal, from, to, valueWei }) => ({
          index: NATIVE_INDEX + ordinal,
          asset: evm.native as AssetSymbol,
          token: null,
          from,
          to,
          amountUnits: valueWei,
        }));
  return [...tokens, ...native].filter(
    (moved) => moved.amountUnits > 0n && (selfTransfers || moved.from !== moved.to) && watched.has(moved.to),
  );
}

export function toBlockRef(block: Block): BlockRef {
  return { number: block.number, hash: block.hash, time: block.time };
}

function movement(log: Log): { from: string; to: string; amountUnits: bigint } {
  return { from: `0x${log.topics[1]?.slice(26)}`, to: `0x${log.topics[2]?.slice(26)}`, amountUnits: BigInt(log.data) };
}

function nativeMovements(evm: Evm, transaction: Transaction, receipt: Receipt, frames: readonly Frame[]): Frame[] {
  const own: Frame[] =
    transaction.valueWei > 0n && transaction.to !== null
      ? [{ ordinal: 0, from: transaction.from, to: transaction.to, valueWei: transaction.valueWei }]
      : [];
  if (evm.nativeEmitter === null) return [...own, ...frames];

  const logged = receipt.logs.filter((log) => log.address === evm.nativeEmitter && isTransfer(log)).map(movement);
  // The first log is the transaction's own value, unless it had none or was sent to its sender.
  const first = own[0] && own[0].from !== own[0].to ? 0 : 1;
  const inner = logged
    .map((moved, at) => ({ ordinal: first + at, from: moved.from, to: moved.to, valueWei: moved.amountUnits }))
    .filter((frame) => frame.ordinal > 0);
  return [...own, ...inner];
}
