import type { Context } from '../../context.ts';
import type { Chain, Head } from '../../outside/chains/chain.ts';
import { dropTransfer } from '../outcome/settle.ts';
import { storeTransfers } from '../records/transfer-store.ts';
import { finalizeTransfersIn, findOpenBlocks, findTransfersIn, type OpenBlock } from '../records/unverified-store.ts';
import { finalBlock, finalityRule, LARGE_USD_MINOR } from './finality.ts';

/** Blocks that one turn asks for, and vanished transfers that it looks up. */
const MAX_BLOCKS = 50;
const MAX_VANISHED = 20;
const BLOCKS_AT_ONCE = 8;

/**
 * Makes final what belongs to no payment: one question per block and none per transfer, so that a flood of worthless
 * transfers costs next to nothing. Nothing is paid by it: whoever assigns such a transfer has it verified by itself.
 */
export async function finalizeBlocks(ctx: Context, chain: Chain, head: Head): Promise<void> {
  const { network } = chain;
  const rule = finalityRule(network, LARGE_USD_MINOR, ctx.config.networks[network].confirmations);
  const upTo = finalBlock(rule, head);
  const open = await findOpenBlocks(ctx.db, network, { after: -1n, upTo }, MAX_BLOCKS);
  if (open.length === 0) return;

  const canonical = await findCanonical(chain, [...new Set(open.map((block) => block.number))]);
  const standing = open.filter((block) => canonical.get(block.number) === block.hash);
  const vanished = open.filter((block) => canonical.has(block.number) && canonical.get(block.number) !== block.hash);
  if (standing.length > 0) await finalizeTransfersIn(ctx.db, network, standing, await ctx.db.now());
  if (vanished.length > 0) await lookUpVanished(ctx, chain, vanished);
}

/** The hashes that the chain has at these numbers; a number that no provider can tell about is left out. */
async function findCanonical(chain: Chain, numbers: readonly bigint[]): Promise<Map<bigint, string>> {
  const found = new Map<bigint, string>();
  for (let start = 0; start < numbers.length; start += BLOCKS_AT_ONCE) {
    const some = numbers.slice(start, start + BLOCKS_AT_ONCE);
    const blocks = await Promise.all(some.map((number) => chain.block(number)));
    for (const block of blocks) if (block) found.set(block.number, block.hash);
  }
  return found;
}

/** The reader brings back what a reorganisation moved. What nobody has any more is dropped. */
async function lookUpVanished(ctx: Context, chain: Chain, blocks: readonly OpenBlock[]): Promise<void> {
  for (const transfer of await findTransfersIn(ctx.db, chain.network, blocks, MAX_VANISHED)) {
    const watching = { addresses: new Set([transfer.to]) };
    const verdict = await chain.check(transfer, watching);
    // Its transaction may have come back and move something else, in blocks that have been read already.
    const instead = verdict.type === 'gone' ? verdict.instead ?? (await chain.transaction(transfer.txHash, watching))?.transfers ?? [] : [];
    const now = await ctx.db.now();
    if (verdict.type === 'stands') await ctx.db.transaction((db) => storeTransfers(db, true, [verdict.transfer], now));
    if (verdict.type !== 'gone') continue;
    await ctx.db.transaction(async (db) => {
      await dropTransfer(ctx, db, transfer, { gone: now }, { created: now, recorded: now });
      await storeTransfers(db, true, instead, now);
    });
  }
}
