import type { RefundJson } from '@quittance/contract';
import { formatDisplayAmount } from '../../platform/money.ts';
import { presentUnits } from '../../settlement/records/present-payment.ts';
import type { StoredRefund } from './refund.ts';

/** The refund as the API returns it, and as its events show it. */
export function presentRefund(refund: StoredRefund): RefundJson {
  const { mismatch } = refund;
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
    mismatch:
      mismatch &&
      (mismatch.asset === null
        ? { asset: null, coin_amount: null, to: null }
        : {
            asset: mismatch.asset,
            coin_amount: presentUnits(mismatch.amountUnits, mismatch.asset, refund.network),
            to: mismatch.to,
          }),
    failure_reason: refund.failureReason,
    created_at: refund.createdAt.toISOString(),
  };
}
