import { concatHex, type Hex, keccak256, numberToHex, stringToHex } from 'viem';
import type { Evm } from './evm.ts';
import type { Receipt, Transaction } from './shapes.ts';

const NOBODY = `0x${'00'.repeat(20)}`;

/**
 * The transaction of a Polygon block in which messages from Ethereum ran. It is in no block and many nodes return only its
 * receipt, but its hash follows from the block and nobody signed it, so the receipt shows everything there is to know.
 */
export function stateSyncTransaction(evm: Evm, receipt: Receipt | null | undefined): Transaction | null {
  if (evm.network !== 'polygon' || !receipt || receipt.txHash !== stateSyncHash(receipt)) return null;
  return {
    hash: receipt.txHash,
    blockNumber: receipt.blockNumber,
    blockHash: receipt.blockHash,
    from: NOBODY,
    to: NOBODY,
    valueWei: 0n,
    input: '0x',
  };
}

/** As Polygon's client derives it. */
function stateSyncHash({ blockNumber, blockHash }: Receipt): string {
  return blockNumber >= 1n << 64n
    ? ''
    : keccak256(
        concatHex([stringToHex('matic-bor-receipt-'), numberToHex(blockNumber, { size: 8 }), blockHash as Hex]),
      );
}
