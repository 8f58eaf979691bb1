import type { AttemptResult, LeasedDelivery, Lane } from '../delivery.ts';
import type { LeaseLimits } from '../lease-store.ts';

/**
 * Holds the leased deliveries of this process and decides which is sent next, so that no account and no endpoint delays
 * another. Times are milliseconds of a monotonic clock.
 */
export interface FairQueue {
  /** Whether nothing is being sent. */
  readonly isIdle: boolean;
  /** Whether the queue is so short that more should be leased. */
  readonly wantsMore: boolean;
  /** The endpoints with queued deliveries. */
  readonly queuedEndpoints: string[];
  /** What may be leased now. */
  limits(): LeaseLimits;
  add(deliveries: readonly LeasedDelivery[], at: number): void;
  /** Starts every delivery that has a slot. */
  start(at: number, send: (sending: Sending) => void): void;
  /** Returns the slot. Returns the endpoint's lane if this attempt has changed it. */
  finished(sending: Sending, attempted: AttemptResult): Lane | null;
  /** Returns the slot without a verdict about the endpoint. */
  dropped(sending: Sending): void;
  /** Marks overdue sends, and returns the deliveries to release. */
  tidy(at: number): LeasedDelivery[];
  /** Empties the queue of one endpoint, or all. */
  clear(endpointId?: string): LeasedDelivery[];
}

/** One attempt in flight. The queue keeps more about it. */
export interface Sending {
  readonly delivery: LeasedDelivery;
}
