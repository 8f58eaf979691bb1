import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { networkName } from '../../../networks/networks.ts';
import { assetAmount, instant, money, shorten } from '../../lib/format.ts';
import { useLanguage } from '../../lib/i18n.tsx';
import type { RefundJson } from '../../lib/types.ts';
import { Copyable } from '../../ui/basic.tsx';
import { Cell, Table } from '../../ui/table.tsx';
import { RefundBadge } from '../payment/refund-badge.tsx';

/**
 * Refunds of any payment. `first` stands before each that can be sent, such as its check box; its address is shown in
 * full, because a shortened one can be imitated.
 */
export function RefundTable({
  label,
  refunds,
  first,
  state,
}: {
  label: string;
  refunds: readonly RefundJson[];
  first?: (refund: RefundJson) => ReactNode;
  /** In place of its status. */
  state?: (refund: RefundJson) => ReactNode;
}) {
  const { t, locale } = useLanguage();
  return (
    <Table
      label={label}
      heads={[t('Amount'), first ? t('Address') : t('Sent to'), t('Payment'), t('Status'), t('Created')]}
    >
      {refunds.map((refund) => (
        <tr key={refund.id}>
          <Cell className="whitespace-nowrap tabular-nums">
            <span className="inline-flex items-center gap-2.5">
              {first?.(refund)}
              <strong>{money(locale, refund.amount, refund.currency)}</strong>
              <span className="text-quiet">
                {assetAmount(locale, refund.coin_amount, refund.asset)}
                {!first && ` · ${networkName(refund.network)}`}
              </span>
            </span>
          </Cell>
          <Cell>
            <Address address={refund.to ?? refund.link?.address ?? null} isWhole={first !== undefined} />
          </Cell>
          <Cell className="whitespace-nowrap">
            <Link to="/payments/$id" params={{ id: refund.payment }} className="text-accent hover:underline">
              {shorten(refund.payment)}
            </Link>
          </Cell>
          <Cell>{state?.(refund) ?? <RefundBadge refund={refund} />}</Cell>
          <Cell className="text-quiet whitespace-nowrap">{instant(locale, refund.created_at)}</Cell>
        </tr>
      ))}
    </Table>
  );
}

/** Where it goes, or where the customer asks for it. */
function Address({ address, isWhole }: { address: string | null; isWhole: boolean }) {
  return address === null ? '–' : <Copyable text={address} {...(!isWhole && { shown: shorten(address) })} />;
}
