import { useEffect, useState } from 'preact/hooks';
import { justPaid } from './just-paid.ts';
import { returnedOf, surplusOf } from './money.ts';
import type { CheckoutPage, PageProps } from './page-state.ts';
import { merchantName } from './summary.tsx';

const RETURN_SECONDS = 10;

/**
 * The link back to the shop. A customer who has just seen the payment arrive is redirected, unless they choose to stay.
 * One who sent too much is not: they would not see who returns it.
 */
export function Returning({ page, t }: PageProps) {
  const [seconds, setSeconds] = useState<number | null>(null);
  const success = page.links.success;
  const { id } = page.session;
  const isTooMuch = hasSurplus(page);
  useEffect(() => {
    if (justPaid(id) && window.parent === window && !isTooMuch) setSeconds(RETURN_SECONDS);
  }, [id, isTooMuch]);
  useEffect(() => {
    if (seconds === null || success === null) return undefined;
    if (seconds === 0) {
      location.assign(success);
      return undefined;
    }
    const timer = setTimeout(() => setSeconds(seconds - 1), 1_000);
    return () => clearTimeout(timer);
  }, [seconds, success]);
  if (success === null) return null;
  return (
    <>
      <a class="button primary" href={success} target="_top" rel="noopener noreferrer" data-return>
        {t('paid_return', { merchant: merchantName(page, t) })}
      </a>
      {seconds !== null && (
        <span class="returning">
          <span>{t('paid_returning', { count: seconds })}</span>
          <button type="button" class="link" onClick={() => setSeconds(null)}>
            {t('paid_stay')}
          </button>
        </span>
      )}
    </>
  );
}

/** More than the price arrived, with the payment or after it. */
function hasSurplus({ session: { payment } }: CheckoutPage): boolean {
  if (payment === null) return false;
  return (surplusOf(payment) ?? returnedOf(payment)) !== null || payment.other_transfers.length > 0;
}
