import { RETRY_DELAYS_MINUTES } from '@quittance/contract';
import { later, MINUTE_MS } from '../../../platform/time.ts';

/** Delays before attempts 2 to 6, each from the end of the previous attempt. */
export const RETRY_DELAYS_MS = RETRY_DELAYS_MINUTES.map((minutes) => minutes * MINUTE_MS);
/** The failure at which the merchant is notified for the first time. */
export const WARN_AT_ATTEMPT = 4;
/**
 * In live mode retries spread over this part of their delay. Test mode has no jitter, so that advancing the test clock
 * by the delay is enough.
 */
const JITTER = 0.02;

export type ResumeState = 'pending' | 'parked' | 'delivered' | 'failed';

/** A delivery as the schedule sees it; `resume` is set during a manual redelivery, which is not counted. */
export interface ScheduledDelivery {
  livemode: boolean;
  attempts: number;
  resume: { state: ResumeState; due: Date | null } | null;
}

export interface AfterAttempt {
  state: ResumeState;
  due: Date | null;
  /** Attempts that count, including this one. */
  attempts: number;
  /** The last attempt has failed, so the endpoint is disabled. */
  isDeadLetter: boolean;
}

/**
 * The delivery's next state after an attempt that ended at this instant. `random` is between 0 and 1, so that retries
 * are never early.
 */
export function afterAttempt(
  delivery: ScheduledDelivery,
  isDelivered: boolean,
  ended: Date,
  random: number = Math.random(),
): AfterAttempt {
  const attempts = delivery.attempts + (delivery.resume ? 0 : 1);
  if (isDelivered) return { state: 'delivered', due: null, attempts, isDeadLetter: false };
  if (delivery.resume) return { ...delivery.resume, attempts, isDeadLetter: false };

  const delayMs = RETRY_DELAYS_MS[attempts - 1];
  if (delayMs === undefined) return { state: 'failed', due: null, attempts, isDeadLetter: true };
  const jitter = delivery.livemode ? JITTER * random : 0;
  return { state: 'pending', due: later(ended, Math.ceil(delayMs * (1 + jitter))), attempts, isDeadLetter: false };
}
