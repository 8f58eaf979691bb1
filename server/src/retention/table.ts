import type { Context } from '../context.ts';
import type { Db } from '../platform/db/db.ts';

/** What pruning needs. Each batch is a commit of its own. */
export type PruneContext = Pick<Context, 'config' | 'db' | 'log'>;

/** Deletes one batch. `more` if another one may be left behind it. */
export type Batch = (ctx: PruneContext, now: Date) => Promise<'more' | 'done'>;

/** How rows of a table end. */
export type Pruning =
  /** Deleted by age, batch by batch. `begin` starts a pass over the table. */
  | { by: 'batches'; begin: () => Batch }
  /** Dropped with the month they were recorded in (`webhooks/events/partition-store.ts`). */
  | { by: 'month' }
  /** Deleted with the row that they belong to, of this table. */
  | { by: 'parent'; table: string }
  /** Deleted or replaced by the part that writes them. */
  | { by: 'writer' }
  /** Kept: records of money and of accounts. */
  | { by: 'nothing' }
  /** Not used any more. The next release drops the table, so that the previous one can run beside this one. */
  | { by: 'next release' };

/** Why a table cannot grow without end. The sentences are the documentation of operators. */
export interface TablePolicy {
  /** Who the rows belong to. */
  owner: string;
  /** How many there can be, and who is limited. */
  budget: string;
  /** How long a row stays. */
  expiry: string;
  pruning: Pruning;
}

/** Rows per commit: few enough to hold locks for a moment only. */
export const BATCH_SIZE = 1_000;

/** A pruning of independent batches: done once one of them finds less than it may delete. */
export function batches(
  deleteBatch: (db: Db, now: Date, limit: number, ctx: PruneContext) => Promise<number>,
): Pruning {
  return {
    by: 'batches',
    begin: () => async (ctx, now) =>
      (await deleteBatch(ctx.db, now, BATCH_SIZE, ctx)) >= BATCH_SIZE ? 'more' : 'done',
  };
}
