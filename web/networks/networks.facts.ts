import { NETWORK_SLUGS, NETWORKS, type ChainFamily } from '@quittance/contract/networks';

export const USUAL_FAMILY = 'evm';

const HTTPS = 'https://';

/** A network's name, its names at exchanges, its explorer without the scheme, and the seconds of a block. */
type Shown = readonly [name: string, exchangeNames: string, explorer: string, blockSeconds: number];

/** What pages show of each network, by its slug. */
export const SHOWN: Record<string, Shown> = Object.fromEntries(
  NETWORK_SLUGS.map((slug) => {
    const { name, exchangeNames, explorer, blockSeconds } = NETWORKS[slug];
    return [slug, [name, exchangeNames, explorer.slice(HTTPS.length), blockSeconds]];
  }),
);
/** Of most networks it is the usual one, which takes no bytes of the pages. */
export const OTHER_FAMILIES = Object.fromEntries(
  NETWORK_SLUGS.flatMap((slug): [string, ChainFamily][] => {
    const { family } = NETWORKS[slug];
    return family === USUAL_FAMILY ? [] : [[slug, family]];
  }),
);
