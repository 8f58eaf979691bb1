import type { Context } from '../../../context.ts';
import type { Db } from '../../../platform/db/db.ts';
import { queueMail, type MailTimes, type Mail } from '../../../platform/mails/queue-mail.ts';
import { DAY_MS, later, HOUR_MS } from '../../../platform/time.ts';
import { countDeadLetters, disableEndpoint, type FailingEndpoint, markWarned } from './endpoint-state-store.ts';
import { countDisabled } from './metrics.ts';
import { parkDeliveries } from './parking-store.ts';
import { type Outcome, shownError } from './delivery.ts';

// Each mail is caused by failures, which the test clock makes in a second: a flood would delay everyone's mails.
const MAX_WARNINGS_PER_DAY = 20;
/** About as many as disable twenty endpoints twice. Beyond them, an endpoint is disabled without a mail. */
const MAX_DEAD_LETTERS_PER_DAY = 100;

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
    const since = later(outcome.attempted.endedAt, -DAY_MS);
    const lost = await countDeadLetters(db, endpointId, since, MAX_DEAD_LETTERS_PER_DAY + 1);
    if (lost > MAX_DEAD_LETTERS_PER_DAY) continue;
    await queueMail(db, ctx.secrets, failureMail(ctx, endpoint, outcome, 'disabled'), mailTimes(outcome));
  }
}

/** Notifies merchants that their endpoint keeps failing, once in 24 hours. */
export async function warnOfFailures(ctx: Context, db: Db, outcomes: readonly Outcome[]): Promise<void> {
  for (const [endpointId, outcome] of lastOfEach(outcomes)) {
    const at = outcome.attempted.endedAt;
    const limits = { at, since: later(at, -DAY_MS), maxWarned: MAX_WARNINGS_PER_DAY };
    const [endpoint] = await markWarned(db, endpointId, limits);
    if (!endpoint || endpoint.email === null) continue;
    await queueMail(db, ctx.secrets, failureMail(ctx, endpoint, outcome, 'failing'), mailTimes(outcome));
  }
}

/** In the order of ids, so that two workers never deadlock. */
function lastOfEach(outcomes: readonly Outcome[]): [string, Outcome][] {
  const byEndpoint = new Map(outcomes.map((outcome) => [outcome.attempted.delivery.endpointId, outcome]));
  return [...byEndpoint].sort(([one], [other]) => (one < other ? -1 : 1));
}

/** The mail at the fourth failure, and when the endpoint is disabled. */
function failureMail(ctx: Context, endpoint: FailingEndpoint, outcome: Outcome, what: 'failing' | 'disabled'): Mail {
  const { answer, delivery } = outcome.attempted;
  const answerText =
    answer.status === null
      ? `no response (${shownError(answer.error)?.replaceAll('_', ' ')})`
      : `HTTP ${answer.status}`;
  const consequence =
    what === 'disabled'
      ? `All six delivery attempts failed, so the endpoint was disabled. Its events are kept: enable the endpoint once it works again,
and the pending events are sent.`
      : `There will be two more attempts within about eight hours. If both fail, the endpoint is disabled.`;
  return {
    to: endpoint.email ?? '',
    subject:
      what === 'disabled' ? 'Your webhook endpoint was disabled' : 'Action needed: your webhook endpoint is failing',
    text: `An event could not be delivered to one of your webhook endpoints${endpoint.livemode ? '' : ' (test mode)'}.

Endpoint: ${endpoint.url}
Id:       ${endpoint.id}
Event:    ${delivery.eventId}
Attempt:  ${outcome.attempts} of 6, ${answerText}

${consequence}

View delivery attempts: ${ctx.config.publicUrl}/dashboard
`,
  };
}

function mailTimes(outcome: Outcome): MailTimes {
  const now = outcome.attempted.endedAt;
  return { now, usefulUntil: later(now, 24 * HOUR_MS) };
}
