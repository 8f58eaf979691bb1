import { hydrate, render } from 'preact';
import './styles.css';
import { enableCopyButtons } from './client/copy-buttons.ts';
import { runCountdown } from './client/countdown.ts';
import { followSession } from './client/follow.ts';
import { takeOverForms } from './client/forms.ts';
import { guardAddress } from './client/guard.ts';
import { renewQuote } from './client/renew-quote.ts';
import type { Catalog } from './i18n/messages.ts';
import { Checkout } from './page.tsx';
import type { CheckoutPage } from './page-state.ts';

/** Brings the server's page to life: it follows the session and redraws; everything works without it, only slower. */
const root = document.getElementById('root');
const state = document.getElementById('page-state')?.textContent;
if (root && state) {
  const { page, catalog } = JSON.parse(state) as { page: CheckoutPage; catalog: Catalog };
  let shown = { ...page, hasScript: true };
  const show = (change: Partial<CheckoutPage>) => {
    const wasPaid = shown.session.status === 'paid';
    shown = { ...shown, offline: false, ...change };
    // Where to return to is only told by the server, once it is paid: read the page anew.
    if (!wasPaid && shown.session.status === 'paid') location.replace(`/checkout/${shown.session.id}`);
    else render(<Checkout page={shown} catalog={catalog} />, root);
  };

  hydrate(<Checkout page={page} catalog={catalog} />, root);
  show({});
  enableCopyButtons(document);
  takeOverForms(root, { shown: () => shown, show });
  runCountdown(document, () => shown.session);
  renewQuote(() => shown.session, (session) => show({ session }));
  guardAddress(root, () => shown.session, () => show({ tampered: true }));
  followSession(shown.session, (session) => show({ session }));
}
