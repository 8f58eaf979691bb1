import type { Event, RefundEvent } from './types.gen.ts';

/** The newest event of a payment, and the ids of all events of it that were processed. Plain data, so it can be stored as JSON. */
export interface SeenEvents {
  created_at: string;
  sequence: number;
  ids: readonly string[];
}

/** Stores what was processed of each payment between events. */
export interface SeenEventStore {
  get(paymentId: string): SeenEvents | undefined | Promise<SeenEvents | undefined>;
  set(paymentId: string, seen: SeenEvents): unknown;
}

const MAX_IDS = 100;
const MAX_PAYMENTS = 10_000;
/** A payment has a handful of events. More wait only behind a handler that does not end. */
const MAX_WAITING = 100;

/**
 * Webhooks can arrive late, more than once and out of order. Calls `handle` once per event, and only if the event is not
 * older than an earlier one of the same payment. Events of one payment take turns. If `handle` throws, so does this, and
 * the event counts as new when it is delivered again, unless a newer one of the payment has been handled since. Resolves
 * to whether `handle` was called.
 *
 * Give `handle` a timeout: while it runs, all other events of its payment wait. If 100 wait, further ones are rejected.
 *
 * By default the newest 10,000 payments are remembered, in this process only. With several processes, or to survive a
 * crash, pass a store that writes in the same database transaction as `handle`.
 *
 * @example
 * const newest = newestEvents();
 * await newest(event, (event) => update(event.data));
 */
export function newestEvents<E extends Event | RefundEvent = Event>(
  store: SeenEventStore = createMemory(),
): (event: E, handle: (event: E) => unknown) => Promise<boolean> {
  const takeTurns = createTurns();
  return (event, handle) => takeTurns(event.data.id, () => handleIfNew(store, event, handle));
}

async function handleIfNew<E extends Event | RefundEvent>(
  store: SeenEventStore,
  event: E,
  handle: (event: E) => unknown,
): Promise<boolean> {
  const { id, created_at, sequence } = event.data;
  const seen = await store.get(id);
  if (seen?.ids.includes(event.id)) return false;
  const ids = [...(seen?.ids ?? []), event.id].slice(-MAX_IDS);
  if (seen && isOlder(event.data, seen)) {
    // It is repeated with a later `created_at` if its session is created again, and must not count then either.
    await store.set(id, { ...seen, ids });
    return false;
  }
  await handle(event);
  await store.set(id, { created_at, sequence, ids });
  return true;
}

/** A payment that was lost and created again under its old id starts again at sequence 1, with a later `created_at`. */
function isOlder(data: (Event | RefundEvent)['data'], seen: SeenEvents): boolean {
  return data.created_at < seen.created_at || (data.created_at === seen.created_at && data.sequence < seen.sequence);
}

/** Runs the work of one key in the order of the calls, one at a time, whether or not it fails. */
function createTurns(): <T>(key: string, work: () => Promise<T>) => Promise<T> {
  const queues = new Map<string, { last: Promise<unknown>; size: number }>();
  return async (key, work) => {
    const queue = queues.get(key) ?? { last: Promise.resolve(), size: 0 };
    if (queue.size > MAX_WAITING)
      throw new Error(`${MAX_WAITING} events of this payment wait for a handler that has not ended.`);
    const turn = queue.last.then(work, work);
    queue.last = turn;
    queue.size += 1;
    queues.set(key, queue);
    const leave = () => {
      queue.size -= 1;
      if (queue.size === 0) queues.delete(key);
    };
    turn.then(leave, leave);
    return turn;
  };
}

/** Forgets the payment that had no event for the longest time. */
function createMemory(): SeenEventStore {
  const payments = new Map<string, SeenEvents>();
  return {
    get: (paymentId) => payments.get(paymentId),
    set(paymentId, seen) {
      payments.delete(paymentId);
      payments.set(paymentId, seen);
      if (payments.size > MAX_PAYMENTS) payments.delete(payments.keys().next().value as string);
    },
  };
}
