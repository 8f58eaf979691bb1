import type { Context } from '../../context.ts';
import type { EventStream } from '../../platform/http/event-stream.ts';
import { SECOND_MS } from '../../platform/time.ts';
import { findPublicView, presentPublicSession } from './public-session.ts';

/** Signals may be lost, so every stream looks by itself as well. */
const LOOK_EVERY_MS = 3 * SECOND_MS;

/**
 * Tells a customer's page of each change of its session: the whole public session, under the payment's sequence as id,
 * so that any process can go on where another broke off. What the page has missed is in the first one.
 */
export async function streamSession(ctx: Context, sessionId: string, paymentId: string, stream: EventStream): Promise<void> {
  let shown = '';
  let wake: (() => void) | undefined;
  const stopListening = await ctx.db.listen('payments', (id) => {
    if (id === '' || id === paymentId) wake?.();
  }).catch(() => undefined);
  stream.ended.addEventListener('abort', () => wake?.(), { once: true });

  try {
    while (!stream.ended.aborted) {
      const woken = new Promise<void>((resolve) => {
        wake = resolve;
      });
      const view = await findPublicView(ctx, sessionId);
      const session = await presentPublicSession(ctx, view);
      // The clock alone is no change.
      const now = JSON.stringify({ ...session, server_time: null });
      if (now !== shown) stream.send({ id: String(view.payment.sequence), data: session });
      shown = now;
      let timer: NodeJS.Timeout | undefined;
      await Promise.race([woken, new Promise<void>((resolve) => {
        timer = setTimeout(resolve, LOOK_EVERY_MS);
      })]);
      clearTimeout(timer);
    }
  } catch (error) {
    ctx.log.warn({ err: error, sessionId }, 'a stream of a session broke off');
    stream.end();
  } finally {
    await stopListening?.();
  }
}
