import type { Translate } from './i18n/messages.ts';
import type { PublicPayment } from './page-state.ts';

/** The hashes of the payment's transactions, whole and selectable. */
export function Transactions({ payment, t }: { payment: PublicPayment | null; t: Translate }) {
  if (!payment || payment.tx_hashes.length === 0) return null;
  return (
    <div class="transactions">
      <h3>{t('transactions')}</h3>
      <ul>
        {payment.tx_hashes.map((hash) => <li key={hash}><bdi dir="ltr"><code>{hash}</code></bdi></li>)}
      </ul>
    </div>
  );
}
