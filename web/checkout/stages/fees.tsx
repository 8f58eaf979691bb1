import { coinAmount, roughAmount, surplus } from '../money.ts';
import { optionOf, type PageProps, type PublicPayment } from '../page-state.ts';

/** Who pays which fee, as rows of a list. An exchange has fees of its own. */
export function FeeRows({ page, t }: PageProps) {
  return (
    <>
      <Conversion page={page} t={t} />
      <div>
        <dt>{t('fee_service')}</dt>
        <dd>{t('fee_service_merchant')}</dd>
      </div>
      {!page.exchange && (
        <div>
          <dt>{t('fee_network')}</dt>
          <dd>{t('fee_network_wallet')}</dd>
        </div>
      )}
    </>
  );
}

/** What the amount contains above the market price. */
function Conversion({ page, t }: PageProps) {
  const { payment } = page.session;
  const priced = page.choice ? { ...page.choice, amount: page.choice.price } : payment;
  const option = optionOf(page.session, priced);
  const costs = priced?.amount && option?.estimated_amount ? surplus(priced.amount, option.estimated_amount) : null;
  if (!priced || !costs) return null;
  const amount = coinAmount(roughAmount(costs), page.locale);
  return (
    <div>
      <dt>{t('fee_conversion')}</dt>
      <dd>{t('fee_conversion_included', { amount, asset: priced.asset })}</dd>
    </div>
  );
}

/** Where a refund would go, as a row of a list. */
export function RefundTo({ payment, t }: { payment: PublicPayment; t: PageProps['t'] }) {
  return (
    payment.refund_address && (
      <div>
        <dt>{t('refund_to')}</dt>
        <dd>
          <bdi dir="ltr" class="address">
            {payment.refund_address}
          </bdi>
        </dd>
      </div>
    )
  );
}
