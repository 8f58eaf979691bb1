import { useEffect, useRef, useState } from 'preact/hooks';
import type { Translate } from './i18n/messages.ts';
import { networkName } from './networks.ts';
import type { PublicPayment } from './page-state.ts';
import { QrCode } from './qr-code.tsx';
import { remember, remembered } from './remembered.ts';

/** The QR code a wallet scans. Some read the address only, so that can be chosen. */
export function PaymentCode({ payment, amount, t }: { payment: PublicPayment; amount: string; t: Translate }) {
  const [isPlain, setPlain] = useState(false);
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => setPlain(remembered('qr') === 'address'), []);
  const { asset, address, uri } = payment;
  const values = { amount, asset, network: networkName(payment.network), address };
  const text = isPlain || uri === null ? address : uri;
  const label = t(isPlain || uri === null ? 'qr_alt_address' : 'qr_alt', values);
  const choose = (plain: boolean) => () => {
    setPlain(plain);
    remember('qr', plain ? 'address' : 'full');
  };
  return (
    <div class="code">
      <QrCode text={text} label={label} />
      {uri !== null && (
        <fieldset class="segments with-script">
          <legend class="visually-hidden">{t('qr_mode')}</legend>
          <label>
            <input type="radio" name="qr" checked={!isPlain} onChange={choose(false)} />
            <span>{t('qr_full')}</span>
          </label>
          <label>
            <input type="radio" name="qr" checked={isPlain} onChange={choose(true)} />
            <span>{t('qr_address')}</span>
          </label>
        </fieldset>
      )}
      <button type="button" class="link with-script" onClick={() => dialog.current?.showModal()}>
        {t('qr_enlarge')}
      </button>
      <dialog ref={dialog} class="enlarged" aria-label={t('qr_enlarge')}>
        <QrCode text={text} label={label} />
        <form method="dialog">
          <button>{t('close')}</button>
        </form>
      </dialog>
    </div>
  );
}
