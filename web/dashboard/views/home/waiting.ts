import { useAttention, useList, useRead } from '../../lib/state.tsx';
import type {
  OnboardingJson,
  PaymentJson,
  PayoutWalletJson,
  TransferJson,
  WebhookEndpointJson,
} from '../../lib/types.ts';

export const MAX_SHOWN = 5;

export type Waiting = ReturnType<typeof useWaiting>;

/** Everything that could need the merchant. */
export function useWaiting() {
  const attention = useAttention();
  const decisions = useList<PaymentJson>('payments', '/v1/payments', { status: 'refund_required', limit: MAX_SHOWN });
  const transfers = useList<TransferJson>('transfers', '/v1/transfers', { unattributed: true, limit: MAX_SHOWN });
  const endpoints = useList<WebhookEndpointJson>('endpoints', '/v1/webhook-endpoints');
  const wallets = useList<PayoutWalletJson>('wallets', '/v1/payout-wallets');
  return { attention, decisions, transfers, endpoints, wallets };
}

export function useOnboarding() {
  return useRead<OnboardingJson>('onboarding', '/dashboard/api/onboarding', {}, { isAside: true });
}
