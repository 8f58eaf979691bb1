import type { Context } from '../../context.ts';
import { formatDisplayAmount } from '../../platform/money.ts';
import { receiveAssetOf } from '../../settlement/outcome/assessed-payment.ts';
import { presentOrder } from '../../settlement/records/order.ts';
import { carriedReference, presentReference } from '../../settlement/records/present-payment.ts';
import type { CheckoutSession, SessionProgress } from './session.ts';
import { machineAsset } from '../../outside/chains/machine-networks.ts';

/** The session as the API answers it. */
export function presentSession(session: CheckoutSession, progress: SessionProgress, config: Context['config']) {
  const reference = presentReference(session.reference);
  return {
    id: session.id,
    object: 'checkout_session' as const,
    livemode: session.livemode,
    status: progress.status,
    amount: formatDisplayAmount(session.amountMinor),
    currency: session.currency,
    payout_wallet_id: session.payoutWalletId,
    payment_link_id: session.paymentLinkId,
    retry_of: session.retryOf,
    ...presentOrder(session),
    line_items: session.lineItems,
    accepted_assets: session.acceptedAssets,
    reference,
    deposit_addresses: depositAddresses(session, progress, reference),
    checkout_url: `${config.publicUrl}/checkout/${session.id}`,
    machine_url: machineUrl(config, session),
    payment: progress.startedAt ? session.paymentId : null,
    success_url: session.successUrl,
    cancel_url: session.cancelUrl,
    created_at: session.createdAt.toISOString(),
    expires_at: session.expiresAt.toISOString(),
  };
}

export type PresentedSession = ReturnType<typeof presentSession>;

/** The wallet itself if the payout asset is accepted, and the routes that the customer has chosen so far. */
function depositAddresses(session: CheckoutSession, progress: SessionProgress, reference: string) {
  const payoutKey = `${session.receiveAsset}_${session.receiveNetwork}`.toUpperCase();
  const direct = {
    asset: session.receiveAsset,
    network: session.receiveNetwork,
    address: session.receiveAddress,
    kind: 'direct' as const,
    reference: carriedReference(session.reference, receiveAssetOf(session), reference),
  };
  const routed = progress.routedTargets.map((target) => ({ ...target, kind: 'routed' as const, reference: null }));
  return session.acceptedAssets.includes(payoutKey) ? [direct, ...routed] : routed;
}

/** The address where programs pay a session; null if their protocols do not support the asset, such as ETH. */
function machineUrl({ publicUrl, networks }: Context['config'], session: CheckoutSession): string | null {
  const { receiveNetwork: network, receiveAsset: asset, acceptedAssets, livemode } = session;
  const isAccepted = acceptedAssets.includes(`${asset}_${network}`.toUpperCase());
  const isKnown = machineAsset(network, asset, livemode, networks[network]) !== undefined;
  return isAccepted && isKnown ? `${publicUrl}/checkout/${session.id}/pay` : null;
}
