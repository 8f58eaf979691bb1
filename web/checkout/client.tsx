import { hydrate, render } from 'preact';
import './styles.css';
import { enableCopyButtons } from './client/copy-buttons.ts';
import { followSession } from './client/follow.ts';
import { runCountdown } from './client/countdown.ts';
import type { Catalog } from './i18n/messages.ts';
import { Checkout } from './page.tsx';
import type { CheckoutPage } from './page-state.ts';

/** Brings the server's page to life: it follows the session and redraws; everything works without it, only slower. */
const root = document.getElementById('root');
const state = document.getElementById('page-state')?.textContent;
if (root && state) {
  const { page, catalog } = JSON.parse(state) as { page: CheckoutPage; catalog: Catalog };
  let shown = page;
  hydrate(<Checkout page={shown} catalog={catalog} />, root);
  enableCopyButtons(document);
  runCountdown(document, () => shown.session);
  followSession(shown.session, (session) => {
    const statusChanged = session.status !== shown.session.status;
    shown = { ...shown, session, error: null };
    // Where to return to is only told by the server, once it is paid: read the page anew.
    if (statusChanged && session.status === 'paid') location.reload();
    else render(<Checkout page={shown} catalog={catalog} />, root);
  });
}
