import type { Context } from '../context.ts';
import type { Db } from '../platform/db/db.ts';

/** What pruning needs. Each batch is its own commit. */
export type PruneContext = Pick<Context, 'config' | 'db' | 'log'>;

/** Deletes one batch. Returns `more` if another one may remain. */
export type Batch = (ctx: PruneContext, now: Date) => Promise<'more' | 'done'>;

/** How rows of a table are deleted. */
export type Pruning =
  /** Deleted by age, batch by batch. `begin` starts a pass over the table. */
  | { by: 'batches'; begin: () => Batch }
  /** Dropped with the month of their recording (`webhooks/events/partition-store.ts`). */
  | { by: 'month' }
  /** Deleted with their parent row, of this table. */
  | { by: 'parent'; table: string }
  /** Deleted or replaced by the part that writes them. */
  | { by: 'writer' }
  /** Kept: records of money and of accounts. */
  | { by: 'nothing' };

/** Why a table cannot grow without limit. The operators' documentation shows these sentences. */
export interface TablePolicy {
  /** Who the rows belong to. */
  owner: string;
  /** How many rows there can be, and whose rows the limit counts. */
  budget: string;
  /** How long a row is kept. */
  expiry: string;
  pruning: Pruning;
}

/** Nothing deletes its rows. */
export const KEPT = { expiry: 'kept', pruning: { by: 'nothing' } } as const;

/** Rows per commit: few enough that locks are held only briefly. */
export const BATCH_SIZE = 1_000;

/** Pruning in independent batches. Done once a batch finds fewer rows than it may delete. */
export function batches(
  deleteBatch: (db: Db, now: Date, limit: number, ctx: PruneContext) => Promise<number>,
): Pruning {
  return {
    by: 'batches',
    begin: () => async (ctx, now) =>
      (await deleteBatch(ctx.db, now, BATCH_SIZE, ctx)) >= BATCH_SIZE ? 'more' : 'done',
  };
}
