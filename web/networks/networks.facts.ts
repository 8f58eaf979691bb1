import * as contract from '@quittance/contract/assets';
import { NETWORK_SLUGS, NETWORKS, type ChainFamily, type NetworkRow } from '@quittance/contract/networks';

export const USUAL_FAMILY = 'evm';

// What pages show of each network, by its slug.
export const NAMES = bySlug(({ name }) => name);
export const EXCHANGE_NAMES = bySlug(({ exchangeNames }) => exchangeNames);
/** Of most networks it is the usual one, which takes no bytes of the pages. */
export const OTHER_FAMILIES = Object.fromEntries(
  NETWORK_SLUGS.flatMap((slug): [string, ChainFamily][] => {
    const { family } = NETWORKS[slug];
    return family === USUAL_FAMILY ? [] : [[slug, family]];
  }),
);
export const EXPLORERS = bySlug(({ explorer }) => explorer);
export const BLOCK_SECONDS = bySlug(({ blockSeconds }) => blockSeconds);

export const COIN_NAMES: Record<string, string> = contract.COIN_NAMES;

function bySlug<Fact>(factOf: (row: NetworkRow) => Fact): Record<string, Fact> {
  return Object.fromEntries(NETWORK_SLUGS.map((slug) => [slug, factOf(NETWORKS[slug])]));
}
