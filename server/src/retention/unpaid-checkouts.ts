import { DAY_MS, later } from '../platform/time.ts';
import { deleteUnpaid, FIRST_PLACE, type Place } from '../resources/checkout-sessions/delete-unpaid.ts';
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
