import type { ReceiptClaimsJson } from '@quittance/contract';
import type { Context } from '../../context.ts';
import { caip2, caip10, caip19 } from '../../outside/chains/caip.ts';
import { formatDisplayAmount } from '../../platform/money.ts';
import type { Payment } from '../../settlement/records/payment.ts';
import type { StoredRefund } from '../refunds/refund.ts';
import { hasReceivedMoney, presentPayment, presentUnits } from '../../settlement/records/present-payment.ts';
import { isCountedAmong } from '../../settlement/outcome/settle.ts';
import type { Target } from '../../settlement/records/target-store.ts';
import type { StoredTransfer } from '../../settlement/records/transfer-store.ts';

type X402Fields = 'version' | 'resourceUrl' | 'issuedAt' | 'transaction';

/** What a receipt states, without its own id and time. The same facts are one receipt. */
export type ReceiptFacts = Omit<ReceiptClaimsJson, 'jti' | 'iat' | 'jwks_url' | 'supersedes' | X402Fields>;

/** The facts under the names that x402 requires. */
export function forX402(
  { iss, session, transfers }: ReceiptFacts,
  issuedAt: number,
): Pick<ReceiptClaimsJson, X402Fields> {
  return {
    version: 1,
    resourceUrl: `${iss}/checkout/${session}/pay`,
    issuedAt,
    transaction: transfers.at(-1)?.tx_hash ?? null,
  };
}

/** The facts of a payment; undefined while no final money counts for it. */
export function factsOf(
  { config }: Pick<Context, 'config'>,
  payment: Payment,
  transfers: readonly StoredTransfer[],
  { targets, returned }: { targets: readonly Target[]; returned: readonly StoredRefund[] },
): ReceiptFacts | undefined {
  // The exact output of a conversion may be held until its provider has answered, and does not count before.
  const final = transfers.filter((one) => one.status === 'final' && isCountedAmong(transfers, payment, one));
  if (!hasReceivedMoney(payment) || final.length === 0) return undefined;

  const network = payment.receiveNetwork;
  const settings = config.networks[network];
  const { actual_output: received, settlement_alert } = presentPayment({ config }, payment);
  const rate = targets.find((target) => target.rate && final.some(({ targetId }) => targetId === target.id))?.rate;
  const senders = new Set(final.map(({ from }) => from));
  const [sender] = senders;
  return {
    iss: config.publicUrl,
    livemode: payment.livemode,
    payment: payment.id,
    session: payment.sessionId,
    status: payment.status,
    order_id: payment.orderId,
    amount: formatDisplayAmount(payment.amountMinor),
    currency: payment.currency,
    route: payment.route,
    network: caip2(network, settings),
    asset: caip19(payment.receiveAsset, network, settings),
    received,
    payee: caip10(payment.receiveAddress, network, settings),
    // The sender of a converted payment's payout is the route provider.
    payer: payment.route === 'direct' && senders.size === 1 && sender ? caip10(sender, network, settings) : null,
    paid_at: payment.paidAt?.toISOString() ?? null,
    transfers: final.map((transfer) => transferFacts(config.networks[transfer.network], transfer)),
    rate: rate
      ? {
          numerator: rate.numerator,
          denominator: rate.denominator,
          at: rate.at,
          sources: rate.sources.map(({ source, price }) => (price === undefined ? { source } : { source, price })),
        }
      : null,
    refunds: refundFacts(payment, returned),
    settlement_alert,
  };
}

/** What was returned; without a row, what the merchant recorded as returned. */
function refundFacts({ refund }: Payment, returned: readonly StoredRefund[]): ReceiptFacts['refunds'] {
  const rows = returned.map((one) => ({ ...one, address: one.toAddress }));
  return (rows.length === 0 && refund ? [refund] : rows).map((one) => ({
    amount: formatDisplayAmount(one.amountMinor),
    address: one.address,
    recorded_at: one.createdAt.toISOString(),
  }));
}

function transferFacts(
  settings: Context['config']['networks'][StoredTransfer['network']],
  transfer: StoredTransfer,
): ReceiptFacts['transfers'][number] {
  const { network, asset, block, evidence } = transfer;
  return {
    tx_hash: transfer.untraced ? null : transfer.txHash,
    index: transfer.index,
    asset: caip19(asset, network, settings),
    amount: presentUnits(transfer.amountUnits, asset, network),
    from: transfer.from && caip10(transfer.from, network, settings),
    block_number: block.number.toString(),
    block_hash: block.hash,
    block_time: block.time.toISOString(),
    confirmations: typeof evidence.confirmations === 'number' ? evidence.confirmations : null,
    providers: Array.isArray(evidence.providers) ? evidence.providers.length : 0,
    on_chain: evidence.goneAfterFinal === undefined,
  };
}
