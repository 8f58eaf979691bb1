import type { Context } from '../../context.ts';
import { TemporaryError } from '../../platform/errors.ts';
import { failures } from '../../platform/metrics.ts';
import { createLookCaches, type Finding, type LookCaches, lookUp } from './look-up.ts';
import type { Outgoing } from './outgoing.ts';
import type { DueTurn } from './store.ts';

const AT_ONCE = 20;

/** What refunds and payouts do differently. */
interface DueWork<One extends Outgoing> {
  lease(turn: DueTurn): Promise<One[]>;
  /** The time of one that was not sent has come. */
  end(one: One, now: Date): Promise<void>;
  /** An older transfer moved something else; undefined if there is nothing to look for. */
  notBefore(one: One): Promise<Date | undefined>;
  apply(one: One, finding: Finding, now: Date): Promise<void>;
}

/**
 * Looks those up on the chain whose time has come. Looks cost calls to RPC providers that all accounts share, so those of
 * a turn share the answers, and an account that has used up its looks is not leased: that would postpone what is due.
 */
export async function lookAtDue<One extends Outgoing>(ctx: Context, work: DueWork<One>): Promise<'more' | 'idle'> {
  const now = await ctx.db.now();
  const due = await work.lease({ now, limit: AT_ONCE, without: ctx.lookBudget.usedUp(now) });
  ctx.lookBudget.spend(due.filter(isSent));
  const caches = new Map(due.map(({ network }) => [network, createLookCaches()]));
  // One after the other where several may be made by the same transfers.
  const alike = Map.groupBy(due, ({ network, txHash, toAddress }) => `${network} ${txHash} ${toAddress}`);
  await Promise.all(
    [...alike.values()].map(async (some) => {
      for (const one of some) await tryToLookAt(ctx, work, one, { now, caches: caches.get(one.network) as LookCaches });
    }),
  );
  return due.length === AT_ONCE ? 'more' : 'idle';
}

async function tryToLookAt<One extends Outgoing>(
  ctx: Context,
  work: DueWork<One>,
  one: One,
  { now, caches }: { now: Date; caches: LookCaches },
): Promise<void> {
  try {
    if (!isSent(one)) return await work.end(one, now);
    const notBefore = await work.notBefore(one);
    // The look may have taken long, and events are recorded with the time of their commit.
    if (notBefore) await work.apply(one, await lookUp(ctx, one, notBefore, caches), await ctx.db.now());
  } catch (error) {
    const level = error instanceof TemporaryError ? 'warn' : 'error';
    if (level === 'error') failures.inc({ job: 'outgoing transfers' });
    const { id: outgoingTransferId, network } = one;
    ctx.log[level]({ err: error, outgoingTransferId, network }, 'outgoing transfer look-up failed: retrying');
  }
}

const isSent = ({ status }: Outgoing): boolean => status === 'sent';
