import type { Event } from './types.gen.ts';

/** What is kept of a payment between events: its newest sequence. */
export interface SequenceStore {
  get(paymentId: string): number | undefined | Promise<number | undefined>;
  set(paymentId: string, sequence: number): unknown;
}

/**
 * Webhooks can come late, twice and out of order. This passes on only what is newer than all that came before for the
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
