import { NETWORKS, type ChainFamily, type Network } from '@quittance/contract';

// Nobody's addresses. Previews need a refund address before the customer has given one; nothing is ever sent to them.
const NOBODY: Record<ChainFamily, string> = {
  evm: '0x000000000000000000000000000000000000dEaD',
  solana: '1nc1nerator11111111111111111111111111111111',
  bitcoin: '1BitcoinEaterAddressDontSendf59kuE',
  tron: 'T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb',
};

/** An address that is valid on the network and belongs to nobody. */
export function placeholderAddress(network: Network): string {
  return NOBODY[NETWORKS[network].family];
}
