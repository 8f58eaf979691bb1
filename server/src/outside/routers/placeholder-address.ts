import { NETWORKS, type ChainFamily, type Network } from '@quittance/contract';

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
