import type { Context } from '../../../context.ts';
import type { Db } from '../../../platform/db/db.ts';
import { queueMail } from '../../../platform/mails/queue-mail.ts';
import { disableEndpoint, markWarned } from './endpoint-state-store.ts';
import { countDisabled } from './metrics.ts';
import { failureMail, mailTimes } from './failure-mail.ts';
import { parkDeliveries } from './parking-store.ts';
import type { Outcome } from './delivery.ts';

/**
 * Disables the endpoints whose last attempt has failed, parks their pending deliveries, and notifies their merchants.
 */
export async function disableAfterDeadLetter(ctx: Context, db: Db, outcomes: readonly Outcome[]): Promise<void> {
  for (const [endpointId, outcome] of lastOfEach(outcomes)) {
    const [endpoint] = await disableEndpoint(db, endpointId, outcome.attempted.endedAt);
    if (!endpoint) continue;
    const parked = await parkDeliveries(db, endpointId);
    countDisabled();
    ctx.log.warn({ endpointId, parked }, 'webhook endpoint disabled after its last failed attempt');
    if (endpoint.email === null) continue;
    await queueMail(db, ctx.secrets, failureMail(ctx, endpoint, outcome, 'disabled'), mailTimes(outcome));
  }
}

/** Notifies merchants that their endpoint keeps failing, once until it is healthy again. */
export async function warnOfFailures(ctx: Context, db: Db, outcomes: readonly Outcome[]): Promise<void> {
  for (const [endpointId, outcome] of lastOfEach(outcomes)) {
    const [endpoint] = await markWarned(db, endpointId, outcome.attempted.endedAt);
    if (!endpoint || endpoint.email === null) continue;
    await queueMail(db, ctx.secrets, failureMail(ctx, endpoint, outcome, 'failing'), mailTimes(outcome));
  }
}

/** In the order of ids, so that two workers never deadlock. */
function lastOfEach(outcomes: readonly Outcome[]): [string, Outcome][] {
  const byEndpoint = new Map(outcomes.map((outcome) => [outcome.attempted.delivery.endpointId, outcome]));
  return [...byEndpoint].sort(([one], [other]) => (one < other ? -1 : 1));
}
