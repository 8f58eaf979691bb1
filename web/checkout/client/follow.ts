import type { PublicSession } from '../page-state.ts';

const POLL_MS = 3_000;

/** Follows a session: by server-sent events where they work, by polling where not; reads anew when the page is shown again. */
export function followSession(first: PublicSession, onChange: (session: PublicSession) => void): void {
  const address = `/v1/public/checkout/sessions/${first.id}`;
  let last = JSON.stringify(first);
  let timer: ReturnType<typeof setTimeout> | undefined;

  const read = async () => {
    const response = await fetch(address, { headers: { accept: 'application/json' } });
    if (!response.ok) return;
    const { data } = (await response.json()) as { data: PublicSession };
    const now = JSON.stringify({ ...data, server_time: '' });
    if (now !== last) {
      last = now;
      onChange(data);
    }
  };
  const poll = () => {
    timer = setTimeout(() => void read().catch(() => undefined).finally(poll), POLL_MS);
  };

  const events = new EventSource(`${address}/events`);
  events.addEventListener('message', () => void read().catch(() => undefined));
  events.addEventListener('open', () => clearTimeout(timer));
  events.addEventListener('error', () => {
    clearTimeout(timer);
    poll();
  });
  for (const name of ['online', 'visibilitychange']) {
    (name === 'online' ? window : document).addEventListener(name, () => void read().catch(() => undefined));
  }
}
