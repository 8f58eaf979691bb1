import { concatHex, type Hex, keccak256, numberToHex, stringToHex } from 'viem';
import type { Evm } from './evm.ts';
import type { Receipt, Transaction } from './shapes.ts';

export const ZERO_ADDRESS = `0x${'00'.repeat(20)}`;

/**
 * The transaction of a Polygon block that executed messages from Ethereum. It is not listed in a block, and many nodes
 * return only its receipt. Its hash is derived from the block and it has no signer, so the receipt contains all its
 * data.
 */
export function stateSyncTransaction(evm: Evm, receipt: Receipt | null | undefined): Transaction | null {
  if (evm.network !== 'polygon' || !receipt || receipt.txHash !== stateSyncHash(receipt)) return null;
  return {
    hash: receipt.txHash,
    blockNumber: receipt.blockNumber,
    blockHash: receipt.blockHash,
    from: ZERO_ADDRESS,
    to: ZERO_ADDRESS,
    valueWei: 0n,
    input: '0x',
  };
}

/** The derivation in Polygon's client. */
function stateSyncHash({ blockNumber, blockHash }: Receipt): string {
  return blockNumber >= 1n << 64n
    ? ''
    : keccak256(
        concatHex([stringToHex('matic-bor-receipt-'), numberToHex(blockNumber, { size: 8 }), blockHash as Hex]),
      );
}
