import type { Context } from '../../context.ts';
import type { Chain, Head, Watching } from '../../outside/chains/chain.ts';
import { DAY_MS, later, MINUTE_MS } from '../../platform/time.ts';
import { MAX_REORG_BLOCKS } from '../reading/cursor-store.ts';
import { isAloneForLong } from './single-provider.ts';
import { findDisappeared, findMarkedForRecheck, type StoredTransfer } from '../records/transfer-store.ts';
import { reportBack, reportDisappeared } from './report-disappeared.ts';

const TRANSFERS_AT_ONCE = 500;
/** Transfers that disappeared are checked for a day: most transactions of an orphaned block are mined again. */
const DISAPPEARED_AT_ONCE = 20;
const DISAPPEARED_EVERY_MS = 1 * MINUTE_MS;
const DISAPPEARED_FOR_MS = 1 * DAY_MS;

/** When a network last had no marked transfers. Another process may mark some, so this is valid for a minute. */
const noneMarkedAt = new WeakMap<Chain, Date>();
const NONE_MARKED_TTL_MS = 1 * MINUTE_MS;
const disappearedCheckedAt = new WeakMap<Chain, Date>();

/**
 * Checks final transfers again after a reorg deeper than their finality. A transfer that disappeared is reported and
 * changes no status. Transfers that no provider can verify now stay marked, so that any process can check them later.
 */
export async function recheckFinal(
  ctx: Context,
  chain: Chain,
  { watching, head, forkedAt }: { watching: Watching; head: Head; forkedAt: bigint | null },
): Promise<void> {
  const now = await ctx.db.now();
  await recheckDisappeared(ctx, chain, watching, { isForked: forkedAt !== null, now });
  const lookedAt = noneMarkedAt.get(chain);
  if (forkedAt === null && lookedAt && now.getTime() - lookedAt.getTime() < NONE_MARKED_TTL_MS) return;
  noneMarkedAt.delete(chain);
  const marked = await findMarkedForRecheck(ctx.db, chain.network, head.number - MAX_REORG_BLOCKS, TRANSFERS_AT_ONCE);
  const areChecked = await recheckAll(ctx, chain, watching, marked);
  if (areChecked && marked.length < TRANSFERS_AT_ONCE) noneMarkedAt.set(chain, now);
}

async function recheckDisappeared(
  ctx: Context,
  chain: Chain,
  watching: Watching,
  { isForked, now }: { isForked: boolean; now: Date },
): Promise<void> {
  const checkedAt = disappearedCheckedAt.get(chain);
  if (!isForked && checkedAt && now.getTime() - checkedAt.getTime() < DISAPPEARED_EVERY_MS) return;
  disappearedCheckedAt.set(chain, now);
  await recheckAll(
    ctx,
    chain,
    watching,
    await findDisappeared(ctx.db, chain.network, later(now, -DISAPPEARED_FOR_MS), DISAPPEARED_AT_ONCE),
  );
}

/** Returns whether every transfer got a verdict. */
async function recheckAll(
  ctx: Context,
  chain: Chain,
  watching: Watching,
  transfers: readonly StoredTransfer[],
): Promise<boolean> {
  let areChecked = true;
  for (const transfer of transfers) {
    try {
      areChecked =
        (await recheck(ctx, chain, transfer, {
          ...watching,
          addresses: new Set([...watching.addresses, transfer.to]),
        })) && areChecked;
    } catch (error) {
      areChecked = false;
      ctx.log.warn(
        { err: error, transferId: transfer.id, network: chain.network },
        'rechecking a final transfer failed: retrying',
      );
    }
  }
  return areChecked;
}

async function recheck(ctx: Context, chain: Chain, transfer: StoredTransfer, watching: Watching): Promise<boolean> {
  const verdict = await chain.check(transfer, watching);
  switch (verdict.type) {
    case 'stands':
      if (!isAloneForLong(verdict)) return false;
      return reportBack(ctx, transfer, verdict);
    case 'gone':
      return reportDisappeared(ctx, transfer);
    default:
      return false;
  }
}
