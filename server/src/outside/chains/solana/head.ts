import type { Head } from '../chain.ts';
import { ProviderError } from '../rpc/errors.ts';
import type { Provider } from '../rpc/provider.ts';
import { findBlock, newestSlot, slotsBetween } from './calls.ts';
import { toBlockRef } from './transfers.ts';

// A node may report a slot shortly before it can return its block.
const BLOCKS_BACK = 32n;

/** The newest confirmed block as one provider reports it, with its finalized slot. */
export async function readHead(provider: Provider): Promise<Head> {
  const [confirmed, finalized] = await provider.batch([newestSlot('confirmed'), newestSlot('finalized')] as const);
  // The last request proves the chain for both: public nodes count the calls of each method.
  const block = await newestBlock(provider.proven, confirmed);
  return { ...toBlockRef(block), safe: null, finalized: finalized < block.slot ? finalized : block.slot };
}

async function newestBlock(provider: Provider, slot: bigint) {
  const newest = await findBlock(provider, slot);
  if (newest !== null && newest !== 'skipped') return newest;
  const slots = await provider.call(slotsBetween(slot > BLOCKS_BACK ? slot - BLOCKS_BACK : 0n, slot, 'confirmed'));
  for (const earlier of slots
    .filter((one) => one < slot)
    .toReversed()
    .slice(0, 4)) {
    const block = await findBlock(provider, earlier);
    if (block !== null && block !== 'skipped') return block;
  }
  throw new ProviderError(`${provider.name} reports slot ${slot} and has no block near it`);
}
