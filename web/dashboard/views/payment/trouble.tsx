import { Link } from '@tanstack/react-router';
import { providerHelp, providerName } from '@quittance/contract/route-providers';
import { networkName } from '../../../networks/networks.ts';
import { assetAmount, shorten } from '../../lib/format.ts';
import { useLanguage, useT } from '../../lib/i18n.tsx';
import type { MoneyJson, PaymentJson, RefundJson } from '../../lib/types.ts';
import { Button, buttonClass, Copyable, Facts, Notice } from '../../ui/basic.tsx';
import { FAILURES, meaningOf, REASONS } from '../../ui/status.tsx';
import { answerOf, hasAddressToConfirm, isAnswered } from './refund-badge.tsx';

interface Known {
  payment: PaymentJson;
  money: MoneyJson | undefined;
  refunds: readonly RefundJson[];
  /** Opens the dialog of a refund. */
  open: (refund: string) => void;
}

/** What needs the merchant before they decide: of the payment's own money, and of what arrived beside it. */
export function Trouble(known: Known) {
  return (
    <>
      <Cause {...known} />
      <NotCounted {...known} />
    </>
  );
}

/**
 * Why a payment failed or waits for a decision. If a route provider has the customer's money: which one, how much, by
 * which order, and whom to contact. A conversion that goes well gets one line and no warning, and a payment that was
 * decided none, although it keeps its reason.
 */
function Cause({ payment, money, refunds, open }: Known) {
  const t = useT();
  // A refund whose customer has named an address waits for the merchant, below.
  const answered = refunds.find(isAnswered);
  if (answered) return <Answered refund={answered} open={() => open(answered.id)} />;
  const order = money?.holder === 'provider' ? money.order : null;
  if (payment.status !== 'failed' && payment.status !== 'refund_required')
    return (
      order && (
        <Notice>
          <HolderLine order={order} />
        </Notice>
      )
    );
  const cause = payment.failure_reason && meaningOf(payment.failure_reason, FAILURES, t);
  if (order) return <HeldByProvider cause={cause} order={order} />;
  return cause && <Notice tone="warn">{cause}</Notice>;
}

/** What else arrived for the payment, and is in none of its refunds: a customer may have paid twice. */
export function NotCounted({
  payment,
  money,
  isHeld = false,
}: Pick<Known, 'payment' | 'money'> & {
  /** The dialog cannot be left now, so it has no link. */
  isHeld?: boolean;
}) {
  const { t, locale } = useLanguage();
  const transfers = money?.not_counted ?? [];
  const isOver = payment.status === 'paid' || payment.status === 'refunded';
  const canAssign = !isOver && transfers.some(({ asset }) => asset === payment.receive_asset);
  return (
    transfers.length > 0 && (
      <Notice tone="warn">
        <div className="flex flex-wrap items-center justify-between gap-3">
          <div>
            {transfers.map(({ transfer, amount, asset, reason }) => (
              <p key={transfer} className="font-semibold">
                {t('{amount} not counted: {reason}', {
                  amount: assetAmount(locale, amount, asset),
                  reason: meaningOf(reason ?? 'no_match', REASONS, t),
                })}
              </p>
            ))}
            <p>
              {canAssign
                ? t(
                    'Refunds of this payment don’t include it. Assign it, or send it back from the transfers once it is final.',
                  )
                : t('Refunds of this payment don’t include it. Once it is final, send it back from the transfers.')}
            </p>
          </div>
          {!isHeld && (
            <Link to="/transfers" className={buttonClass('plain')}>
              {t('Transfers')}
            </Link>
          )}
        </div>
      </Notice>
    )
  );
}

/** Why a payment whose money all goes back cannot be accepted. */
export function Claimed({ payment }: { payment: PaymentJson }) {
  const t = useT();
  return (
    payment.status === 'refund_required' && (
      <Notice>
        {t('Refunds take all of this money, so the payment can’t be accepted. First cancel one that wasn’t sent.')}
      </Notice>
    )
  );
}

function Answered({ refund, open }: { refund: RefundJson; open: () => void }) {
  const t = useT();
  return (
    <Notice tone="warn">
      <div className="flex flex-wrap items-center justify-between gap-3">
        {t(answerOf(refund).reason)}
        <Button onClick={open}>{t(hasAddressToConfirm(refund) ? 'Check the address' : 'Send this refund')}</Button>
      </div>
    </Notice>
  );
}

/** The holder and the amount. Without a known amount none is stated. */
function HolderLine({ order }: { order: NonNullable<MoneyJson['order']> }) {
  const { t, locale } = useLanguage();
  const provider = providerName(order.provider);
  const network = networkName(order.network);
  if (order.deposited === null)
    return t('{provider} holds the customer’s deposit on {network}.', { provider, network });
  const amount = assetAmount(locale, order.deposited, order.asset);
  return t('{provider} holds {amount} on {network}.', { provider, amount, network });
}

function HeldByProvider({ cause, order }: { cause: string | null; order: NonNullable<MoneyJson['order']> }) {
  const t = useT();
  const provider = providerName(order.provider);
  const help = providerHelp(order.provider);
  return (
    <Notice tone="warn">
      {cause && <p className="mb-1">{cause}</p>}
      <p className="font-semibold">
        <HolderLine order={order} />
      </p>
      <p className="mt-1">
        {t('Nothing has reached your wallet, so don’t send a refund from it. Ask {provider} about this order.', {
          provider,
        })}
      </p>
      <div className="mt-3 max-w-lg">
        <Facts
          facts={[
            [t('Provider’s order'), <Copyable key="order" text={order.reference} shown={shorten(order.reference)} />],
            [
              t('Deposit address'),
              <Copyable key="deposit" text={order.deposit_address} shown={shorten(order.deposit_address)} />,
            ],
            [
              t('Customer’s refund address'),
              <Copyable key="refund" text={order.refund_address} shown={shorten(order.refund_address)} />,
            ],
          ]}
        />
      </div>
      {help && (
        <p className="mt-2">
          <a href={help} target="_blank" rel="noreferrer noopener" className="underline">
            {t('Get help from {provider}', { provider })}
          </a>
        </p>
      )}
    </Notice>
  );
}
