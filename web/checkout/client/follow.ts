import type { PublicSession } from '../page-state.ts';

const POLL_MS = 3_000;

/** Follows a session: by server-sent events where they work, by polling where not; reads anew when the page is shown again. */
export function followSession(first: PublicSession, onChange: (session: PublicSession) => void): void {
  const address = `/v1/public/checkout/sessions/${first.id}`;
  let last = '';
  let timer: ReturnType<typeof setTimeout> | undefined;

  const take = (session: PublicSession) => {
    const now = JSON.stringify({ ...session, server_time: '' });
    if (now === last) return;
    last = now;
    onChange(session);
  };
  const read = async () => {
    const response = await fetch(address, { headers: { accept: 'application/json' } });
    if (response.ok) take(((await response.json()) as { data: PublicSession }).data);
  };
  const poll = () => {
    clearTimeout(timer);
    timer = setTimeout(() => void read().catch(() => undefined).finally(poll), POLL_MS);
  };

  const events = new EventSource(`${address}/events`);
  events.addEventListener('message', (event) => take(JSON.parse(event.data) as PublicSession));
  events.addEventListener('open', () => clearTimeout(timer));
  // The browser connects again by itself, and until then we ask.
  events.addEventListener('error', poll);
  addEventListener('online', () => void read().catch(() => undefined));
  document.addEventListener('visibilitychange', () => { if (!document.hidden) void read().catch(() => undefined); });
  addEventListener('pagehide', () => events.close());
}
