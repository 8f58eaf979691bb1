import { providerHelp, providerName } from '../../../ui/providers.ts';
import { assetAmount, networkName, shorten } from '../../lib/format.ts';
import { useLanguage, useT } from '../../lib/i18n.tsx';
import type { MoneyJson } from '../../lib/types.ts';
import { Copyable, Facts, Notice } from '../../ui/basic.tsx';
import { FAILURES, meaningOf } from '../../ui/status.tsx';

/**
 * Why a payment failed or waits. If a route provider has the customer's money: which one, how much, by which order, and
 * whom to contact.
 */
export function Trouble({ reason, money }: { reason: string | null; money: MoneyJson | undefined }) {
  const t = useT();
  const cause = reason && meaningOf(reason, FAILURES, t);
  if (money?.holder === 'provider' && money.order) return <HeldByProvider cause={cause} order={money.order} />;
  return cause && <Notice tone="warn">{cause}</Notice>;
}

function HeldByProvider({ cause, order }: { cause: string | null; order: NonNullable<MoneyJson['order']> }) {
  const { t, locale } = useLanguage();
  const provider = providerName(order.provider);
  const help = providerHelp(order.provider);
  return (
    <Notice tone="warn">
      {cause && <p className="mb-1">{cause}</p>}
      <p className="font-semibold">
        {t('{provider} holds {amount} on {network}.', {
          provider,
          amount: assetAmount(locale, order.deposited, order.asset),
          network: networkName(order.network),
        })}
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
