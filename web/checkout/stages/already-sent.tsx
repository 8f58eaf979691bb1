import { useState } from 'preact/hooks';
import { isAddress } from '../../networks/other-network.ts';
import { othersOn } from '../message-box.tsx';
import type { PageProps } from '../page-state.ts';
import { refusalText } from '../refusal.ts';
import { WalletIcon, walletsOn } from '../wallet-choice.tsx';

interface SentProps extends PageProps {
  isOpenFirst?: boolean;
  /** The page says elsewhere what became of the named transaction. */
  isAnswered?: boolean;
}

/** For a customer whose payment is not seen: the hash says where to look, a signature claims the transfer. */
export function AlreadySent({ page, t, isOpenFirst = false, isAnswered }: SentProps) {
  // What is unfolded stays so, whatever happens around it.
  const [isOpen, setOpen] = useState(isOpenFirst);
  const network = claimNetwork(page);
  const refusal = page.error?.param === 'tx_hash' ? page.error : null;
  const wallets = walletsOn(page, network);
  const { claim } = page;
  const hasArrived = othersOn(page).some(
    ({ reason, tx_hash: hash }) => reason === 'no_match' || page.typed.includes(hash),
  );
  // What a wallet here has sent, the page itself has named.
  const isSought = page.noticed && !hasArrived && page.wallet?.step !== 'sent';
  return (
    <details open={isOpen || isSought || refusal !== null} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{t('sent_title')}</summary>
      <form method="post" action={`/checkout/${page.session.id}/transactions`} data-do="transaction">
        <p>{t('sent_text')}</p>
        <div class="field">
          <label for="tx-hash">{t('transaction_hash')}</label>
          <input
            id="tx-hash"
            name="tx_hash"
            required
            maxLength={250}
            dir="ltr"
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
            // Only a first value: what the customer has typed since must not be written over.
            defaultValue={refusal ? page.typed : undefined}
            aria-invalid={refusal ? true : undefined}
            aria-describedby={refusal ? 'tx-refused' : undefined}
          />
          {refusal && (
            <p id="tx-refused" class="refused" role="alert">
              {isAddress(page.typed) ? t('error_hash_address') : refusalText(refusal, t)}
            </p>
          )}
        </div>
        <div class="actions">
          <button>{t('submit_hash')}</button>
          {wallets.map((one) => (
            <button key={one.id} name="wallet" value={one.id} class="wallet">
              <WalletIcon wallet={one} />
              {t('sent_sign', { wallet: one.name })}
            </button>
          ))}
        </div>
        {wallets.length > 0 && <p class="quiet">{t('sent_sign_text')}</p>}
        <p role="status">
          {page.noticed
            ? hasArrived
              ? t('other_transfer_title')
              : !isAnswered && !refusal && t('hash_submitted')
            : claim?.step === 'signing'
              ? t('wallet_signing', { wallet: claim.wallet })
              : ''}
        </p>
        {claim?.step === 'failed' && (
          <p class="refused" role="alert">
            {t(claim.key, claim.values)}
          </p>
        )}
      </form>
    </details>
  );
}

/** Claims are for transfers to the payout wallet, so they use its network. */
export function claimNetwork({ session }: PageProps['page']): string {
  return session.options.find((option) => option.kind === 'direct')?.network ?? session.payment?.network ?? '';
}
