import { CoinIcon } from '../coin-icon.tsx';
import { refusalText } from '../refusal.ts';
import { networkName } from '../../networks/networks.ts';
import type { PageProps } from '../page-state.ts';
import { walletsOn } from '../wallet-choice.tsx';
import { FeeRows } from './fees.tsx';

/** A routed payment needs the customer's refund address. Explains why before it asks. */
export function RefundAddressStage({ page, t }: PageProps) {
  const { asset = '', network = '' } = page.choice ?? {};
  const refusal = page.error?.param === 'refund_address' ? page.error : null;
  const wallets = walletsOn(page, network);
  return (
    <form method="post" action={`/checkout/${page.session.id}/pay`} data-do="refund">
      <div class="coin-line">
        <CoinIcon asset={asset} network={network} />
        <span>
          <b>{asset}</b> {t('on_network', { network: networkName(network) })}
        </span>
      </div>
      <h2>{t('refund_title')}</h2>
      <p id="refund-why">
        {t('refund_why', { asset })} <span class="quiet">{t('refund_own')}</span>
      </p>
      {page.exchange && <input type="hidden" name="exchange" value="1" />}
      <input type="hidden" name="option" value={`${asset}_${network.toUpperCase()}`} />
      <div class="field">
        <label for="refund-address">{t('refund_label', { asset, network: networkName(network) })}</label>
        <input
          id="refund-address"
          name="refund_address"
          required
          maxLength={128}
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          dir="ltr"
          value={page.typed}
          aria-describedby={refusal ? 'refund-refused refund-why' : 'refund-why'}
          aria-invalid={refusal ? true : undefined}
        />
        {refusal && (
          <p id="refund-refused" class="refused" role="alert">
            {refusalText(refusal, t, network)}
          </p>
        )}
      </div>
      {wallets.map((wallet) => (
        <button key={wallet.id} type="button" class="wallet" data-do="wallet-address" data-wallet={wallet.id}>
          {wallet.icon && <img src={wallet.icon} alt="" width={24} height={24} />}
          {t('refund_use_wallet', { wallet: wallet.name })}
        </button>
      ))}
      <button class="primary wide">{t('continue')}</button>
      <p class="aside">
        <a href={`/checkout/${page.session.id}?view=choose`} data-do="view" data-view="choose">
          {t('back')}
        </a>
      </p>
      <dl class="fees">
        <FeeRows t={t} />
      </dl>
    </form>
  );
}
