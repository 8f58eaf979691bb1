import type { Buffer } from 'node:buffer';
import type { OutboundAnswer } from '../../../outside/http/outbound.ts';
import type { AfterAttempt, Scheduled } from './schedule.ts';
import type { SigningKeys } from './signature.ts';

/** How an endpoint is queued: on probation until it has answered, healthy, or slow and failing. */
export type Lane = 'probation' | 'healthy' | 'slow';

/** The lanes as rows spell them. */
export const STORED_LANES = { probation: 'unproven', healthy: 'good', slow: 'slow' } as const;
export type StoredLane = (typeof STORED_LANES)[Lane];

const LANES: Record<StoredLane, Lane> = { unproven: 'probation', good: 'healthy', slow: 'slow' };

export function readLane(stored: StoredLane): Lane {
  return LANES[stored];
}

/** A delivery leased for one attempt: all that the attempt needs, and the lease that guards its outcome. */
export interface LeasedDelivery extends Scheduled {
  id: string;
  recordedAt: Date;
  lease: string;
  accountId: string;
  endpointId: string;
  url: string;
  /** The rotated one's too while it overlaps. */
  keys: SigningKeys[];
  /** Whether the public key signs as well. */
  isAsymmetric: boolean;
  lane: Lane;
  eventId: string;
  body: Buffer;
  dueAt: Date;
  /** How far the account's test clock is ahead; what the merchant sees of an attempt follows it. */
  clockOffsetMs: number;
}

/** What came of one attempt. */
export interface Attempted {
  delivery: LeasedDelivery;
  startedAt: Date;
  endedAt: Date;
  answer: OutboundAnswer;
}

/** One attempt, and what its delivery becomes by it. */
export interface Outcome extends AfterAttempt {
  attempted: Attempted;
}

/** Our own doing (the endpoint was deleted, the process ends): it says nothing about the receiver and is no attempt. */
export function wasDropped({ answer }: Attempted): boolean {
  return answer.error === 'dropped';
}

export function isDelivered({ answer }: Attempted): boolean {
  return answer.status !== null && answer.status >= 200 && answer.status < 300;
}
