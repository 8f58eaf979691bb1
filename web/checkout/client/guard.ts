import type { PublicSession } from '../page-state.ts';

/**
 * Compares what stands on the page with what the service says. A script or an extension that swaps the address is
 * noticed, and the page refuses to show anything to pay.
 */
export function guardAddress(root: HTMLElement, session: () => PublicSession, onTampered: () => void): void {
  const look = () => {
    const payment = session().payment;
    const shown = root.querySelector('[data-address]')?.textContent;
    const copied = root.querySelector<HTMLElement>('[data-copies=address]')?.dataset.copy;
    if (!payment || shown === undefined) return;
    if (shown !== payment.address || copied !== payment.address) {
      observer.disconnect();
      onTampered();
    }
  };
  const observer = new MutationObserver(look);
  observer.observe(root, { subtree: true, childList: true, characterData: true, attributes: true });
}
