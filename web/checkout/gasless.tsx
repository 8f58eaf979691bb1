import { networkName } from './networks.ts';
import type { PageProps, WalletName } from './page-state.ts';
import { walletsFor, WalletIcon } from './wallet-choice.tsx';

/** The wallets that can pay by a signature alone, and what they will sign. A transfer is still possible below. */
export function Gasless({ page, amount, t }: PageProps & { amount: string }) {
  const { wallet, session } = page;
  const { payment } = session;
  if (wallet?.step === 'sent' && wallet.signed) return <p role="status">{t('gasless_sent')}</p>;
  const wallets = gaslessWallets(page);
  if (!payment || wallets.length === 0 || wallet?.step === 'sent') return null;
  const isBusy = wallet !== undefined && wallet !== null && wallet.step !== 'failed';
  return (
    <div class="wallets" data-gasless>
      {wallets.map((one) => (
        <button
          key={one.id}
          type="button"
          class="wallet primary"
          disabled={isBusy}
          data-do="wallet-sign"
          data-wallet={one.id}
        >
          <WalletIcon wallet={one} />
          {t('gasless_pay', { wallet: one.name })}
        </button>
      ))}
      <p class="quiet">
        {t('gasless_text', { amount, asset: payment.asset, network: networkName(payment.network) })}{' '}
        <bdi dir="ltr" class="address">
          {payment.address}
        </bdi>
      </p>
    </div>
  );
}

function gaslessWallets(page: PageProps['page']): WalletName[] {
  return page.gasless && page.session.payment?.kind === 'direct' ? walletsFor(page) : [];
}
