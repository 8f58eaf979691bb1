import type { Buffer } from 'node:buffer';
import type { OutboundAnswer } from '../../../outside/http/outbound.ts';
import type { AfterAttempt, ScheduledDelivery } from './schedule.ts';
import type { SigningKeys } from './signature.ts';

/** The lane of an endpoint: on probation until it has answered, healthy, or slow and failing. */
export type Lane = 'probation' | 'healthy' | 'slow';

/** A delivery leased for one attempt, with everything that the attempt needs and the lease that guards its outcome. */
export interface LeasedDelivery extends ScheduledDelivery {
  id: string;
  recordedAt: Date;
  lease: string;
  accountId: string;
  endpointId: string;
  url: string;
  /** Includes the rotated secret's keys while it overlaps. */
  keys: SigningKeys[];
  /** Whether the public key signs as well. */
  isAsymmetric: boolean;
  lane: Lane;
  eventId: string;
  body: Buffer;
  dueAt: Date;
  /** The offset of the account's test clock, which the merchant's view of an attempt follows. */
  clockOffsetMs: number;
}

/** The result of one attempt. */
export interface AttemptResult {
  delivery: LeasedDelivery;
  startedAt: Date;
  endedAt: Date;
  answer: OutboundAnswer;
}

/** One attempt, and the delivery's state after it. */
export interface Outcome extends AfterAttempt {
  attempted: AttemptResult;
}

/**
 * Whether the service itself stopped it (the endpoint was deleted, the process stops). It says nothing about the
 * receiver and does not count as an attempt.
 */
export function wasDropped({ answer }: AttemptResult): boolean {
  return answer.error === 'dropped';
}

export const NO_PUBLIC_ADDRESS = 'no_public_address';

/**
 * What a merchant sees as the reason for no response. Names without an address and with an inner one look the same, so
 * that no one can find the names of this network.
 */
export function shownError(error: string | null): string | null {
  return error === 'blocked_address' || error === 'name_not_resolved' ? NO_PUBLIC_ADDRESS : error;
}

export function isDelivered({ answer }: AttemptResult): boolean {
  return answer.status !== null && answer.status >= 200 && answer.status < 300;
}
