import { plainAmount } from './money.ts';
import { networkName } from '../networks/networks.ts';
import type { PageProps } from './page-state.ts';

/** Transfers that do not count: a wrong coin, or more after it was paid. Shows where they are and whom to contact. */
export function OtherTransfers({ page, t }: PageProps) {
  const others = page.session.payment?.other_transfers ?? [];
  if (others.length === 0) return null;
  return (
    <section class="other-transfers" aria-labelledby="other-transfers-title">
      <h3 id="other-transfers-title">{t('other_transfer_title')}</h3>
      {others.map(({ asset, network, amount, reason, tx_hash: hash }) => (
        <p key={hash}>
          {t(reason === 'other_asset' || reason === 'wrong_network' ? 'other_transfer_asset' : 'other_transfer_extra', {
            amount: plainAmount(amount),
            asset,
            network: networkName(network),
          })}
        </p>
      ))}
    </section>
  );
}
