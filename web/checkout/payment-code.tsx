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
  /** An exchange's app reads addresses only. */
  isAddressFirst?: boolean;
  amount: string;
  t: Translate;
}

/** The QR code for a wallet. Wallets read different ones, so the customer can switch. */
export function PaymentCode({ payment, request, isAddressFirst = false, amount, t }: CodeProps) {
  const [mode, setMode] = useState<string | null>(null);
  useEffect(() => setMode(storedChoice('qr')), []);
  const { asset, address, uri } = payment;
  const values = { amount, asset, network: networkName(payment.network), address };
  const modes = modesOf(uri, request, isAddressFirst);
  const shown = modes.find((one) => one === mode) ?? modes[0];
  const isPlain = shown === 'address' || uri === null;
  const text = isPlain ? address : shown === 'full' ? (request ?? uri) : uri;
  const label = t(isPlain ? 'qr_alt_address' : 'qr_alt', values);
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

/**
 * The best one first. The code of a token on a network of the Ethereum family begins with the token's contract, and
 * several wallets send to that: there the address alone comes first.
 */
function modesOf(uri: string | null, request: string | null, isAddressFirst: boolean): [Mode, ...Mode[]] {
  if (request !== null) return ['full', 'transfer', 'address'];
  return isAddressFirst || uri?.includes('/transfer') ? ['address', 'full'] : ['full', 'address'];
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
