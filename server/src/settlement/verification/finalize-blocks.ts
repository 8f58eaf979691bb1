import type { Context } from '../../context.ts';
import type { Chain, Head } from '../../outside/chains/chain.ts';
import { TemporaryError } from '../../platform/errors.ts';
import type { StoredTransfer } from '../records/transfer-store.ts';
import { finalizeTransfersIn, findOpenBlocks, findTransfersIn, type OpenBlock } from '../records/unverified-store.ts';
import { storeMoved } from './correct-transfer.ts';
import { withCredited } from './credited-store.ts';
import { dropVanished } from './drop-vanished.ts';
import { finalBlock, finalityRule, LARGE_USD_MINOR } from './finality.ts';
import { recordFailed } from './hold-transfer.ts';
import type { Rounds } from './rounds.ts';
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
export async function finalizeBlocks(
  ctx: Context,
  chain: Chain,
  head: Head,
  position: Rounds['blocks'],
): Promise<void> {
  const { network } = chain;
  const rule = finalityRule(network, LARGE_USD_MINOR, ctx.config.networks[network].confirmations);
  const upTo = finalBlock(rule, head);
  const open = await findOpenBlocks(ctx.db, network, { after: position.after, upTo }, MAX_BLOCKS);
  const { canonical, failedAt } = await findCanonical(chain, [...new Set(open.map((block) => block.number))]);
  // What stays open is asked about again in the next round, so that it keeps no later block from its turn.
  position.after = failedAt ?? (open.length === MAX_BLOCKS ? open.at(-1)?.number : undefined) ?? -1n;
  if (failedAt !== undefined)
    ctx.log.info({ network, upTo: failedAt.toString() }, 'blocks not final yet: no provider serves some of them');

  const canonicalBlocks = open.filter((block) => canonical.get(block.number) === block.hash);
  const vanished = open.filter((block) => canonical.has(block.number) && canonical.get(block.number) !== block.hash);
  if (canonicalBlocks.length > 0) await finalizeTransfersIn(ctx.db, network, canonicalBlocks, await ctx.db.now());
  if (vanished.length > 0) await resolveVanished(ctx, chain, vanished);
}

/**
 * The canonical hashes at these numbers. A number that no provider can answer is left out. Ends after the blocks asked at
 * once of which one failed, up to `failedAt`: its providers pause, and in an outage the others would fail too.
 */
async function findCanonical(
  chain: Chain,
  numbers: readonly bigint[],
): Promise<{ canonical: Map<bigint, string>; failedAt?: bigint | undefined }> {
  const canonical = new Map<bigint, string>();
  for (let start = 0; start < numbers.length; start += BLOCKS_AT_ONCE) {
    const some = numbers.slice(start, start + BLOCKS_AT_ONCE);
    let hasFailed = false;
    const ask = (number: bigint) =>
      chain.block(number).catch((error: unknown) => {
        if (!(error instanceof TemporaryError)) throw error;
        hasFailed = true;
      });
    for (const block of await Promise.all(some.map(ask))) if (block) canonical.set(block.number, block.hash);
    if (hasFailed) return { canonical, failedAt: some.at(-1) };
  }
  return { canonical };
}

/**
 * The reader restores transfers that a reorg moved. Transfers that no provider has any more are dropped. What one of two
 * providers says alone moves nothing.
 */
async function resolveVanished(ctx: Context, chain: Chain, blocks: readonly OpenBlock[]): Promise<void> {
  for (const transfer of await findTransfersIn(ctx.db, chain.network, blocks, MAX_VANISHED))
    try {
      await resolve(ctx, chain, transfer);
    } catch (error) {
      // What providers say of one keeps no other one from its turn.
      await recordFailed(ctx, transfer, error);
    }
}

async function resolve(ctx: Context, chain: Chain, transfer: StoredTransfer): Promise<void> {
  const verdict = await chain.check(transfer, withCredited(ctx.db, { addresses: new Set([transfer.to]) }));
  const now = await ctx.db.now();
  if (verdict.type === 'stands' && isAgreed(verdict))
    await ctx.db.transaction((db) => storeMoved(db, transfer, verdict, now));
  if (verdict.type === 'gone') await dropVanished(ctx, chain, transfer, verdict);
}
