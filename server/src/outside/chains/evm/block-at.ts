import type { BlockRef } from '../chain.ts';
import { ProviderError } from '../rpc/errors.ts';
import type { Provider } from '../rpc/provider.ts';
import { blockByNumber } from './calls.ts';
import type { Block } from './shapes.ts';
import { toBlockRef } from './transfers.ts';

/** The last block at or before an instant; the first block if the instant is older than the chain. */
export async function findBlockAt(provider: Provider, time: Date): Promise<BlockRef> {
  let [low, high] = await Promise.all([get(provider, 0n), get(provider, 'latest')]);
  if (high.time <= time) return toBlockRef(high);
  if (low.time > time) return toBlockRef(low);

  // Block times are steady, so a proportional guess lands close. Every other step bisects, for when it does not.
  for (let step = 0; high.number - low.number > 1n; step++) {
    const span = high.number - low.number;
    const passedMs = BigInt(time.getTime() - low.time.getTime());
    const wholeMs = BigInt(Math.max(1, high.time.getTime() - low.time.getTime()));
    const guess = step % 2 === 0 ? low.number + (span * passedMs) / wholeMs : low.number + span / 2n;
    const number = guess <= low.number ? low.number + 1n : guess >= high.number ? high.number - 1n : guess;
    const middle = await get(provider, number);
    if (middle.time <= time) low = middle;
    else high = middle;
  }
  return toBlockRef(low);
}

async function get(provider: Provider, number: bigint | 'latest'): Promise<Block> {
  const block = await provider.proven.call(blockByNumber(number));
  if (!block) throw new ProviderError(`${provider.name} has no block ${number}`);
  return block;
}
