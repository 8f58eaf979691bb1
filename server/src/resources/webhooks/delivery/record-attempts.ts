import type { Context } from '../../../context.ts';
import { type AttemptResult, isDelivered, type Outcome } from './delivery.ts';
import { disableAfterDeadLetter, warnOfFailures } from './disable.ts';
import { observeAttempts } from './metrics.ts';
import { afterAttempt, WARN_AT_ATTEMPT } from './schedule.ts';
import { finishDeliveries } from './outcome-store.ts';

/**
 * Records these attempts. Skips deliveries that another worker has taken over. If an endpoint has used up its last
 * attempt, it is disabled in the same transaction.
 */
export async function recordAttempts(ctx: Context, list: readonly AttemptResult[]): Promise<Outcome[]> {
  if (list.length === 0) return [];
  const outcomes = list.map(
    (attempted): Outcome => ({
      attempted,
      ...afterAttempt(attempted.delivery, isDelivered(attempted), attempted.endedAt),
    }),
  );
  const failed = outcomes.filter((outcome) => !outcome.attempted.delivery.resume && !isDelivered(outcome.attempted));
  const exhausted = failed.filter((outcome) => outcome.isDeadLetter);
  const alarming = failed.filter((outcome) => outcome.attempts === WARN_AT_ATTEMPT);

  const recorded =
    exhausted.length === 0 && alarming.length === 0
      ? await finishDeliveries(ctx.db, outcomes)
      : await ctx.db.transaction(async (db) => {
          const ids = await finishDeliveries(db, outcomes);
          await warnOfFailures(
            ctx,
            db,
            alarming.filter((outcome) => ids.has(outcome.attempted.delivery.id)),
          );
          await disableAfterDeadLetter(
            ctx,
            db,
            exhausted.filter((outcome) => ids.has(outcome.attempted.delivery.id)),
          );
          return ids;
        });
  if (exhausted.length > 0 || alarming.length > 0) ctx.db.notify('mails');

  const written = outcomes.filter((outcome) => recorded.has(outcome.attempted.delivery.id));
  observeAttempts(written);
  return written;
}
