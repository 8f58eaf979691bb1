import type { MessageKey } from '../i18n/messages.ts';
import type { StageProps } from '../page.tsx';
import { merchantName } from '../summary.tsx';
import { Transactions } from '../transactions.tsx';

/** How it ended: what happened, where the money is, the one thing to do, whom to ask. */
export function EndStage({ page, t }: StageProps) {
  const { session } = page;
  const asset = session.payment?.asset ?? '';
  const merchant = merchantName(page, t);
  return (
    <section class={`end end-${session.status}`} aria-labelledby="end-title">
      <div role="status" aria-live="polite">
        <h2 id="end-title">{t(`${session.status}_title` as MessageKey)}</h2>
        <p>{t(explanation(session.status, session.payment?.failure_reason ?? null), { asset, merchant })}</p>
      </div>
      {session.status === 'refund_required' && <p>{t('refund_required_text')}</p>}
      {session.status === 'expired' && <AlreadySent page={page} t={t} />}
      <div class="actions">
        {session.status === 'paid' && page.returnUrl && (
          <a class="button primary" href={page.returnUrl} rel="noopener noreferrer" data-return>{t('paid_return', { merchant })}</a>
        )}
        {session.status === 'paid' && <a class="button" href={`/receipt/${session.id}`}>{t('receipt')}</a>}
        {session.status !== 'paid' && page.cancelUrl && <a class="button" href={page.cancelUrl} rel="noopener noreferrer">{t('back_to_shop')}</a>}
      </div>
      <Transactions payment={session.payment} t={t} />
      {session.status !== 'paid' && <Contact page={page} t={t} />}
    </section>
  );
}

function AlreadySent({ page, t }: StageProps) {
  return (
    <details>
      <summary>{t('expired_sent')}</summary>
      <form method="post" action={`/checkout/${page.session.id}/transactions`} data-choose="transaction">
        <p>{t('expired_sent_text')}</p>
        <label for="tx-hash">{t('transaction_hash')}</label>
        <input id="tx-hash" name="tx_hash" required dir="ltr" autocomplete="off" spellcheck={false} />
        <button>{t('submit_hash')}</button>
        {page.noticed && <p role="status">{t('hash_submitted')}</p>}
      </form>
    </details>
  );
}

function Contact({ page, t }: StageProps) {
  const { support_email: email, support_url: url } = page.session.merchant;
  const href = url ?? (email ? `mailto:${email}` : null);
  if (!href) return null;
  return <p><a href={href} rel="noopener noreferrer">{t('contact', { merchant: merchantName(page, t) })}</a></p>;
}

function explanation(status: string, reason: string | null): MessageKey {
  switch (status) {
    case 'paid': return 'paid_text';
    case 'refunded': return 'refunded_text';
    case 'expired': return 'expired_text';
    case 'refund_required':
      return reason === 'underpaid' ? 'refund_required_underpaid' : reason === 'paid_late' ? 'refund_required_paid_late' : 'refund_required_text';
    default:
      return reason === 'route_refunded' ? 'failed_returned' : reason === 'transaction_reverted' ? 'failed_reverted' : 'failed_text';
  }
}
