import type { PublicSession } from '../page-state.ts';
import { clock } from '../stages/pay.tsx';

/** Counts down by the server's clock: what the visitor's own clock says does not matter. */
export function runCountdown(document: Document, session: () => PublicSession): void {
  let aheadMs = Date.parse(session().server_time) - Date.now();
  let heard = session().server_time;
  setInterval(() => {
    if (session().server_time !== heard) {
      heard = session().server_time;
      aheadMs = Date.parse(heard) - Date.now();
    }
    const place = document.querySelector<HTMLElement>('[data-countdown]');
    if (!place) return;
    const left = Math.max(0, Math.floor((Date.parse(place.dataset.countdown ?? '') - Date.now() - aheadMs) / 1000));
    place.textContent = (place.textContent ?? '').replace(/[\d:]+/, clock(left));
    place.toggleAttribute('data-urgent', left < 120);
  }, 1_000);
}
