import type { Context } from '../../context.ts';
import type { Chain, Head } from '../../outside/chains/chain.ts';
import { byQuorum } from './correct-transfer.ts';
import { storeTransfers } from '../records/seen-transfer-store.ts';
import { finalizeTransfersIn, findOpenBlocks, findTransfersIn, type OpenBlock } from '../records/unverified-store.ts';
import { withCredited } from './credited-store.ts';
import { dropVanished } from './drop-vanished.ts';
import { finalBlock, finalityRule, LARGE_USD_MINOR } from './finality.ts';
import { isAgreed } from './single-provider.ts';

/** Blocks checked and vanished transfers looked up per turn. */
const MAX_BLOCKS = 50;
const MAX_VANISHED = 20;
const BLOCKS_AT_ONCE = 8;

/**
 * Finalizes unattributed transfers: one question per block and none per transfer, so that a flood of worthless
 * transfers costs almost nothing. A block says nothing about transfers that only one provider reported: the quorum
 * decides about those (`decide-reports.ts`). No payment depends on this: a transfer that is assigned later is verified
 * itself first.
 */
export async function finalizeBlocks(ctx: Context, chain: Chain, head: Head): Promise<void> {
  const { network } = chain;
  const rule = finalityRule(network, LARGE_USD_MINOR, ctx.config.networks[network].confirmations);
  const upTo = finalBlock(rule, head);
  const open = await findOpenBlocks(ctx.db, network, { after: -1n, upTo }, MAX_BLOCKS);
  if (open.length === 0) return;

  const canonical = await findCanonical(chain, [...new Set(open.map((block) => block.number))]);
  const canonicalBlocks = open.filter((block) => canonical.get(block.number) === block.hash);
  const vanished = open.filter((block) => canonical.has(block.number) && canonical.get(block.number) !== block.hash);
  if (canonicalBlocks.length > 0) await finalizeTransfersIn(ctx.db, network, canonicalBlocks, await ctx.db.now());
  if (vanished.length > 0) await resolveVanished(ctx, chain, vanished);
}

/** The canonical hashes at these numbers. A number that no provider can answer is left out. */
async function findCanonical(chain: Chain, numbers: readonly bigint[]): Promise<Map<bigint, string>> {
  const found = new Map<bigint, string>();
  for (let start = 0; start < numbers.length; start += BLOCKS_AT_ONCE) {
    const some = numbers.slice(start, start + BLOCKS_AT_ONCE);
    const blocks = await Promise.all(some.map((number) => chain.block(number)));
    for (const block of blocks) if (block) found.set(block.number, block.hash);
  }
  return found;
}

/**
 * The reader restores transfers that a reorg moved. Transfers that no provider has any more are dropped. What one of two
 * providers says alone moves nothing.
 */
async function resolveVanished(ctx: Context, chain: Chain, blocks: readonly OpenBlock[]): Promise<void> {
  for (const transfer of await findTransfersIn(ctx.db, chain.network, blocks, MAX_VANISHED)) {
    const verdict = await chain.check(transfer, withCredited(ctx.db, { addresses: new Set([transfer.to]) }));
    const now = await ctx.db.now();
    if (verdict.type === 'stands' && isAgreed(verdict))
      await ctx.db.transaction((db) => storeTransfers(db, byQuorum(true, verdict), now));
    if (verdict.type === 'gone') await dropVanished(ctx, chain, transfer, verdict);
  }
}
