import type { Event } from './types.gen.ts';

/** Stores the newest sequence of each payment between events. */
export interface SequenceStore {
  get(paymentId: string): number | undefined | Promise<number | undefined>;
  set(paymentId: string, sequence: number): unknown;
}

/**
 * Webhooks can arrive late, more than once and out of order. Accepts only events that are newer than all earlier ones for the
 * same payment.
 *
 * @example
 * const takeIfNew = newestEvents();
 * if (await takeIfNew(event)) await update(event.data);
 */
export function newestEvents(store: SequenceStore = new Map<string, number>()): (event: Event) => Promise<boolean> {
  return async (event) => {
    const newest = (await store.get(event.data.id)) ?? 0;
    if (event.data.sequence <= newest) return false;
    await store.set(event.data.id, event.data.sequence);
    return true;
  };
}
