import { HOUR_MS } from '../../../platform/time.ts';
import { ProviderError } from '../rpc/errors.ts';
import type { FoundBlock } from '../rpc/block-at.ts';
import type { Provider } from '../rpc/provider.ts';
import { blockByNumber } from './calls.ts';
import { isMissingHistory } from './refusals.ts';
import type { Block } from './shapes.ts';
import { toBlockRef } from './transfers.ts';

/** Any node has these; one that lacks one is behind the node of its load balancer that named the newest block. */
const KEPT_BLOCKS = 128n;
const KEPT_MS = HOUR_MS;

/** A number, and its block if the provider has it. */
interface Place {
  number: bigint;
  block: Block | null;
}

/**
 * The last block at or before an instant; the first block if the instant is older than the chain. Searches backward from
 * the newest block, because many nodes have no old blocks: an instant minutes ago must not need one of years ago. If the
 * provider's history begins after the instant, its oldest block, and `reached` is false.
 */
export async function findBlockAt(
  { proven: provider }: Provider,
  time: Date,
  usualBlockMs: number | null,
): Promise<FoundBlock> {
  const newest = await provider.call(blockByNumber('latest'));
  if (!newest) throw new ProviderError(`${provider.name} has no newest block`);
  if (newest.time <= time) return { block: toBlockRef(newest), reached: true };

  const kept = newest.number - keptBlocks(usualBlockMs);
  // Invariant: all blocks from `high` on are after the instant; `low` is not, or the provider does not have it.
  let high = newest;
  let low: Place = { number: newest.number, block: newest };
  for (let back = 1n; low.block && low.block.time > time; back *= 4n) {
    high = low.block;
    if (high.number === 0n) return { block: toBlockRef(high), reached: true };
    low = await lookAt(provider, back < newest.number ? newest.number - back : 0n, kept);
  }
  for (let step = 0; high.number - low.number > 1n; step++) {
    const middle = await lookAt(provider, guess(low, high, time, step), kept);
    if (middle.block && middle.block.time > time) high = middle.block;
    else low = middle;
  }
  if (low.block) return { block: toBlockRef(low.block), reached: true };
  // Reading must not begin after money because one node of a load balancer lacked a block for a moment.
  if ((await lookAt(provider, low.number, kept)).block)
    throw new ProviderError(`${provider.name} had no block ${low.number} for a moment`);
  return { block: toBlockRef(high), reached: false };
}

function keptBlocks(usualBlockMs: number | null): bigint {
  const blocks = BigInt(Math.ceil(KEPT_MS / (usualBlockMs ?? KEPT_MS)));
  return blocks > KEPT_BLOCKS ? blocks : KEPT_BLOCKS;
}

/** Block times are steady, so a proportional guess lands close. Every other step bisects, for when it does not. */
function guess(low: Place, high: Block, time: Date, step: number): bigint {
  const span = high.number - low.number;
  if (step % 2 === 1 || !low.block) return low.number + span / 2n;
  const passedMs = BigInt(time.getTime() - low.block.time.getTime());
  const wholeMs = BigInt(Math.max(1, high.time.getTime() - low.block.time.getTime()));
  const number = low.number + (span * passedMs) / wholeMs;
  return number <= low.number ? low.number + 1n : number >= high.number ? high.number - 1n : number;
}

async function lookAt(provider: Provider, number: bigint, kept: bigint): Promise<Place> {
  const block = await provider.call(blockByNumber(number)).catch((error: unknown) => {
    if (!isMissingHistory(error)) throw error;
    return null;
  });
  if (!block && number > kept) throw new ProviderError(`${provider.name} has no block ${number}`);
  return { number, block };
}
