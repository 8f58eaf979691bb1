import { NETWORKS, type ChainFamily, type Network } from '@quittance/contract';
import { base58 } from '@scure/base';

/** What a transaction hash of a family looks like, for an error that asks for one. */
export const HASH_FORMS: Record<ChainFamily, string> = {
  evm: '0x and 64 hex digits',
  solana: "the transaction's signature: 64 bytes in base58",
  bitcoin: '64 hex digits',
  tron: '64 hex digits',
};

/**
 * The one transaction hash of a network that a text names, as it is stored: lower-case hex, or the unchanged signature
 * on Solana. People also paste the link of an explorer's page. Undefined if the text names none, or several.
 */
export function transactionHashIn(network: Network, text: string): string | undefined {
  const words = text.split(/[^0-9A-Za-z]+/);
  const hashes = new Set(words.flatMap((word) => hashOf(network, word) ?? []));
  return hashes.size === 1 ? [...hashes][0] : undefined;
}

function hashOf(network: Network, word: string): string | undefined {
  switch (NETWORKS[network].family) {
    case 'evm':
      return /^0x[0-9a-fA-F]{64}$/.test(word) ? word.toLowerCase() : undefined;
    case 'solana':
      return isSignature(word) ? word : undefined;
    default:
      return /^[0-9a-fA-F]{64}$/.test(word) ? word.toLowerCase() : undefined;
  }
}

function isSignature(word: string): boolean {
  try {
    return word.length <= 90 && base58.decode(word).length === 64;
  } catch {
    return false;
  }
}
