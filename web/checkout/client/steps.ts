import { type CheckoutPage, isTooLate, stageOf } from '../page-state.ts';
import type { LivePage } from './live-page.ts';

/** The address that shows this step again; null after the last one. */
function addressOf(page: CheckoutPage): string | null {
  const { choice, exchange } = page;
  switch (stageOf(page)) {
    case 'choose':
      return '?view=choose';
    case 'refund_address':
      return `?asset=${choice?.asset}&network=${choice?.network}${exchange ? '&view=exchange' : ''}`;
    case 'pay':
      return exchange ? '?view=exchange' : location.pathname;
    default:
      return null;
  }
}

/** Makes every step an entry of the browser's history, so that Back leads to the step before and a reload stays. */
export function recordStep(before: CheckoutPage, after: CheckoutPage): void {
  const [from, to] = [addressOf(before), addressOf(after)];
  // The state of an entry is its address: after Back, the current entry is this step already.
  if (from === null || to === null || from === to || history.state === to) return;
  // In a frame, Back belongs to the page around it. From a single coin there was no step before.
  if (window.parent !== window || after.session.options.length === 1) return history.replaceState(to, '', to);
  history.replaceState(from, '', from);
  history.pushState(to, '', to);
}

/** Shows the step that Back or Forward leads to. What a wallet is asked to send, or has sent, stays in sight. */
export function followHistory(page: LivePage): void {
  addEventListener('popstate', () => {
    const { session } = page.shown();
    if (typeof history.state !== 'string' || isTooLate(page.shown())) return;
    const query = new URLSearchParams(location.search);
    const choice = session.options.find(
      (one) => one.kind === 'routed' && one.asset === query.get('asset') && one.network === query.get('network'),
    );
    page.show({
      view: query.get('view') === 'choose' ? 'choose' : 'auto',
      choice: choice ?? null,
      typed: '',
      error: null,
      wallet: null,
    });
  });
}
