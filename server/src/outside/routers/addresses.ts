import { NETWORKS, type Network, PAY_ASSETS, type ChainFamily } from '@quittance/contract';
import { base58 } from '@scure/base';
import { getAddressInfo, Network as BitcoinNetwork } from 'bitcoin-address-validation';
import { isAddress } from 'viem';
import { PermanentError } from '../../platform/errors.ts';
import { readTronAddress } from '../chains/pure/tron-address.ts';

/** Returns the text if it is a valid address of the network. Money sent to an invalid one would be lost. */
export function depositAddressOn(network: Network, text: string): string {
  if (!isAddressOn(network, text))
    throw new PermanentError(`the deposit address that the provider returned is not valid on ${network}`);
  return text;
}

function isAddressOn(network: Network, text: string): boolean {
  try {
    switch (NETWORKS[network].family) {
      case 'evm':
        return isAddress(text) && !/^0x0{36}/.test(text);
      case 'solana':
        return base58.decode(text).length === 32;
      case 'bitcoin':
        return getAddressInfo(text).network === BitcoinNetwork.mainnet;
      case 'tron':
        return 'address' in readTronAddress(text) && text.startsWith('T');
    }
  } catch {
    return false;
  }
}

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

// Placeholders for previews, which need a refund address before the customer has entered one. Nothing is ever sent to
// them.
const PLACEHOLDERS: Record<ChainFamily, string> = {
  evm: '0x000000000000000000000000000000000000dEaD',
  solana: '1nc1nerator11111111111111111111111111111111',
  bitcoin: '1BitcoinEaterAddressDontSendf59kuE',
  tron: 'T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb',
};

/** An address that is valid on the network and has no known key. */
export function placeholderAddress(network: Network): string {
  return PLACEHOLDERS[NETWORKS[network].family];
}
