import { formatDisplayAmount } from '../../platform/money.ts';
import { presentOrder } from '../../settlement/records/order.ts';
import type { PaymentLink } from './link.ts';

/** The link as the API answers it. */
export function presentLink(link: PaymentLink, publicUrl: string) {
  return {
    id: link.id,
    object: 'payment_link' as const,
    livemode: link.livemode,
    url: `${publicUrl}/pay/${link.id}`,
    description: link.description,
    amount: formatDisplayAmount(link.amountMinor),
    currency: link.currency,
    payout_wallet_id: link.payoutWalletId,
    receive_asset: link.receiveAsset,
    receive_network: link.receiveNetwork,
    status: link.status,
    payments: link.payments,
    ...presentOrder(link),
    success_url: link.successUrl,
    cancel_url: link.cancelUrl,
    created_at: link.createdAt.toISOString(),
  };
}
