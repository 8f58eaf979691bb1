import type { Attempted, LeasedDelivery, Lane } from '../delivery.ts';
import type { LeaseLimits } from '../lease-store.ts';

/**
 * Holds the leased deliveries of this process and decides which is sent next, so that no account and no endpoint holds up
 * another one. Times are milliseconds of a clock that never goes back.
 */
export interface FairQueue {
  /** Whether nothing is being sent. */
  readonly isIdle: boolean;
  /** Whether so little is left that more should be leased. */
  readonly wantsMore: boolean;
  /** The endpoints that deliveries wait for. */
  readonly queuedEndpoints: string[];
  /** What may be leased now. */
  limits(): LeaseLimits;
  add(deliveries: readonly LeasedDelivery[], at: number): void;
  /** Starts what may start. */
  start(at: number, send: (sending: Sending) => void): void;
  /** Gives the slot back. Returns the endpoint's lane if this attempt has changed it. */
  finished(sending: Sending, attempted: Attempted): Lane | null;
  /** Gives the slot back without a verdict about the endpoint. */
  dropped(sending: Sending): void;
  /** Marks sends that take long, and returns what has to be released. */
  tidy(at: number): LeasedDelivery[];
  /** Empties the queue of one endpoint, or all. */
  clear(endpointId?: string): LeasedDelivery[];
}

/** One attempt on its way. The queue keeps more about it. */
export interface Sending {
  readonly delivery: LeasedDelivery;
}
