import type { Logger } from 'pino';
import type { Database } from '../platform/db/db.ts';
import { DAY_MS, later } from '../platform/time.ts';
import {
  type Candidate,
  deleteCheckouts,
  lockUnpaid,
  lockUnstarted,
} from '../resources/checkout-sessions/unpaid-store.ts';
import { type Batch, BATCH_SIZE } from './table.ts';

/** A payout wallet is watched for 31 days after a session's end; until then late money must find its checkout. */
export const MIN_CHECKOUT_DAYS = 32;
export const UNPAID_DAYS = 365;

/**
 * First payments that were never started, then those that were never paid; each from the oldest on, past everything
 * that is kept.
 */
export function unpaidCheckouts(): Batch {
  let started = false;
  let after: Place = FIRST_PLACE;
  return async (ctx, now) => {
    const days = started ? UNPAID_DAYS : Math.max(ctx.config.retentionDays, MIN_CHECKOUT_DAYS);
    const next = await deleteUnpaid(ctx, { started, before: later(now, -days * DAY_MS), after, limit: BATCH_SIZE });
    if (next === undefined && started) return 'done';
    if (next === undefined) started = true;
    after = next ?? FIRST_PLACE;
    return 'more';
  };
}

/** The position of a pass over the ended checkouts. */
interface Place {
  expiresAt: Date;
  id: string;
}

const FIRST_PLACE: Place = { expiresAt: new Date(0), id: '' };

/**
 * Deletes a batch of checkouts that expired before an instant and never had money, with everything that belongs to
 * them. Returns where the next batch begins; undefined after the last one. Skips rows that are kept or locked, so that
 * they do not block the rows behind them.
 */
async function deleteUnpaid(
  { db, log }: { db: Database; log: Logger },
  { started, before, after, limit }: { started: boolean; before: Date; after: Place; limit: number },
): Promise<Place | undefined> {
  let batch: Candidate[] = [];
  try {
    await db.transaction(async (own) => {
      batch = await (started ? lockUnpaid : lockUnstarted)(own, [before, after.expiresAt, after.id, limit]);
      // A separate statement sees everything that was written before the rows were locked.
      await deleteCheckouts(
        own,
        batch.map(({ id }) => id),
      );
    });
  } catch (error) {
    // A row that this release does not know refers to one of them, so they are kept without blocking the rows behind
    // them.
    if ((error as { code?: unknown }).code !== FOREIGN_KEY_VIOLATION) throw error;
    log.error(
      { err: error, checkouts: batch.length },
      'unpaid checkouts not deleted: an unknown row refers to one of them',
    );
  }
  const last = batch.at(-1);
  return last && batch.length === limit ? { expiresAt: last.expiresAt, id: last.id } : undefined;
}

const FOREIGN_KEY_VIOLATION = '23503';
