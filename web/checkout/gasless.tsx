import { Address } from './copy.tsx';
import { networkName } from '../networks/networks.ts';
import type { PageProps, WalletName } from './page-state.ts';
import { isAsked, walletsFor, WalletIcon } from './wallet-choice.tsx';

/** The wallets that can pay by a signature alone, and what they will sign. A transfer is still possible below. */
export function Gasless({ page, amount, t }: PageProps & { amount: string }) {
  const { wallet, session } = page;
  const { payment } = session;
  if (isSignatureSent(page))
    return (
      <p class="sent" role="status">
        {t('gasless_sent')}
      </p>
    );
  const wallets = gaslessWallets(page);
  if (!payment || wallets.length === 0 || wallet?.step === 'sent') return null;
  return (
    <div class="wallets" data-gasless>
      {wallets.map((one) => (
        <button
          key={one.id}
          type="button"
          class="wallet primary"
          disabled={isAsked(page)}
          data-do="wallet-sign"
          data-wallet={one.id}
          aria-describedby="gasless-text"
        >
          <WalletIcon wallet={one} />
          {t('gasless_pay', { wallet: one.name })}
        </button>
      ))}
      <p class="quiet" id="gasless-text">
        {t('gasless_text', { amount, asset: payment.asset, network: networkName(payment.network) })}{' '}
        <Address address={payment.address} isSigned />
      </p>
    </div>
  );
}

/** The service sends the payment with the customer's signature. */
export function isSignatureSent({ wallet }: PageProps['page']): boolean {
  return wallet?.step === 'sent' && wallet.signed === true;
}

export function gaslessWallets(page: PageProps['page']): WalletName[] {
  return page.gasless && page.session.payment?.kind === 'direct' ? walletsFor(page) : [];
}
