import { CopyButton } from './copy.tsx';
import { familyOf, networkName } from '../networks/networks.ts';
import type { CheckoutPage, PageProps, PublicPayment, WalletName, WalletStep } from './page-state.ts';
import { QrCode } from './qr-code.tsx';
import { Hash } from './transactions.tsx';

/** The wallets in this browser that can pay this, and the progress of the chosen one. */
export function WalletChoice({ page, t }: PageProps) {
  const wallets = walletsFor(page);
  const byRelay = takesWalletConnect(page);
  const { wallet } = page;
  // After a reload, what it has sent is said before it has announced itself again.
  if (wallets.length === 0 && !byRelay && wallet?.step !== 'sent') return null;
  const isBusy = isAsked(page);
  return (
    <div class="wallets">
      <h3 class="visually-hidden">{t('wallet_detected')}</h3>
      {wallet?.step !== 'sent' &&
        wallets.map((one, at) => (
          <button
            key={one.id}
            type="button"
            class={`wallet ${at === 0 && !page.gasless ? 'primary' : ''}`}
            disabled={isBusy}
            data-do="wallet-pay"
            data-wallet={one.id}
          >
            <WalletIcon wallet={one} />
            {t('wallet_pay_with', { wallet: one.name })}
          </button>
        ))}
      {wallet?.step !== 'sent' && byRelay && (
        // On a phone the wallet itself is opened instead.
        <button
          type="button"
          class="wallet on-desktop"
          disabled={isBusy}
          data-do="wallet-pay"
          data-wallet={WALLET_CONNECT}
        >
          {t('wallet_pay_with', { wallet: 'WalletConnect' })}
        </button>
      )}
      <div role="status" aria-live="polite">
        {wallet && wallet.step !== 'failed' && !(wallet.step === 'sent' && wallet.signed) && (
          <StepLine step={wallet} page={page} t={t} />
        )}
      </div>
      {wallet?.step !== 'sent' && wallet?.step !== 'scan' && !isByWalletOnly(page.session.payment) && (
        <p class="or">
          <span>{t('wallet_or')}</span>
        </p>
      )}
    </div>
  );
}

/** Whether a wallet is asked for something at the moment. */
export function isAsked({ wallet, claim }: CheckoutPage): boolean {
  return [wallet, claim].some((one) => one && one.step !== 'failed' && one.step !== 'sent');
}

/** The id of the wallets that are reached by the relay. */
export const WALLET_CONNECT = 'walletconnect';

function takesWalletConnect({ session, walletConnect }: CheckoutPage): boolean {
  return walletConnect !== undefined && session.payment !== null && familyOf(session.payment.network) === 'evm';
}

export function WalletIcon({ wallet }: { wallet: WalletName }) {
  return wallet.icon ? (
    <img class="wallet-icon" src={wallet.icon} alt="" width={24} height={24} />
  ) : (
    <span class="wallet-icon" aria-hidden="true">
      {wallet.name.slice(0, 1)}
    </span>
  );
}

/** Whether a tag or a memo identifies the payment, because its amount is not reserved. */
export function isByReference(payment: PublicPayment | null): boolean {
  return payment?.identified_by === 'reference' && payment.network !== 'solana';
}

/** Whether only a wallet that sends the tag can pay. A memo, which has 32 characters, is written by hand too. */
export function isByWalletOnly(payment: PublicPayment | null): boolean {
  return isByReference(payment) && payment?.reference?.length !== 32;
}

/** The wallets that support the payment's network. */
export function walletsFor(page: CheckoutPage): WalletName[] {
  const network = page.session.payment?.network;
  return network === undefined ? [] : walletsOn(page, network);
}

/** The wallets of this browser on a network. None in test mode: they hold real money, which a test must not ask for. */
export function walletsOn({ session, wallets = [] }: CheckoutPage, network: string): WalletName[] {
  return session.livemode ? wallets.filter((wallet) => wallet.family === familyOf(network)) : [];
}

const STEPS = {
  connecting: 'wallet_connecting',
  network: 'wallet_network',
  checking: 'wallet_checking',
  confirm: 'wallet_confirm',
  signing: 'wallet_signing',
  sending: 'gasless_sending',
} as const;

function StepLine({ step, page, t }: { step: Exclude<WalletStep, { step: 'failed' }> } & PageProps) {
  if (step.step === 'sent') {
    return (
      <div class="sent">
        <p>{t('wallet_sent_text')}</p>
        {step.hash && (
          <p>
            <Hash hash={step.hash} network={page.session.livemode ? page.session.payment?.network : undefined} />
          </p>
        )}
      </div>
    );
  }
  if (step.step === 'scan')
    return (
      <div class="scan">
        <p>{t('wallet_scan')}</p>
        <QrCode text={step.uri} label={t('wallet_scan')} />
        {/* Some wallets are on the same computer, and take the code as a text. */}
        <CopyButton value={step.uri} action={t('copy')} button={t('copy')} copied={t('copied')} />
        <button type="button" class="link" data-do="wallet-cancel">
          {t('cancel')}
        </button>
      </div>
    );
  return (
    <p class="live">
      <span class="pulse" aria-hidden="true" />
      {t(STEPS[step.step], { wallet: step.wallet, network: networkName(page.session.payment?.network ?? '') })}
    </p>
  );
}
