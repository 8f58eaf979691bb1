import type { PageProps } from './page-state.ts';
import { explorerLink, networkName } from '../networks/networks.ts';

/** The hashes of the payment's transactions, complete and selectable, each a link to a block explorer. */
export function Transactions({ page, t }: PageProps) {
  const { payment, livemode, options } = page.session;
  if (!payment || payment.tx_hashes.length === 0) return null;
  // The transactions of a routed payment are those that paid the merchant.
  const isDirect = payment.kind === 'direct';
  const network = isDirect ? payment.network : options.find(({ kind }) => kind === 'direct')?.network;
  return (
    <div class="transactions">
      <h3>
        {isDirect || !network ? t('transactions') : t('transactions_delivered', { network: networkName(network) })}
      </h3>
      <ul>
        {payment.tx_hashes.map((hash) => (
          <li key={hash}>
            <Hash hash={hash} network={livemode ? network : undefined} />
          </li>
        ))}
      </ul>
    </div>
  );
}

/** A hash, linked to a block explorer if its network has one. */
export function Hash({ hash, network }: { hash: string; network: string | undefined }) {
  const link = network === undefined ? null : explorerLink(network, hash);
  const text = (
    <bdi dir="ltr">
      <code>{hash}</code>
    </bdi>
  );
  return link ? (
    <a href={link} target="_blank" rel="noopener noreferrer">
      {text}
    </a>
  ) : (
    text
  );
}
