import type { RefundJson } from '@quittance/contract';
import { formatDisplayAmount } from '../../platform/money.ts';
import { presentUnits } from '../../settlement/records/present-payment.ts';
import { presentMismatch } from '../outgoing-transfers/outgoing.ts';
import { linkStatusOf, type StoredRefund } from './refund.ts';

/** The refund as the API returns it, and as its events show it. `linkUrl` is known only while the link is made. */
export function presentRefund(refund: StoredRefund, linkUrl: string | null = null): RefundJson {
  const { link } = refund;
  return {
    id: refund.id,
    object: 'refund',
    livemode: refund.livemode,
    payment: refund.paymentId,
    status: refund.status,
    sequence: refund.sequence,
    amount: formatDisplayAmount(refund.amountMinor),
    currency: refund.currency,
    coin_amount: presentUnits(refund.amountUnits, refund.asset, refund.network),
    asset: refund.asset,
    network: refund.network,
    to: refund.toAddress,
    reason: refund.reason,
    tx_hash: refund.txHash,
    verified: refund.verified,
    mismatch: presentMismatch(refund),
    link: link && {
      status: linkStatusOf(refund),
      url: linkUrl,
      expires_at: link.expiresAt.toISOString(),
      mailed_to: link.email,
      address: link.address,
      proved: link.proved,
      answered_at: link.answeredAt?.toISOString() ?? null,
    },
    failure_reason: refund.failureReason,
    created_at: refund.createdAt.toISOString(),
  };
}
