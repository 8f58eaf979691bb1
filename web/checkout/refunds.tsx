import { networkName } from '../networks/networks.ts';
import { coinAmount } from './money.ts';
import type { PageProps } from './page-state.ts';
import { Hash } from './transactions.tsx';

/** The refunds that have arrived, as rows of a list: when, how much in which coin, and by which transaction. */
export function RefundRows({ page, t }: PageProps) {
  const day = new Intl.DateTimeFormat(page.locale, { dateStyle: 'long', timeZone: 'UTC', numberingSystem: 'latn' });
  return page.refunds?.map(({ at, amount, asset, network, txHash }) => (
    <div key={`${at} ${txHash}`}>
      <dt>{day.format(new Date(at))}</dt>
      <dd>
        <bdi dir="ltr">
          {coinAmount(amount, page.locale)} {asset}
        </bdi>{' '}
        {t('on_network', { network: networkName(network) })}
        {txHash && (
          <div>
            <Hash hash={txHash} network={page.session.livemode ? network : undefined} />
          </div>
        )}
      </dd>
    </div>
  ));
}
