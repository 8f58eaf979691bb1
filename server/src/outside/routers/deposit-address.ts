import { NETWORKS, type Network } from '@quittance/contract';
import { base58, createBase58check } from '@scure/base';
import { getAddressInfo, Network as BitcoinNetwork } from 'bitcoin-address-validation';
import { isAddress } from 'viem';
import { PermanentError } from '../../platform/errors.ts';
import { sha256 } from '../../platform/secrets.ts';

const base58check = createBase58check((bytes: Uint8Array) => new Uint8Array(sha256(bytes)));

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
      case 'tron': {
        const bytes = base58check.decode(text);
        return bytes.length === 21 && bytes[0] === 0x41;
      }
    }
  } catch {
    return false;
  }
}
