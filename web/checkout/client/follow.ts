import type { PublicSession } from '../page-state.ts';
import { readSession } from '../api.ts';

const POLL_MS = 3_000;
const MAX_POLL_MS = 30_000;

export interface FollowHandlers {
  changed(session: PublicSession): void;
  /** The service answered without a change, but with its time. */
  unchanged(session: PublicSession): void;
  lost(): void;
}

/**
 * Follows a session by server-sent events, or by polling if they do not work. Reads it again when the page becomes
 * visible, and soon after the function that it returns is called.
 */
export function followSession(first: PublicSession, handlers: FollowHandlers): () => void {
  let last = comparable(first);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let waitMs = POLL_MS;

  const take = (session: PublicSession) => {
    const now = comparable(session);
    if (now === last) return handlers.unchanged(session);
    last = now;
    handlers.changed(session);
  };
  const events = new EventSource(`/v1/public/checkout/sessions/${first.id}/events`);
  const read = async () => {
    clearTimeout(timer);
    try {
      const session = await readSession(first.id);
      waitMs = POLL_MS;
      take(session);
      if (events.readyState !== EventSource.OPEN) poll();
    } catch {
      // Also while the stream seems to be open: what it sent meanwhile may be lost with a connection that was lost.
      waitMs = Math.min(waitMs * 2, MAX_POLL_MS);
      handlers.lost();
      poll();
    }
  };
  const poll = () => {
    clearTimeout(timer);
    timer = setTimeout(() => void read(), waitMs);
  };

  events.addEventListener('message', (event) => take(JSON.parse(event.data) as PublicSession));
  events.addEventListener('open', () => clearTimeout(timer));
  // The browser reconnects automatically; until then the page polls.
  events.addEventListener('error', poll);
  addEventListener('online', () => void read());
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) void read();
  });
  addEventListener('pagehide', () => events.close());
  // After a return from the browser's cache the connection is closed.
  addEventListener('pageshow', (event) => {
    if (event.persisted) location.reload();
  });
  return poll;
}

/** The part of a session that is worth a rerender: everything but the clock. */
function comparable(session: PublicSession): string {
  return JSON.stringify({ ...session, server_time: '' });
}
