import { type ComponentChildren, toChildArray } from 'preact';
import type { UnattributedReason } from '@quittance/contract';
import { Contact, contactOf } from './contact.tsx';
import { networkName } from '../networks/networks.ts';
import type { MessageKey, Translate } from './i18n/messages.ts';
import { plainAmount } from './money.ts';
import {
  type CheckoutPage,
  isOpenStage,
  isUnknown,
  isUnseen,
  type PageProps,
  type PublicPayment,
  type PublicSession,
  stageOf,
} from './page-state.ts';
import { refusalText } from './refusal.ts';

/** All messages of a state in one box: what went wrong, money in an earlier checkout, the stage's own, transfers that do not count. */
export function MessageBox({ page, t, children }: PageProps & { children?: ComponentChildren }) {
  const failures = failureTexts(page, t);
  const hasOthers = othersOn(page).length > 0;
  const own = toChildArray(children);
  const earlier = earlierOn(page);
  const isError = failures.length > 0 || earlier;
  if (!isError && !hasOthers && own.length === 0) return null;
  return (
    <div class={isError ? 'error message' : 'warning message'}>
      {failures.map((text) => (
        <p key={text} role="alert">
          {text}
        </p>
      ))}
      {earlier && (
        <p role="alert">
          {t(earlier.arrived ? 'earlier_arrived' : 'earlier_named')}{' '}
          <a href={`/checkout/${earlier.id}`}>{t('earlier_open')}</a>
        </p>
      )}
      {own}
      <OtherTransfers page={page} t={t} />
    </div>
  );
}

/** The refusal of the service, a wallet or the connection. An error of a field is shown beside the field. */
function failureTexts(page: CheckoutPage, t: Translate): string[] {
  const texts: string[] = [];
  const { error, wallet } = page;
  const isOfField = error?.param === 'refund_address' || error?.param === 'tx_hash';
  // A wallet that is asked again clears the refusal, so a refusal beside its failure is newer.
  if (error && !isOfField) texts.push(refusalText(error, t));
  else if (wallet?.step === 'failed' && (isUnknown(wallet) ? isUnseen : isOpenStage)(stageOf(page)))
    texts.push(t(wallet.key, wallet.values));
  if (page.offline) texts.push(t('offline'));
  return texts;
}

/** The customer may have paid in an earlier try. Shown until this one is paid. */
function earlierOn(page: CheckoutPage): PublicSession['earlier'] {
  const stage = stageOf(page);
  return isUnseen(stage) || stage === 'failed' ? page.session.earlier : undefined;
}

/** Transfers that arrived and do not count. */
export function othersOn({ session }: CheckoutPage): PublicPayment['other_transfers'] {
  return session.payment?.other_transfers ?? [];
}

/** A wrong coin, more after it was paid, or what the customer named. Shows where they are and whom to contact. */
function OtherTransfers({ page, t }: PageProps) {
  const others = othersOn(page);
  if (others.length === 0) return null;
  return (
    <section class="other-transfers" aria-labelledby="other-transfers-title">
      <h3 id="other-transfers-title">{t('other_transfer_title')}</h3>
      {others.map(({ asset, network, amount, reason, tx_hash: hash }) => (
        <p key={hash}>
          {t(OTHERS[reason] ?? 'other_transfer_extra', {
            amount: plainAmount(amount),
            asset,
            network: networkName(network),
          })}
        </p>
      ))}
      {isOpenStage(stageOf(page)) && <Contact {...contactOf(page, t)} t={t} />}
    </section>
  );
}

const OTHERS: { [reason in UnattributedReason]?: MessageKey<'amount' | 'asset' | 'network'> } = {
  no_match: 'other_transfer_named',
  other_asset: 'other_transfer_asset',
  wrong_network: 'other_transfer_asset',
};
