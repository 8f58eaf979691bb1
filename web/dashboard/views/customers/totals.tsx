import { money } from '../../lib/format.ts';
import { useLanguage } from '../../lib/i18n.tsx';
import type { CustomerFiguresJson } from '../../lib/types.ts';

/** One line for each currency. */
export function Totals({ totals }: { totals: CustomerFiguresJson['totals'] }) {
  const { locale } = useLanguage();
  if (totals.length === 0) return '–';
  return totals.map(({ currency, amount }) => (
    <span key={currency} className="block whitespace-nowrap">
      {money(locale, amount, currency)}
    </span>
  ));
}
