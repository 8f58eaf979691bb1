import type { Context } from '../../context.ts';
import type { Database } from '../../platform/db/db.ts';
import type { EventStream } from '../../platform/http/event-stream.ts';
import { SECOND_MS } from '../../platform/time.ts';
import { findPublicView, presentPublicSession } from './public-session.ts';
import { findState } from './stream-store.ts';

/** Signals may be lost, so every stream also polls. */
const LOOK_EVERY_MS = 3 * SECOND_MS;

/** All streams of one payment. They share each query. */
interface Watch {
  streams: Set<EventStream>;
  /** Streams that have not received anything yet. */
  joined: Set<EventStream>;
  wake(): void;
}

const watches = new WeakMap<Database, Map<string, Watch>>();

/**
 * Sends a customer's page each change of its session: the whole public session, with the payment's sequence as the id,
 * so that any process can resume the stream. The first event contains everything that the page has missed.
 */
export function streamSession(ctx: Context, sessionId: string, paymentId: string, stream: EventStream): void {
  if (stream.ended.aborted) return;
  const watch = watchOf(ctx, sessionId, paymentId);
  watch.streams.add(stream);
  watch.joined.add(stream);
  stream.ended.addEventListener(
    'abort',
    () => {
      watch.streams.delete(stream);
      watch.joined.delete(stream);
      if (watch.streams.size === 0) watch.wake();
    },
    { once: true },
  );
  watch.wake();
}

function watchOf(ctx: Context, sessionId: string, paymentId: string): Watch {
  const open = watches.get(ctx.db) ?? new Map<string, Watch>();
  watches.set(ctx.db, open);
  const known = open.get(paymentId);
  if (known) return known;

  let isWoken = false;
  let endWait: (() => void) | undefined;
  const watch: Watch = {
    streams: new Set(),
    joined: new Set(),
    wake() {
      isWoken = true;
      endWait?.();
    },
  };
  open.set(paymentId, watch);
  void follow(
    ctx,
    { sessionId, paymentId, watch },
    {
      /** Resolves when something may have changed since the last call. */
      async nextLook() {
        if (!isWoken) {
          let timer: NodeJS.Timeout | undefined;
          await new Promise<void>((resolve) => {
            endWait = resolve;
            timer = setTimeout(resolve, LOOK_EVERY_MS);
          });
          clearTimeout(timer);
        }
        isWoken = false;
      },
      close: () => void open.delete(paymentId),
    },
  );
  return watch;
}

async function follow(
  ctx: Context,
  { sessionId, paymentId, watch }: { sessionId: string; paymentId: string; watch: Watch },
  { nextLook, close }: { nextLook(): Promise<void>; close(): void },
): Promise<void> {
  let shown = '';
  let known: string | undefined;
  const stopListening = await ctx.db
    .listen('payments', (id) => {
      if (id === '' || id === paymentId) watch.wake();
    })
    .catch(() => undefined);

  try {
    while (watch.streams.size > 0) {
      const joined = [...watch.joined];
      watch.joined.clear();
      const state = await findState(ctx.db, paymentId);
      if (state !== known || joined.length > 0) {
        const view = await findPublicView(ctx, sessionId);
        const session = await presentPublicSession(ctx, view);
        // A change of the clock alone is not a change.
        const now = JSON.stringify({ ...session, server_time: null });
        // Streams that joined during this query wait for the next one.
        const receivers = now === shown ? joined : [...watch.streams].filter((stream) => !watch.joined.has(stream));
        for (const stream of receivers) stream.send({ id: String(view.payment.sequence), data: session });
        shown = now;
      }
      known = state;
      await nextLook();
    }
  } catch (error) {
    ctx.log.warn({ err: error, sessionId, streams: watch.streams.size }, 'session streams failed');
  } finally {
    // Before the first await, because a stream that joins later opens its own watch.
    close();
    for (const stream of watch.streams) stream.end();
    await stopListening?.();
  }
}
