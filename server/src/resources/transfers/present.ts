import type { TransferJson } from '@quittance/contract';
import { presentUnits } from '../../settlement/records/present-payment.ts';
import type { StoredTransfer } from '../../settlement/records/transfer-store.ts';

/** The transfer as the API answers it. `ownPayment` is the payment of this account that it settled or nearly met. */
export function presentTransfer(transfer: StoredTransfer, ownPayment: string | null): TransferJson {
  return {
    id: transfer.id,
    object: 'transfer',
    livemode: transfer.livemode,
    network: transfer.network,
    asset: transfer.asset,
    amount: presentUnits(transfer.amountUnits, transfer.asset, transfer.network),
    from: transfer.from,
    to: transfer.to,
    tx_hash: transfer.txHash,
    index: transfer.index,
    block_time: transfer.block.time.toISOString(),
    reason: transfer.paymentId === null ? transfer.reason : null,
    payment: ownPayment,
    held_by_other_account: transfer.paymentId !== null && ownPayment === null,
    handled_at: transfer.handledAt?.toISOString() ?? null,
  };
}
