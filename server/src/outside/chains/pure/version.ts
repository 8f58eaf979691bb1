import type { BlockRef, Transfer } from '../chain.ts';
import { isSameTransferInBlock } from '../same-transfer.ts';

/**
 * Whether two reports say the same of a transfer, in everything that decides which payment it belongs to and when it
 * came. What anyone may have written (`unproven`) decides nothing.
 */
export function isSameVersion(a: Transfer, b: Transfer): boolean {
  return isSameExceptReferences(a, b) && referencesKey(a) === referencesKey(b);
}

/** Whether they differ in their references only, which honest providers do if one of them does not trace. */
export function isSameExceptReferences(a: Transfer, b: Transfer): boolean {
  return isSameTransferInBlock(a, b) && isSameBlock(a.block, b.block);
}

/** Whether two reports name the same block, and date it alike. */
export function isSameBlock(a: BlockRef, b: BlockRef): boolean {
  return a.hash === b.hash && a.time.getTime() === b.time.getTime();
}

/** One text for a set of references, in any order. */
export function referencesKey({ carried }: Pick<Transfer, 'carried'>): string {
  return carried
    .map((reference) => Buffer.from(reference).toString('hex'))
    .sort()
    .join(',');
}

/** Whether both would credit the same to the same wallet, whatever block or sender they name. */
export function isSameMoney(a: Transfer, b: Transfer): boolean {
  return a.index === b.index && a.asset === b.asset && a.to === b.to && a.amountUnits === b.amountUnits;
}
