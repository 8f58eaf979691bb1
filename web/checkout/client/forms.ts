import type { CheckoutPage, PublicSession } from '../page-state.ts';
import { actOnTestSession, noticeTransaction, paySession, Refused } from './api.ts';

interface Page {
  shown(): CheckoutPage;
  show(change: Partial<CheckoutPage>): void;
}

/** Does in place what the page's forms and links would do by loading it anew. */
export function takeOverForms(root: HTMLElement, page: Page): void {
  root.addEventListener('submit', (event) => {
    const form = event.target as HTMLFormElement;
    const kind = form.dataset.choose;
    if (!kind) return;
    event.preventDefault();
    // Read before the buttons are closed: a disabled one has no value.
    const fields = new FormData(form, event.submitter);
    const field = (name: string) => String(fields.get(name) ?? '').trim();
    const id = page.shown().session.id;

    if (kind === 'routed') {
      page.show({ choice: { asset: field('asset'), network: field('network') }, error: null, refundAddress: '' });
      focusOn(root, 'input[name=refund_address]');
      return;
    }
    void busy(form, page, async (): Promise<PublicSession | undefined> => {
      switch (kind) {
        case 'direct':
          return paySession(id, { pay_asset: field('asset'), pay_network: field('network') });
        case 'refund':
          return paySession(id, { pay_asset: field('asset'), pay_network: field('network'), refund_address: field('refund_address') });
        case 'test':
          return actOnTestSession(id, field('action'));
        case 'transaction':
          await noticeTransaction(id, field('tx_hash'));
          page.show({ noticed: true });
      }
      return undefined;
    });
  });

  root.addEventListener('click', (event) => {
    const link = (event.target as Element).closest<HTMLAnchorElement>('a[data-view]');
    if (!link || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    page.show({ view: link.dataset.view === 'choose' ? 'choose' : 'auto', choice: null, error: null });
    focusOn(root, '.stage h2');
  });
}

/** One thing at a time: the form is closed while it is on its way, and says what was refused. */
async function busy(form: HTMLFormElement, page: Page, act: () => Promise<PublicSession | undefined>): Promise<void> {
  const buttons = [...form.querySelectorAll('button')];
  for (const button of buttons) button.disabled = true;
  try {
    const session = await act();
    if (session) page.show({ session, view: 'auto', choice: null, error: null, refundAddress: '' });
  } catch (error) {
    const typed = form.querySelector<HTMLInputElement>('input[name=refund_address]')?.value ?? '';
    page.show({ error: error instanceof Refused ? error.message : null, offline: !(error instanceof Refused), refundAddress: typed });
  } finally {
    for (const button of buttons) button.disabled = false;
  }
}

/** After a change of stage the keyboard goes where the eyes go. */
function focusOn(root: HTMLElement, selector: string): void {
  requestAnimationFrame(() => {
    const place = root.querySelector<HTMLElement>(selector);
    if (place && !/^(INPUT|BUTTON|A)$/.test(place.tagName)) place.tabIndex = -1;
    place?.focus();
  });
}
