import { setTimeout as pause } from 'node:timers/promises';
import type { Job } from '../job.ts';
import { failures } from '../platform/metrics.ts';
import { MINUTE_MS } from '../platform/time.ts';
import type { Batch, PruneContext, TablePolicy } from './table.ts';
import { TABLES } from './tables.ts';

/**
 * Deletes expired rows of every table with a policy. The exact time does not matter, because every look-up checks
 * expiry itself.
 */
export const pruneJob: Job = {
  name: 'pruning',
  everyMs: MINUTE_MS,
  async run(ctx, signal) {
    await prune(ctx, signal);
    return 'idle';
  },
};

/**
 * One pass over all tables: a batch of each in turn, so that a table with millions of old rows delays no other one. A
 * pause as long as the batch follows it, so that pruning takes at most half of one connection. A table that fails waits
 * for the next pass.
 */
export async function prune(
  ctx: PruneContext,
  signal: AbortSignal,
  tables: Readonly<Record<string, TablePolicy>> = TABLES,
): Promise<void> {
  const now = await ctx.db.now();
  let open = Object.entries(tables).flatMap(([table, { pruning }]): [string, Batch][] =>
    pruning.by === 'batches' ? [[table, pruning.begin()]] : [],
  );
  while (open.length > 0 && !signal.aborted) {
    const unfinished: typeof open = [];
    for (const [table, batch] of open) {
      if (signal.aborted) return;
      const startedAt = performance.now();
      if (!(await isUnfinished(ctx, table, batch, now))) continue;
      unfinished.push([table, batch]);
      await pause(performance.now() - startedAt, undefined, { signal }).catch(() => {});
    }
    open = unfinished;
  }
}

async function isUnfinished(ctx: PruneContext, table: string, batch: Batch, now: Date): Promise<boolean> {
  try {
    return (await batch(ctx, now)) === 'more';
  } catch (error) {
    failures.inc({ job: pruneJob.name });
    ctx.log.error({ err: error, table }, 'table pruning failed: retrying');
    return false;
  }
}
