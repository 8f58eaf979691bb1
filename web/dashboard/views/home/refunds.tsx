import { Link } from '@tanstack/react-router';
import { assetAmount, money } from '../../lib/format.ts';
import { type MessageKey, useLanguage, useT } from '../../lib/i18n.tsx';
import { saleOf } from '../../lib/sale.ts';
import type { PaymentJson, RefundJson } from '../../lib/types.ts';
import { Badge } from '../../ui/basic.tsx';
import { Hash } from '../payment/hash.tsx';
import { AMOUNT, Item, WHOLE } from './item.tsx';

/** The service lists no more of them. */
const MAX_LISTED = 20;

/** One line, because they are sent together. `at` is when the newest was planned. */
export function RefundsToSend({ at, count }: { at: string; count: number }) {
  const t = useT();
  return (
    <Item at={at} reason={t('Planned refunds. Send all of a network with one signature.')} action={t('Send')}>
      <Link to="/refunds" search={{}} className={WHOLE}>
        {t('Refunds to send')}
      </Link>{' '}
      <Badge>{count >= MAX_LISTED ? `${MAX_LISTED}+` : count}</Badge>
    </Item>
  );
}

/** A refund that waits for the merchant, linked to its payment, with transactions that may have sent it as well. */
export function RefundItem({
  refund,
  payment,
  reason,
  action,
  hashes = [],
}: {
  refund: RefundJson;
  /** If it is at hand. */
  payment?: PaymentJson | undefined;
  reason: MessageKey;
  action: MessageKey;
  hashes?: readonly string[];
}) {
  const { t, locale } = useLanguage();
  return (
    <Item
      at={refund.link?.answered_at ?? refund.created_at}
      reason={t(reason)}
      action={t(action)}
      amount={assetAmount(locale, refund.coin_amount, refund.asset)}
    >
      <Link to="/payments/$id" params={{ id: refund.payment }} className={WHOLE}>
        {t('Refund')} <span className={AMOUNT}>{money(locale, refund.amount, refund.currency)}</span>{' '}
        {payment && <bdi>{saleOf(payment)}</bdi>}
      </Link>
      {hashes.map((hash) => (
        <span key={hash} className="relative">
          {' '}
          <Hash hash={hash} network={refund.network} livemode={refund.livemode} ends={4} />
        </span>
      ))}
    </Item>
  );
}
