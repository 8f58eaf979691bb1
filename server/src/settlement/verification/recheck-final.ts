import type { Context } from '../../context.ts';
import type { Chain, Head, Verdict, Watching } from '../../outside/chains/chain.ts';
import { isSameBlock } from '../../outside/chains/pure/version.ts';
import { failures } from '../../platform/metrics.ts';
import { DAY_MS, HOUR_MS, later, MINUTE_MS, SECOND_MS } from '../../platform/time.ts';
import { MAX_REORG_BLOCKS } from '../reading/cursor-store.ts';
import {
  findDisappeared,
  findMarkedForRecheck,
  noteAsked,
  postponeRecheck,
  type RecheckedTransfer,
  reopenMarked,
} from '../records/rechecked-store.ts';
import type { StoredTransfer } from '../records/transfer-store.ts';
import { type FinalityRule, finalityRule, LARGE_USD_MINOR } from './finality.ts';
import { reportBack, reportDisappeared } from './report-disappeared.ts';
import { checkTransaction, runTurn } from './run-turn.ts';
import { isAgreed, isAloneForLong } from './single-provider.ts';
import type { Rechecks } from './rounds.ts';
import { Spending } from './turn.ts';

/** Items per turn, and the duration of a turn: an own share, so that neither due payments nor these wait for the other. */
const MAX_ITEMS = 100;
const MAX_TURN_MS = 2 * SECOND_MS;
/** Loaded per turn. Undecided ones wait behind the others, and this long. */
const MARKED_AT_ONCE = 500;
const UNDECIDED_FOR_MS = 30 * SECOND_MS;
/** Many providers do not keep what is deeper than a reorg, so those that are stay undecided for long. */
const DEEP_UNDECIDED_FOR_MS = 1 * HOUR_MS;
/**
 * Transfers that disappeared are checked each minute for a day, because most transactions of an orphaned block are mined
 * again; and then each hour, because the service or its providers may have been away when they were.
 */
const DISAPPEARED_AT_ONCE = 500;
const DISAPPEARED_EVERY_MS = 1 * MINUTE_MS;
const DISAPPEARED_OFTEN_FOR_MS = 1 * DAY_MS;
const DISAPPEARED_RARELY_EVERY_MS = 1 * HOUR_MS;

/** When a network last had no marked transfers. Another process may mark some, so this is valid for a minute. */
const NONE_MARKED_TTL_MS = 1 * MINUTE_MS;

/**
 * Opens final transfers again that a reorg has put in doubt, and whose money no status has counted. Before anything is
 * settled in this turn, because a payment takes them for final.
 */
export async function reopenUncounted(
  { db }: Context,
  { network }: Chain,
  forkedAt: bigint | null,
  rechecks: Rechecks,
): Promise<void> {
  if (!mayBeMarked(rechecks, forkedAt, await db.now())) return;
  await reopenMarked(db, network);
}

function mayBeMarked({ noneMarkedAt }: Rechecks, forkedAt: bigint | null, now: Date): boolean {
  return forkedAt !== null || isOlderThan(noneMarkedAt, NONE_MARKED_TTL_MS, now);
}

function isOlderThan(at: Date | null, ms: number, now: Date): boolean {
  return !at || now.getTime() - at.getTime() >= ms;
}

/**
 * Checks final transfers again after a reorg deeper than their finality. A transfer that disappeared is reported and
 * changes no status. Transfers that no provider can verify now stay marked, so that any process can check them later.
 */
export async function recheckFinal(
  ctx: Context,
  chain: Chain,
  { watching, head, forkedAt }: { watching: Watching; head: Head; forkedAt: bigint | null },
  rechecks: Rechecks,
): Promise<void> {
  const deadlineMs = performance.now() + MAX_TURN_MS;
  const now = await ctx.db.now();

  const due = new Map<string, RecheckedTransfer & { rule?: FinalityRule }>();
  if (mayBeMarked(rechecks, forkedAt, now)) {
    const marked = await findMarkedForRecheck(
      ctx.db,
      chain.network,
      {
        deep: head.number - MAX_REORG_BLOCKS,
        postponedUntil: later(now, -UNDECIDED_FOR_MS),
        deepPostponedUntil: later(now, -DEEP_UNDECIDED_FOR_MS),
      },
      MARKED_AT_ONCE,
    );
    rechecks.noneMarkedAt = marked.length === 0 ? now : null;
    for (const one of marked) due.set(one.transfer.id, one);
  }
  const areDisappearedDue = forkedAt !== null || isOlderThan(rechecks.disappearedCheckedAt, DISAPPEARED_EVERY_MS, now);
  if (areDisappearedDue) {
    const disappeared = await findDisappeared(
      ctx.db,
      chain.network,
      {
        recent: later(now, -DISAPPEARED_OFTEN_FOR_MS),
        // Half of it, because a turn that asks about them takes a while.
        askedUntil: later(now, -DISAPPEARED_EVERY_MS / 2),
        rarelyAskedUntil: later(now, -DISAPPEARED_RARELY_EVERY_MS),
      },
      DISAPPEARED_AT_ONCE,
    );
    // One that is back has to be final again, by the chain's own tags if those made it final.
    const rule = finalityRule(chain.network, LARGE_USD_MINOR, ctx.config.networks[chain.network].confirmations);
    for (const one of disappeared) due.set(one.transfer.id, { ...one, rule });
  }

  const spending = new Spending();
  const turn = { maxItems: MAX_ITEMS, deadlineMs, position: rechecks.position, spending };
  const served = await runTurn([...due.values()], turn, {
    check: (item) => checkTransaction(chain, watching, item, spending),
    async apply({ transfer }, verdict) {
      if (!(await applyRecheck(ctx, transfer, verdict))) await postponeRecheck(ctx.db, transfer.id, now);
      if (transfer.evidence.goneAfterFinal !== undefined) await noteAsked(ctx.db, transfer.id, now);
    },
    failed: async ({ transfer }, error) => {
      failures.inc({ job: `verify ${chain.network}` });
      ctx.log.warn(
        { err: error, transferId: transfer.id, network: chain.network },
        'rechecking a final transfer failed: retrying',
      );
    },
  });
  // Otherwise the next turn continues the round.
  if (areDisappearedDue && served === due.size) rechecks.disappearedCheckedAt = now;
}

/** Returns whether the transfer got a verdict. */
async function applyRecheck(ctx: Context, transfer: StoredTransfer, verdict: Verdict): Promise<boolean> {
  switch (verdict.type) {
    case 'stands':
      if (!isAloneForLong(verdict)) return false;
      if (!isAgreed(verdict) && !isSameBlock(verdict.transfer.block, transfer.block)) return false;
      return reportBack(ctx, transfer, verdict);
    case 'gone':
      return reportDisappeared(ctx, transfer);
    default:
      return false;
  }
}
