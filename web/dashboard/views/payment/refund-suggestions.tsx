import { assetAmount } from '../../lib/format.ts';
import { useLanguage } from '../../lib/i18n.tsx';
import type { RefundPlanJson } from '../../lib/types.ts';
import { Badge } from '../../ui/basic.tsx';

/** Addresses are shown in full: a shortened one can be imitated. */
export function RefundSuggestions({ plan, onChoose }: { plan: RefundPlanJson; onChoose: (address: string) => void }) {
  const { t, locale } = useLanguage();
  return (
    <ul className="grid gap-2">
      {plan.suggestions.map((one) => (
        <li key={one.address}>
          <button
            type="button"
            onClick={() => onChoose(one.address)}
            className="grid w-full gap-1 rounded-lg border border-line px-3 py-2 text-start text-sm hover:bg-raised"
          >
            <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
              <span>{one.kind === 'given' ? t('Provided by the customer') : t('Sender’s address')}</span>
              {one.kind === 'sender' && one.amount !== null && (
                <span className="text-quiet">
                  {t('Sent {amount}', { amount: assetAmount(locale, one.amount, plan.asset) })}
                </span>
              )}
              {one.is_small && <Badge tone="warn">{t('Less than 5% of the payment')}</Badge>}
              {one.resembles !== null && <Badge tone="bad">{t('Looks like another address')}</Badge>}
            </span>
            <bdi className="font-mono text-xs [overflow-wrap:anywhere]">{one.address}</bdi>
          </button>
        </li>
      ))}
    </ul>
  );
}
