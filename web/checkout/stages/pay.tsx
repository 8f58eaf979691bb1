import { Address, Copyable } from '../copy.tsx';
import { networkName } from '../names.ts';
import type { StageProps } from '../page.tsx';
import { stageOf } from '../page-state.ts';
import { QrCode } from '../qr-code.tsx';

/** What to send, where to, and how: the exact amount, the address, the QR code. */
export function PayStage({ page, t }: StageProps) {
  const payment = page.session.payment;
  if (!payment) return null;
  const network = networkName(payment.network);
  const isTopUp = stageOf(page) === 'top_up';
  const amount = isTopUp ? payment.amount_due : payment.amount;
  const { asset, address } = payment;
  return (
    <section aria-labelledby="pay-title">
      <h2 id="pay-title">{isTopUp ? t('top_up_title') : t('send_exactly')}</h2>
      {isTopUp && <p>{t('top_up_text', { seen: payment.amount_seen, amount: payment.amount, asset })}</p>}
      <Copyable label={isTopUp ? t('send_exactly') : t('amount_label')} copies="amount" value={amount} action={t('copy_amount')} copied={t('copied')}>
        <b class="exact-amount">{amount}</b> {asset}
      </Copyable>
      <Copyable label={t('to_address')} copies="address" value={address} action={t('copy_address')} copied={t('copied')}>
        <Address address={address} />
      </Copyable>
      <p class="warning">{t('network_only', { asset, network })}</p>
      <div class="qr-frame">
        <QrCode text={payment.uri ?? address} label={t('qr_alt', { amount, asset, network, address })} />
        {payment.uri && <a class="button" href={payment.uri}>{t('open_wallet')}</a>}
      </div>
      {payment.kind === 'direct' && <p class="quiet">{t('send_why_exact')}</p>}
      <details>
        <summary>{t('exchange_title')}</summary>
        <p>{t('exchange_text', { amount, asset, network })}</p>
      </details>
      <p class="live" role="status" aria-live="polite"><span class="pulse" aria-hidden="true" />{t('waiting')}</p>
      <p class="quiet">{t('waiting_hint')}</p>
      <Countdown page={page} t={t} />
      {!isTopUp && <p class="aside"><a href={`/checkout/${page.session.id}?view=choose`} data-view="choose">{t('choose_another')}</a></p>}
    </section>
  );
}

function Countdown({ page, t }: StageProps) {
  const { expires_at: expiresAt, server_time: serverTime } = page.session;
  if (!expiresAt) return null;
  const seconds = Math.max(0, Math.floor((Date.parse(expiresAt) - Date.parse(serverTime)) / 1000));
  return <p class="countdown quiet" data-countdown={expiresAt}>{t('expires_in', { time: clock(seconds) })}</p>;
}

/** Seconds as `59:59` or `2:05:09`. */
export function clock(seconds: number): string {
  const two = (value: number) => String(value).padStart(2, '0');
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60), seconds % 60];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}
