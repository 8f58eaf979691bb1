import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Translate } from './i18n/messages.ts';
import { networkName } from '../networks/networks.ts';
import type { PublicPayment } from './page-state.ts';
import { QrCode } from './qr-code.tsx';
import { storeChoice, storedChoice } from './stored-choice.ts';

type Mode = 'full' | 'transfer' | 'address';

const LABELS = { full: 'qr_full', transfer: 'qr_transfer', address: 'qr_address' } as const;

interface CodeProps {
  payment: PublicPayment;
  /** A Solana Pay transaction request, shown by default as the code. */
  request: string | null;
  amount: string;
  t: Translate;
}

/** The QR code for a wallet. Some wallets read only an address, so the customer can switch to that. */
export function PaymentCode({ payment, request, amount, t }: CodeProps) {
  const [mode, setMode] = useState<Mode>('full');
  useEffect(() => {
    const last = storedChoice('qr');
    if (last === 'address' || last === 'transfer') setMode(last);
  }, []);
  const { asset, address, uri } = payment;
  const values = { amount, asset, network: networkName(payment.network), address };
  const shown = mode === 'transfer' && request === null ? 'full' : mode;
  const isPlain = shown === 'address' || uri === null;
  const text = isPlain ? address : shown === 'full' ? (request ?? uri) : uri;
  const label = t(isPlain ? 'qr_alt_address' : 'qr_alt', values);
  const modes: Mode[] = request === null ? ['full', 'address'] : ['full', 'transfer', 'address'];
  return (
    <Code text={text} label={label} t={t}>
      {uri !== null && (
        <fieldset class="segments with-script">
          <legend class="visually-hidden">{t('qr_mode')}</legend>
          {modes.map((one) => (
            <label key={one}>
              <input
                type="radio"
                name="qr"
                checked={shown === one}
                onChange={() => {
                  setMode(one);
                  storeChoice('qr', one);
                }}
              />
              <span>{t(LABELS[one])}</span>
            </label>
          ))}
        </fieldset>
      )}
    </Code>
  );
}

/** A code that can be enlarged. */
export function Code({
  text,
  label,
  t,
  children,
}: {
  text: string;
  label: string;
  t: Translate;
  children?: ComponentChildren;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  return (
    <div class="code">
      <QrCode text={text} label={label} />
      {children}
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
