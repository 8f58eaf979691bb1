import type { TransferJson } from '@quittance/contract';
import type { Context } from '../../context.ts';
import { caip2, caip10, caip19 } from '../../outside/chains/caip.ts';
import { presentUnits } from '../../settlement/records/present-payment.ts';
import type { OwnTransfer } from './list-store.ts';

/** The transfer as the API returns it. */
export function presentTransfer(
  { config }: Pick<Context, 'config'>,
  { transfer, payment: own, namedBy }: OwnTransfer,
): TransferJson {
  const settings = config.networks[transfer.network];
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
    payment: own?.id ?? null,
    held_by_other_account: transfer.paymentId !== null && own === null,
    confirmed: transfer.confirmed,
    handled_at: transfer.handledAt?.toISOString() ?? null,
    handled_note: transfer.handledNote,
    payment_status: own?.status ?? null,
    order_id: own?.orderId ?? null,
    named_by: namedBy,
    network_caip2: caip2(transfer.network, settings),
    asset_caip19: caip19(transfer.asset, transfer.network, settings),
    from_caip10: transfer.from && caip10(transfer.from, transfer.network, settings),
    to_caip10: caip10(transfer.to, transfer.network, settings),
  };
}
