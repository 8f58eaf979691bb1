import { type CheckoutPage, isUnseen, type PublicPayment, stageOf, type WalletStep } from './page-state.ts';

const KEY = 'quittance:sent:';

/** Keeps through reloads, and for other tabs of this browser, what a wallet has sent, for as long as the page says so. */
export function storeSent(before: CheckoutPage, now: CheckoutPage): void {
  const { session, wallet } = now;
  const place = KEY + session.id;
  const isOver = !isUnseen(stageOf(now));
  try {
    if (isOver || (isSent(before) && !isSent(now))) localStorage.removeItem(place);
    // Once: in another tab, the customer may have said since that nothing was sent.
    else if (isSent(now) && wallet !== before.wallet)
      localStorage.setItem(place, JSON.stringify([askedOf(session.payment), wallet]));
  } catch {
    // Storage is full or forbidden: then the page says so until it is loaded again.
  }
}

/** What a wallet has sent for what is asked for now, if the service has not seen money since. */
export function storedSent({ session: { id, payment } }: CheckoutPage): WalletStep | undefined {
  try {
    const [asked, wallet] = JSON.parse(localStorage.getItem(KEY + id) ?? '[]') as [string?, WalletStep?];
    return asked === askedOf(payment) ? wallet : undefined;
  } catch {
    return undefined;
  }
}

/** Changes when another coin is chosen or money is seen, but not with an amount that is renewed. */
export function askedOf(payment: PublicPayment | null): string {
  return `${payment?.asset} ${payment?.network} ${payment?.amount_seen}`;
}

/** What the service sends with a signature it knows itself. */
function isSent({ wallet }: CheckoutPage): boolean {
  return wallet?.step === 'sent' && !wallet.signed;
}
