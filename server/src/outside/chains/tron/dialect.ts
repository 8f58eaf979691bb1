import { type Dialect, eachObject, withoutFailedLogs } from '../rpc/dialect.ts';
import { MalformedAnswerError } from '../rpc/shapes.ts';

/** Tron's dialect of Ethereum's JSON-RPC. */
export const TRON: Dialect = {
  // A tag that it refuses.
  lacks: ({ params }) => params[0] === 'safe',
  translate: (result) =>
    eachObject(result, (raw) => {
      requireHeight(raw.hash, raw.number);
      requireHeight(raw.blockHash, raw.blockNumber);
      requireHeight(raw.parentHash, raw.number, 1n);
      // A transaction in no block has "0x" there.
      return withoutFailedLogs(raw.blockHash === '0x' ? { ...raw, blockHash: null, blockNumber: null } : raw);
    }),
};

const HEIGHT_DIGITS = 16;

/** A block's hash begins with its height, so an answer that mixes two blocks contradicts itself. */
function requireHeight(hash: unknown, number: unknown, below = 0n): void {
  if (typeof hash !== 'string' || typeof number !== 'string' || hash === '0x') return;
  if (!/^0x[0-9a-f]{1,16}$/i.test(number) || !/^0x[0-9a-f]{64}$/i.test(hash)) return;
  const height = BigInt(number) - below;
  // The first block has no parent.
  if (height >= 0n && BigInt(hash.slice(0, 2 + HEIGHT_DIGITS)) !== height)
    throw new MalformedAnswerError(`the hash ${hash} is not that of a block ${height}`);
}
