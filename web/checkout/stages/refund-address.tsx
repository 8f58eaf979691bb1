import { networkName } from '../names.ts';
import type { StageProps } from '../page.tsx';

/** A routed payment needs an address of the payer's own, shown why before it is asked for. */
export function RefundAddressStage({ page, t }: StageProps) {
  const { asset = '', network = '' } = page.choice ?? {};
  return (
    <form method="post" action={`/checkout/${page.session.id}/pay`} data-choose="refund">
      <h2>{t('refund_title')}</h2>
      <p class="quiet" id="refund-why">{t('refund_why', { asset })}</p>
      <input type="hidden" name="asset" value={asset} />
      <input type="hidden" name="network" value={network} />
      <label for="refund-address">{t('refund_label', { asset, network: networkName(network) })}</label>
      <input id="refund-address" name="refund_address" required autocomplete="off" autocapitalize="off" spellcheck={false}
        dir="ltr" value={page.refundAddress} aria-describedby="refund-why" aria-invalid={page.error ? true : undefined} />
      <div class="actions">
        <button class="primary">{t('continue')}</button>
        <a href={`/checkout/${page.session.id}?view=choose`} data-view="choose">{t('back')}</a>
      </div>
      <p class="quiet">{t('fee_line_routed')}</p>
    </form>
  );
}
