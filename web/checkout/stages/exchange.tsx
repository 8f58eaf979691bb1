import { useState } from 'preact/hooks';
import { CopyButton } from '../copy.tsx';
import { exchangeNames, networkName } from '../../networks/networks.ts';
import type { Translate } from '../i18n/messages.ts';
import { sum } from '../money.ts';
import type { PublicPayment } from '../page-state.ts';

/** How to withdraw the exact amount from an exchange, and what to enter there if it deducts its fee. */
export function ExchangeGuide({ payment, amount, t }: { payment: PublicPayment; amount: string; t: Translate }) {
  const [fee, setFee] = useState('');
  const { asset, network } = payment;
  const [beforeLink, afterLink] = t('exchange_digits', { sent: '\n' }).split('\n');
  const deducted = /^\d{1,9}(\.\d{1,18})?$/.exec(fee.trim().replace(',', '.'))?.[0];
  const total = deducted && sum(amount, deducted);
  const isWrong = !deducted && fee.trim() !== '';
  return (
    <>
      <ul>
        <li>{t('exchange_network', { network: networkName(network), names: exchangeNames(network) })}</li>
        <li>{t('exchange_arrives', { amount, asset })}</li>
        {payment.kind === 'direct' ? (
          <li>
            {beforeLink}
            {/* A browser unfolds what a link leads to. */}
            <a href="#tx-hash">{t('sent_title')}</a>
            {afterLink}
          </li>
        ) : (
          // The address is of this payment alone, so any amount is found.
          <li>{t('exchange_round_up')}</li>
        )}
        <li>{t('exchange_memo')}</li>
        <li>{t('exchange_slow')}</li>
      </ul>
      <div class="field with-script">
        <label for="exchange-fee">{t('exchange_fee')}</label>
        <input
          id="exchange-fee"
          inputMode="decimal"
          autocomplete="off"
          dir="ltr"
          maxLength={24}
          aria-invalid={isWrong ? true : undefined}
          aria-describedby="exchange-total"
          onInput={(event) => setFee(event.currentTarget.value)}
        />
        <p role="status" id="exchange-total" class={isWrong ? 'refused' : undefined}>
          {isWrong && t('exchange_fee_wrong')}
          {total && t('exchange_enter', { total, asset, amount })}
        </p>
        {total && (
          <CopyButton value={total} action={`${t('copy_amount')}: ${total}`} button={t('copy')} copied={t('copied')} />
        )}
      </div>
    </>
  );
}
