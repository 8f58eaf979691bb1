import type { Context } from '../../../context.ts';
import type { Mail } from '../../../platform/mails/mail.ts';
import type { MailTimes } from '../../../platform/mails/queue-mail.ts';
import { HOUR_MS, later } from '../../../platform/time.ts';
import { type Outcome, shownError } from './delivery.ts';

export interface FailingEndpoint {
  id: string;
  url: string;
  livemode: boolean;
  /** Null for accounts that log in with a wallet. */
  email: string | null;
}

/** The mail at the fourth failure, and when the endpoint is disabled. */
export function failureMail(
  ctx: Context,
  endpoint: FailingEndpoint,
  outcome: Outcome,
  what: 'failing' | 'disabled',
): Mail {
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

export function mailTimes(outcome: Outcome): MailTimes {
  const now = outcome.attempted.endedAt;
  return { now, usefulUntil: later(now, 24 * HOUR_MS) };
}
