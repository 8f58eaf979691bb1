import { type Asset, findAsset, type AssetSymbol, type Network } from '@quittance/contract';
import { base58 } from '@scure/base';
import type { Context } from '../../context.ts';
import { caip2, caip10, caip19 } from '../../outside/chains/caip.ts';
import { memoOf } from '../../outside/chains/pure/memo.ts';
import { invariant } from '../../platform/errors.ts';
import { formatDisplayAmount, formatUnits } from '../../platform/money.ts';
import { presentOrder } from './order.ts';
import type { Payment, Refund, SettlementAlert } from './payment.ts';
import { displayMinor, receivedMinor, surplusUnits } from './returned.ts';

/** The payment as the API returns it. */
export function presentPayment({ config }: Pick<Context, 'config'>, payment: Payment) {
  const network = payment.receiveNetwork;
  const settings = config.networks[network];
  return {
    id: payment.id,
    object: 'payment' as const,
    livemode: payment.livemode,
    status: payment.status,
    sequence: payment.sequence,
    route: payment.route,
    amount: formatDisplayAmount(payment.amountMinor),
    currency: payment.currency,
    pay_asset: payment.payAsset,
    pay_network: payment.payNetwork,
    ...presentOrder(payment),
    payout_wallet_id: payment.payoutWalletId,
    payment_link_id: payment.paymentLinkId,
    receive_asset: payment.receiveAsset,
    receive_network: payment.receiveNetwork,
    receive_address: payment.receiveAddress,
    session: payment.sessionId,
    reference: presentReference(payment.reference),
    expected_output: presentOutput(payment, payment.expectedOutputUnits),
    actual_output: presentOutput(payment, payment.actualOutputUnits),
    net_settlement: formatDisplayAmount(payment.amountMinor - payment.serviceFeeMinor),
    service_fee: formatDisplayAmount(payment.serviceFeeMinor),
    tx_hashes: hasReceivedMoney(payment) ? payment.txHashes : [],
    failure_reason: payment.failureReason,
    refund: payment.refund && presentRefund(payment.refund),
    ...presentReturned(payment),
    settlement_alert: payment.settlementAlert && presentSettlementAlert(payment.settlementAlert),
    network_caip2: caip2(network, settings),
    asset_caip19: caip19(payment.receiveAsset, network, settings),
    receive_address_caip10: caip10(payment.receiveAddress, network, settings),
    created_at: payment.createdAt.toISOString(),
  };
}

function presentReturned(payment: Payment) {
  const received = receivedMinor(payment);
  return {
    received_amount: received === null ? null : formatDisplayAmount(received),
    surplus: formatDisplayAmount(displayMinor(payment, surplusUnits(payment))),
    refunded_amount: formatDisplayAmount(payment.refunds.returnedMinor),
    refunds: [...payment.refunds.ids],
  };
}

/** The `data` of an event: the payment, plus the hash of the transfer that completed it. */
export function presentEventData(ctx: Pick<Context, 'config'>, payment: Payment) {
  const txHash = payment.txHash ?? payment.txHashes.at(-1) ?? null;
  return { ...presentPayment(ctx, payment), tx_hash: hasReceivedMoney(payment) ? txHash : null };
}

/** A 32-byte reference in base58, as Solana shows keys, on every chain. */
export function presentReference(reference: Uint8Array): string {
  return base58.encode(reference);
}

/**
 * The reference as a transfer of the asset carries it: as a memo where transfers have one. Passing `shown`, the reference
 * in base58, saves encoding it again.
 */
export function carriedReference(
  reference: Uint8Array,
  { takesMemo }: Pick<Asset, 'takesMemo'>,
  shown = presentReference(reference),
): string {
  return takesMemo ? memoOf(reference) : shown;
}

/** Base units with all of the asset's decimals: `48.260000`. */
export function presentUnits(units: bigint, asset: AssetSymbol, network: Network): string {
  const entry = findAsset(asset, network);
  invariant(entry, `${asset} on ${network} is on the Safe List`);
  return formatUnits(units, entry.decimals);
}

function presentOutput(payment: Payment, units: bigint | null): string | null {
  return units === null ? null : presentUnits(units, payment.receiveAsset, payment.receiveNetwork);
}

function presentRefund(refund: Refund) {
  return {
    amount: formatDisplayAmount(refund.amountMinor),
    address: refund.address,
    reason: refund.reason,
    created_at: refund.createdAt.toISOString(),
  };
}

function presentSettlementAlert(alert: SettlementAlert) {
  return { type: alert.type, tx_hash: alert.txHash, detected_at: alert.detectedAt.toISOString() };
}

/** Whether the payment's status says that money arrived. Before that, showing a hash would promise too much. */
export function hasReceivedMoney(payment: Payment): boolean {
  if (payment.status === 'refunded') return payment.paidAt !== null || payment.failureReason !== null;
  return payment.status === 'paid' || payment.status === 'refund_required';
}
