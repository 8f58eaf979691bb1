import { NETWORKS, type Network } from '@quittance/contract';
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
