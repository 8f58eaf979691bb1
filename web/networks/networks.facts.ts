import * as contract from '@quittance/contract/assets';
import { NETWORK_SLUGS, NETWORKS, type ChainFamily, type NetworkRow } from '@quittance/contract/networks';

// What pages show of each network, by its slug.
export const NAMES = bySlug(({ name }) => name);
export const EXCHANGE_NAMES = bySlug(({ exchangeNames }) => exchangeNames);
export const FAMILIES = bySlug(({ family }): ChainFamily => family);
export const EXPLORERS = bySlug(({ explorer }) => explorer);
export const BLOCK_SECONDS = bySlug(({ blockSeconds }) => blockSeconds);

export const COIN_NAMES: Record<string, string> = contract.COIN_NAMES;

function bySlug<Fact>(factOf: (row: NetworkRow) => Fact): Record<string, Fact> {
  return Object.fromEntries(NETWORK_SLUGS.map((slug) => [slug, factOf(NETWORKS[slug])]));
}
