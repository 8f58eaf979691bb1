import type { Event } from './types.gen.ts';

/** The newest event of a payment, and the ids of all events of it that were seen. Plain data, so it can be stored as JSON. */
export interface SeenEvents {
  created_at: string;
  sequence: number;
  ids: readonly string[];
}

/** Stores what was seen of each payment between events. */
export interface SeenEventStore {
  get(paymentId: string): SeenEvents | undefined | Promise<SeenEvents | undefined>;
  set(paymentId: string, seen: SeenEvents): unknown;
}

const MAX_IDS = 100;

/**
 * Webhooks can arrive late, more than once and out of order. Accepts each event once, and only if it is not older than an
 * earlier one of the same payment.
 *
 * @example
 * const takeIfNew = newestEvents();
 * if (await takeIfNew(event)) await update(event.data);
 */
export function newestEvents(
  store: SeenEventStore = new Map<string, SeenEvents>(),
): (event: Event) => Promise<boolean> {
  return async (event) => {
    const { id, created_at, sequence } = event.data;
    const seen = await store.get(id);
    if (seen?.ids.includes(event.id)) return false;
    const ids = [...(seen?.ids ?? []), event.id].slice(-MAX_IDS);
    if (seen && isOlder(event.data, seen)) {
      // It is repeated with a later `created_at` if its session is created again, and must not count then either.
      await store.set(id, { ...seen, ids });
      return false;
    }
    await store.set(id, { created_at, sequence, ids });
    return true;
  };
}

/** A payment that was lost and created again under its old id starts again at sequence 1, with a later `created_at`. */
function isOlder(data: Event['data'], seen: SeenEvents): boolean {
  return data.created_at < seen.created_at || (data.created_at === seen.created_at && data.sequence < seen.sequence);
}
