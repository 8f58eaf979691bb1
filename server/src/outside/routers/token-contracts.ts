import { NETWORKS, PAY_ASSETS } from '@quittance/contract';

/**
 * The issuers' own contracts and mints, by the key of the asset; lower case on EVM networks. A network may have several
 * tokens with the same symbol; only these are offered.
 */
export const TOKEN_CONTRACTS: Readonly<Record<string, string>> = Object.fromEntries(
  PAY_ASSETS.flatMap(({ key, network, address }) => {
    if (address === null) return [];
    return [[key, NETWORKS[network].family === 'evm' ? address.toLowerCase() : address]];
  }),
);
