import type { PageProps, PublicPayment } from '../page-state.ts';

/** Who pays which fee, as rows of a list. */
export function FeeRows({ t }: Pick<PageProps, 't'>) {
  return (
    <>
      <div>
        <dt>{t('fee_service')}</dt>
        <dd>{t('fee_service_merchant')}</dd>
      </div>
      <div>
        <dt>{t('fee_network')}</dt>
        <dd>{t('fee_network_wallet')}</dd>
      </div>
    </>
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
