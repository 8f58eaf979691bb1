import type { PageProps } from './page-state.ts';

const ACTIONS = [
  'paid',
  'unconfirmed',
  'underpaid',
  'overpaid',
  'late',
  'failed',
  'refund_required',
  'add_block',
  'expire',
] as const;

const FORM = 'test-wallet';

/** In the place of the wallets: real money cannot pay a test, so the page would wait for it forever. */
export function TestWallet({ t }: Pick<PageProps, 't'>) {
  return (
    <div class="wallets">
      <button form={FORM} name="action" value="paid" class="wallet primary">
        {t('wallet_pay_with', { wallet: t('test_bar_title') })}
      </button>
      <p class="quiet">{t('test_no_real_money')}</p>
    </div>
  );
}

/** On test sessions: buttons for what a customer or the chain could do. */
export function TestBar({ page, t }: PageProps) {
  const { status, payment } = page.session;
  // Only a conversion can get stuck.
  const isRouted = payment?.kind === 'routed';
  const isOver = ['paid', 'failed', 'refund_required', 'refunded'].includes(status);
  return (
    <aside class="test-bar" aria-labelledby="test-bar-title">
      <h2 id="test-bar-title">{t('test_bar_title')}</h2>
      <p>{t('test_bar_text')}</p>
      <form id={FORM} method="post" action={`/checkout/${page.session.id}/test`} data-do="test">
        {ACTIONS.filter((action) => action !== 'refund_required' || isRouted).map((action) => (
          <button
            key={action}
            name="action"
            value={action}
            disabled={isOver || (status === 'expired' && action !== 'late')}
          >
            {t(`test_${action}`)}
          </button>
        ))}
      </form>
    </aside>
  );
}
