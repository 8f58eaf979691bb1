import type { FoundBlock } from '../rpc/block-at.ts';
import { ProviderError } from '../rpc/errors.ts';
import type { Provider } from '../rpc/provider.ts';
import { toSlot } from './shapes.ts';
import { newestSlot, requireBlock, slotsFrom } from './calls.ts';
import { toBlockRef } from './transfers.ts';

/**
 * The last finalized block at or before an instant. If the instant is older than the provider's ledger, its first
 * block, and `reached` is false unless the chain begins there.
 */
export async function findBlockAt({ proven: provider }: Provider, time: Date): Promise<FoundBlock> {
  const newest = await requireBlock(provider, await provider.call(newestSlot('finalized')), 'finalized');
  if (newest.time <= time) return { block: toBlockRef(newest), reached: true };
  let low = await blockFrom(
    provider,
    await provider.call({ method: 'getFirstAvailableBlock', params: [], parse: (value) => toSlot(value, 'slot') }),
  );
  if (low.time > time) return { block: toBlockRef(low), reached: low.parentSlot === 0n };

  // Invariant: `low` is not after the instant, and all blocks from `high` on are.
  let high = { slot: newest.slot, time: newest.time };
  for (let step = 0; high.slot - low.slot > 1n; step++) {
    const span = high.slot - low.slot;
    const guess =
      step % 2 === 0
        ? low.slot +
          (span * BigInt(time.getTime() - low.time.getTime())) /
            BigInt(Math.max(1, high.time.getTime() - low.time.getTime()))
        : low.slot + span / 2n;
    const slot = guess <= low.slot ? low.slot + 1n : guess >= high.slot ? high.slot - 1n : guess;
    const block = await blockFrom(provider, slot);
    // Slots without a block cannot be a result, so the search continues below them.
    if (block.slot >= high.slot || block.time > time) high = { slot, time: high.time };
    else low = block;
  }
  return { block: toBlockRef(low), reached: true };
}

/** The block of a slot, or of the next slot that has one. */
async function blockFrom(provider: Provider, slot: bigint) {
  const [first] = await provider.call(slotsFrom(slot, 1, 'finalized'));
  if (first === undefined) throw new ProviderError(`${provider.name} has no block from slot ${slot} on`);
  return requireBlock(provider, first, 'finalized');
}
