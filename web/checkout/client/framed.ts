import type { CheckoutPage } from '../page-state.ts';

/** In a frame, posts the payment's status to the parent page, if its origin is on the merchant's list. */
export function postToParent({ session, frameParents }: CheckoutPage, type: 'ready' | 'status' | 'close'): void {
  if (window.parent === window) return;
  const known = location.ancestorOrigins?.[0];
  const origins = known ? frameParents.filter((origin) => origin === known) : frameParents;
  for (const origin of origins)
    window.parent.postMessage({ source: 'quittance', type, session: session.id, status: session.status }, origin);
}
