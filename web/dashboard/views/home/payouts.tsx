import { Link } from '@tanstack/react-router';
import { assetAmount, plain } from '../../lib/format.ts';
import { useLanguage, useT } from '../../lib/i18n.tsx';
import type { PayoutJson } from '../../lib/types.ts';
import { Hash } from '../payment/hash.tsx';
import { NAMED_TWICE } from '../payment/refund-badge.tsx';
import { AMOUNT, Item, WHOLE } from './item.tsx';

/** One line, because an import has many. `at` is when the newest was planned. */
export function PayoutsToSend({ at }: { at: string }) {
  const t = useT();
  return (
    <Item
      at={at}
      reason={t('Planned payouts wait for your wallet. Send all of a network with one signature.')}
      action={t('Send')}
    >
      <Link to="/payouts" className={WHOLE}>
        {t('Payouts to send')}
      </Link>
    </Item>
  );
}

/** A payout whose transaction moved something else. */
export function DifferingPayout({ payout }: { payout: PayoutJson }) {
  const t = useT();
  return (
    <Item
      at={payout.created_at}
      reason={t('Its transaction doesn’t send this payout. Name the right one, or cancel it.')}
      action={t('Check')}
    >
      <Link to="/payouts" className={WHOLE}>
        <PayoutName payout={payout} />
      </Link>
    </Item>
  );
}

/** A payout of which another transaction was named as well. */
export function PayoutNamedTwice({ payout }: { payout: PayoutJson }) {
  const t = useT();
  return (
    <Item at={payout.created_at} reason={t(NAMED_TWICE)} action={t('Check')}>
      <Link to="/payouts" search={{ all: true }} className={WHOLE}>
        <PayoutName payout={payout} />
      </Link>
      {payout.other_tx_hashes.map((hash) => (
        <span key={hash} className="relative">
          {' '}
          <Hash hash={hash} network={payout.network} livemode={payout.livemode} ends={4} />
        </span>
      ))}
    </Item>
  );
}

function PayoutName({ payout: { amount, asset, note } }: { payout: PayoutJson }) {
  const { t, locale } = useLanguage();
  return (
    <>
      {t('Payout')} <span className={AMOUNT}>{assetAmount(locale, amount, asset)}</span> <bdi>{plain(note ?? '')}</bdi>
    </>
  );
}
