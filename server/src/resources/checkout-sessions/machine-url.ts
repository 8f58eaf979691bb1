import type { Context } from '../../context.ts';
import { machineAsset } from '../../outside/chains/machine-networks.ts';
import type { CheckoutSession } from './session.ts';

/** The address where programs pay a session; null if their protocols do not support the asset, such as ETH. */
export function machineUrl({ publicUrl, networks }: Context['config'], session: CheckoutSession): string | null {
  const { receiveNetwork: network, receiveAsset: asset, acceptedAssets, livemode } = session;
  const isAccepted = acceptedAssets.includes(`${asset}_${network}`.toUpperCase());
  const isKnown = machineAsset(network, asset, livemode, networks[network]) !== undefined;
  return isAccepted && isKnown ? `${publicUrl}/checkout/${session.id}/pay` : null;
}
