import type { ChainFamily } from '@quittance/contract/networks';
import { OTHER_FAMILIES, SHOWN, USUAL_FAMILY } from './networks.facts.ts';

/** The network's display name. */
export function networkName(slug: string): string {
  return SHOWN[slug]?.[0] ?? slug;
}

export function familyOf(slug: string): ChainFamily {
  return OTHER_FAMILIES[slug] ?? USUAL_FAMILY;
}

/** The network's names at exchanges, for withdrawals. */
export function exchangeNames(slug: string): string {
  return SHOWN[slug]?.[1] ?? slug;
}

/** The transaction's page in a block explorer. A link only: nothing is ever loaded from there. */
export function explorerLink(slug: string, hash: string): string | null {
  const address = SHOWN[slug]?.[2];
  return address ? `https://${address}${encodeURIComponent(hash)}` : null;
}

/** The usual duration of a confirmation; undefined if a network's finality works differently. */
export function secondsPerConfirmation(slug: string): number | undefined {
  return SHOWN[slug]?.[3];
}
