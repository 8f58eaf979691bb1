import type { Context } from '../../context.ts';
import type { FeedRules } from '../../platform/db/feed.ts';
import type { EventStream } from '../../platform/http/event-stream.ts';
import { SECOND_MS } from '../../platform/time.ts';
import { noteWaiting } from './note-waiting.ts';
import { findState } from './public-session-store.ts';
import { findPublicView, presentPublicSession, type PublicView } from './public-session.ts';

const LOOK_EVERY_MS = 3 * SECOND_MS;

/**
 * Sends a customer's page each change of its session: the whole public session, with the payment's sequence as the id,
 * so that any process can resume the stream. The first event contains everything that the page has missed.
 */
export function streamSession(ctx: Context, sessionId: string, paymentId: string, stream: EventStream): void {
  if (stream.ended.aborted) return;
  const { leave } = ctx.feeds.join(`session ${paymentId}`, stream, () => sessionFeed(ctx, sessionId, paymentId));
  stream.ended.addEventListener('abort', leave, { once: true });
}

function sessionFeed(ctx: Context, sessionId: string, paymentId: string): FeedRules<EventStream> {
  const greeted = new WeakSet<EventStream>();
  let shown = '';
  let known: string | undefined;
  let view: PublicView | undefined;
  return {
    db: ctx.db,
    channel: 'payments',
    concerns: (id) => id === '' || id === paymentId,
    everyMs: LOOK_EVERY_MS,
    async look(members) {
      // Streams that join during this query wait for the next one.
      const streams = [...members];
      const joined = streams.filter((stream) => !greeted.has(stream));
      const state = await findState(ctx.db, paymentId);
      if (state !== known || joined.length > 0) {
        view = await findPublicView(ctx, sessionId);
        const session = await presentPublicSession(ctx, view);
        // A change of the clock alone is not a change.
        const now = JSON.stringify({ ...session, server_time: null });
        for (const stream of now === shown ? joined : streams) {
          stream.send({ id: String(view.payment.sequence), data: session });
          greeted.add(stream);
        }
        shown = now;
      }
      known = state;
      if (view) await noteWaiting(ctx, view);
      return 'idle';
    },
    failed: (error, { size }) => ctx.log.warn({ err: error, sessionId, streams: size }, 'session streams failed'),
    end: (stream) => stream.end(),
  };
}
