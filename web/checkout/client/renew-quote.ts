import { isPositive, type PublicSession } from '../page-state.ts';
import { paySession } from './api.ts';

const LOOK_EVERY_MS = 5_000;

/** Where the amount holds only for a while, a new one is fetched in place once it has run out and nothing was sent. */
export function renewQuote(session: () => PublicSession, onRenewed: (session: PublicSession) => void): void {
  let isRenewing = false;
  setInterval(() => {
    const { id, status, payment, server_time: serverTime, expires_at: expiresAt } = session();
    if (isRenewing || document.hidden || !payment?.quote_expires_at || isPositive(payment.amount_seen)) return;
    if (status !== 'pending' || Date.parse(payment.quote_expires_at) > Date.now() || (expiresAt && Date.parse(expiresAt) <= Date.parse(serverTime))) return;
    isRenewing = true;
    paySession(id, { pay_asset: payment.asset, pay_network: payment.network, ...(payment.refund_address && { refund_address: payment.refund_address }) })
      .then(onRenewed, () => undefined)
      .finally(() => { isRenewing = false; });
  }, LOOK_EVERY_MS);
}
