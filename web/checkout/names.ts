import { NETWORKS, type Network } from '@quittance/contract/assets';

/** The network's name as a person reads it. */
export function networkName(slug: string): string {
  return NETWORKS[slug as Network]?.name ?? slug;
}
