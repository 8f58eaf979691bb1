import type { Context } from '../../context.ts';
import type { Database } from '../../platform/db/db.ts';
import { SECOND_MS } from '../../platform/time.ts';
import { findEnded } from './ended-store.ts';

/** How long a program's request waits for the service's own verdict. */
const VERDICT_TIMEOUT_MS = 25 * SECOND_MS;
/** Signals may be lost, so waiting payments are polled as well. */
const LOOK_EVERY_MS = 1 * SECOND_MS;
const MAX_WAITING = 5_000;

interface Waiter {
  paymentId: string;
  done(): void;
}

interface Room {
  waiters: Set<Waiter>;
  wake(): void;
}

const rooms = new WeakMap<Database, Room>();

/** How long a request waits, by its `Prefer` header (RFC 7240): a program may choose a shorter wait. */
export function waitOf(prefer: string | string[] | undefined): number {
  const [, seconds] = /(?:^|[\s,;])wait=(\d{1,5})(?:$|[\s,;])/.exec(String(prefer ?? '')) ?? [];
  return seconds === undefined ? VERDICT_TIMEOUT_MS : Math.min(Number(seconds) * SECOND_MS, VERDICT_TIMEOUT_MS);
}

/** Resolves once the payment is no longer open, or its credential has ended, or at the timeout. */
export async function waitForVerdict(ctx: Context, paymentId: string, timeoutMs: number): Promise<void> {
  const room = roomOf(ctx);
  if (room.waiters.size >= MAX_WAITING) return;
  await new Promise<void>((resolve) => {
    const waiter: Waiter = {
      paymentId,
      done() {
        clearTimeout(timer);
        room.waiters.delete(waiter);
        resolve();
      },
    };
    const timer = setTimeout(waiter.done, timeoutMs);
    room.waiters.add(waiter);
    room.wake();
  });
}

/** One query serves all waiting requests. */
function roomOf(ctx: Context): Room {
  const known = rooms.get(ctx.db);
  if (known) return known;
  let endPause: () => void = () => {};
  const room: Room = { waiters: new Set(), wake: () => endPause() };
  rooms.set(ctx.db, room);
  void (async () => {
    const stopListening = await ctx.db.listen('payments', () => endPause()).catch(() => undefined);
    try {
      while (room.waiters.size > 0) {
        const ended = await findEnded(ctx.db, [...new Set([...room.waiters].map((waiter) => waiter.paymentId))]);
        for (const waiter of room.waiters) if (ended.has(waiter.paymentId)) waiter.done();
        if (room.waiters.size === 0) break;
        let timer: NodeJS.Timeout | undefined;
        await new Promise<void>((resolve) => {
          endPause = resolve;
          timer = setTimeout(resolve, LOOK_EVERY_MS);
        });
        clearTimeout(timer);
      }
    } catch (error) {
      ctx.log.warn({ err: error }, 'verdicts for programs could not be looked up');
      for (const waiter of room.waiters) waiter.done();
    } finally {
      // Before the first await, because a request that arrives later opens its own room.
      rooms.delete(ctx.db);
      for (const waiter of room.waiters) waiter.done();
      await stopListening?.();
    }
  })();
  return room;
}
