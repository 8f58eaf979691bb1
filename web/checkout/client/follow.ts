import type { PublicSession } from '../page-state.ts';
import { readSession } from './api.ts';

const POLL_MS = 3_000;
const MAX_POLL_MS = 30_000;

export interface Followed {
  changed(session: PublicSession): void;
  /** The service answered, and nothing is new. */
  heard(): void;
  lost(): void;
}

/** Follows a session: by server-sent events where they work, by polling where not; reads anew when the page is shown again. */
export function followSession(first: PublicSession, tell: Followed): void {
  let last = comparable(first);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let waitMs = POLL_MS;

  const take = (session: PublicSession) => {
    const now = comparable(session);
    if (now === last) return tell.heard();
    last = now;
    tell.changed(session);
  };
  const read = () =>
    readSession(first.id).then(
      (session) => {
        waitMs = POLL_MS;
        take(session);
      },
      () => {
        waitMs = Math.min(waitMs * 2, MAX_POLL_MS);
        tell.lost();
      },
    );
  const poll = () => {
    clearTimeout(timer);
    timer = setTimeout(() => void read().then(poll), waitMs);
  };

  const events = new EventSource(`/v1/public/checkout/sessions/${first.id}/events`);
  events.addEventListener('message', (event) => take(JSON.parse(event.data) as PublicSession));
  events.addEventListener('open', () => clearTimeout(timer));
  // The browser connects again by itself, and until then we ask.
  events.addEventListener('error', poll);
  addEventListener('online', () => void read());
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) void read();
  });
  addEventListener('pagehide', () => events.close());
  // Back from the browser's cache the connection is gone.
  addEventListener('pageshow', (event) => {
    if (event.persisted) location.reload();
  });
}

/** What is worth drawing anew: not the clock. */
function comparable(session: PublicSession): string {
  return JSON.stringify({ ...session, server_time: '' });
}
