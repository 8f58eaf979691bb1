import { useEffect, useState } from 'preact/hooks';
import { CoinIcon } from '../coin-icon.tsx';
import { refusalText } from '../refusal.ts';
import { networkName } from '../../networks/networks.ts';
import { otherNetwork } from '../../networks/other-network.ts';
import { coinAmount, roughAmount } from '../money.ts';
import { optionOf, type PageProps } from '../page-state.ts';
import { walletsOn } from '../wallet-choice.tsx';
import { isDirect, keyOf } from './choose/coins.ts';
import { FeeRows } from './fees.tsx';

/** A routed payment needs the customer's refund address. Explains why before it asks. */
export function RefundAddressStage({ page, t }: PageProps) {
  const { asset = '', network = '', price } = page.choice ?? {};
  const action = `/checkout/${page.session.id}/pay`;
  const wallets = walletsOn(page, network);
  const { options } = page.session;
  const amount = price ?? optionOf(page.session, page.choice)?.estimated_amount;
  const direct = options.find((option) => isDirect(option) && option.available);
  return (
    <>
      <form method="post" action={`${action}?asset=${asset}&network=${network}`} data-do="refund">
        <div class="coin-line">
          <CoinIcon asset={asset} network={network} />
          <span>
            <b>
              <bdi dir="ltr">
                {amount && `≈ ${coinAmount(roughAmount(amount), page.locale)} `}
                {asset}
              </bdi>
            </b>{' '}
            {t('on_network', { network: networkName(network) })}
          </span>
        </div>
        <h2>{t('refund_title')}</h2>
        <p id="refund-why">
          {t('refund_why', { asset })} <span class="quiet">{t('refund_own')}</span>
        </p>
        {page.exchange && <input type="hidden" name="exchange" value="1" />}
        <input type="hidden" name="option" value={keyOf({ asset, network })} />
        <AddressField page={page} asset={asset} network={network} t={t} />
        {wallets.map((wallet) => (
          <button key={wallet.id} type="button" class="wallet" data-do="wallet-address" data-wallet={wallet.id}>
            {wallet.icon && <img src={wallet.icon} alt="" width={24} height={24} />}
            {t('refund_use_wallet', { wallet: wallet.name })}
          </button>
        ))}
        <button class="primary wide">{t('continue')}</button>
        {direct && (
          <button class="link" form="pay-direct">
            {t('refund_none', { asset: direct.asset, network: networkName(direct.network) })}
          </button>
        )}
        <p class="aside">
          <a href={`/checkout/${page.session.id}?view=choose`} data-do="view" data-view="choose">
            {t('back')}
          </a>
        </p>
        <dl class="fees">
          <FeeRows page={page} t={t} />
        </dl>
      </form>
      {direct && (
        <form id="pay-direct" method="post" action={action} data-do="choose">
          {page.exchange && <input type="hidden" name="exchange" value="1" />}
          <input type="hidden" name="option" value={keyOf(direct)} />
        </form>
      )}
    </>
  );
}

/**
 * Names another kind of network as soon as an address is pasted. Not when the field is left: the button being pressed would
 * move.
 */
function AddressField({ page, asset, network, t }: PageProps & { asset: string; network: string }) {
  const [text, setText] = useState(page.typed);
  const [isWhole, setWhole] = useState(true);
  const [canPaste, setCanPaste] = useState(false);
  useEffect(() => {
    setText(page.typed);
    setWhole(true);
  }, [page.typed]);
  useEffect(() => setCanPaste(Boolean(navigator.clipboard?.readText)), []);
  const paste = () =>
    void navigator.clipboard.readText().then(
      (copied) => {
        setText(copied.trim());
        setWhole(true);
      },
      // Forbidden, as in some frames.
      () => setCanPaste(false),
    );
  const other = isWhole ? otherNetwork(text, network) : null;
  const refusal = page.error?.param === 'refund_address' && text === page.typed ? page.error : null;
  const problem = other
    ? t('error_other_network', { other, network: networkName(network) })
    : refusal && refusalText(refusal, t, network);
  return (
    <div class="field">
      <label for="refund-address">{t('refund_label', { asset, network: networkName(network) })}</label>
      <div class="field-row">
        <input
          id="refund-address"
          name="refund_address"
          required
          maxLength={128}
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          dir="ltr"
          value={text}
          onInput={(event) => {
            setText(event.currentTarget.value);
            setWhole(event.inputType === 'insertFromPaste');
          }}
          aria-describedby={problem ? 'refund-refused refund-why' : 'refund-why'}
          aria-invalid={problem ? true : undefined}
        />
        {canPaste && (
          <button type="button" onClick={paste}>
            {t('refund_paste')}
          </button>
        )}
      </div>
      {problem && (
        <p id="refund-refused" class="refused" role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}
