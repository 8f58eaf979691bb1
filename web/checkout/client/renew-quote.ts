import { paySession, RefusedError } from '../api.ts';
import { differsNoticeably, isPositive } from '../money.ts';
import type { LivePage } from './live-page.ts';
import { isTooLate } from '../page-state.ts';
import { secondsUntil } from '../server-clock.ts';
import { askedOf } from '../stored-sent.ts';

const LOOK_EVERY_MS = 1_000;
const RETRY_MS = 10_000;

/**
 * If an amount is valid only for a while, fetches a new one in place when it expires. Not while a wallet asks to
 * confirm the old one, nor after something was sent.
 */
export function renewQuote(page: LivePage): void {
  let notBeforeMs = 0;
  setInterval(() => {
    const { session, view } = page.shown();
    const { payment } = session;
    if (!payment?.quote_expires_at || session.status !== 'pending' || isPositive(payment.amount_seen)) return;
    if (document.hidden || view === 'choose' || isTooLate(page.shown()) || performance.now() < notBeforeMs) return;
    if (secondsUntil(payment.quote_expires_at) > 0 || (session.expires_at && secondsUntil(session.expires_at) === 0))
      return;
    notBeforeMs = performance.now() + RETRY_MS;
    // While the answer is on its way, the customer may choose another coin, or what they sent may be seen.
    const show: LivePage['show'] = (change) => {
      if (askedOf(page.shown().session.payment) === askedOf(payment)) page.show(change);
    };
    paySession(session.id, {
      pay_asset: payment.asset,
      pay_network: payment.network,
      ...(payment.refund_address && { refund_address: payment.refund_address }),
    }).then(
      (renewed) => {
        // Whole seconds are counted, so the service may still hold the old amount.
        if (renewed.payment?.quote_expires_at === payment.quote_expires_at)
          notBeforeMs = performance.now() + LOOK_EVERY_MS;
        show({
          session: renewed,
          error: null,
          repriced: renewed.payment !== null && differsNoticeably(payment.amount, renewed.payment.amount),
        });
      },
      (error) => {
        const isRefused = error instanceof RefusedError;
        // Something was sent meanwhile: the page will learn of it.
        if (isRefused && error.code === 'invalid_payment_state') return;
        show({
          staleQuote: payment.quote_expires_at,
          ...(isRefused ? { error: { code: error.code, param: error.param } } : { offline: true }),
        });
      },
    );
  }, LOOK_EVERY_MS);
}
