import type { Transfer } from './chain.ts';

/** Whether two providers, or one at two times, mean the same transfer. A reorg may have moved it to another block. */
export function isSameTransfer(a: Transfer, b: Transfer): boolean {
  return (
    a.txHash === b.txHash &&
    a.index === b.index &&
    a.asset === b.asset &&
    a.to === b.to &&
    a.from === b.from &&
    a.amountUnits === b.amountUnits
  );
}

export function isSameTransferInBlock(a: Transfer, b: Transfer): boolean {
  return isSameTransfer(a, b) && a.block.hash === b.block.hash;
}
