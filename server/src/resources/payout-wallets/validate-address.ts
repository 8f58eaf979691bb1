import { AddressType, getAddressInfo, Network as BitcoinNetwork } from 'bitcoin-address-validation';
import { NETWORKS, type Network } from '@quittance/contract';
import { isRecoveryPhrase } from '@quittance/contract/recovery-phrase';
import { getAddress } from 'viem';
import { assertNever } from '../../platform/errors.ts';
import { readTronAddress } from '../../outside/chains/pure/tron-address.ts';
import { solanaBytes, solanaKeyKind } from '../../outside/chains/solana-key.ts';
import { KNOWN_CONTRACTS, KNOWN_PROGRAMS, KNOWN_TRON_ADDRESSES } from './known-addresses.ts';

export type AddressVerdict =
  /** The canonical form, in which the address is stored, compared and returned. */
  | { ok: true; address: string }
  /** A sentence for the person who typed it. */
  | { ok: false; why: string };

/**
 * Validates the form of an address on any network that a payout or a refund can go to. `tokens` names more contracts or
 * mints that are not wallets.
 */
export function validateAddress(network: Network, text: string, tokens: Iterable<string> = []): AddressVerdict {
  if (isRecoveryPhrase(text))
    return refuse(
      'This looks like a recovery phrase. Never paste it anywhere: anyone who has it can take all of the money.',
    );
  const { family, name } = NETWORKS[network];
  switch (family) {
    case 'evm':
      return validateEvmAddress(text, name, tokens);
    case 'solana':
      return validateSolanaAddress(text, tokens);
    case 'bitcoin':
      return validateBitcoinAddress(text);
    case 'tron':
      return validateTronAddress(text, tokens);
    default:
      return assertNever(family);
  }
}

function validateEvmAddress(text: string, networkName: string, tokens: Iterable<string>): AddressVerdict {
  if (!/^0x[0-9a-fA-F]{40}$/.test(text))
    return refuse(`Not a valid address on ${networkName}. It must be 0x and 40 digits and letters from a to f.`);

  const address = getAddress(text.toLowerCase());
  const digits = text.slice(2);
  const isMixedCase = digits !== digits.toLowerCase() && digits !== digits.toUpperCase();
  if (isMixedCase && text !== address) {
    return refuse('The checksum of this address is wrong, so a character was mistyped. Copy the address again.');
  }
  if (/^0x0{36}/.test(text)) return refuse('This is the zero address or a system contract, not a wallet.');
  if (isListed(address, KNOWN_CONTRACTS, tokens))
    return refuse('This is the address of a token contract, not of a wallet. Funds sent there are lost.');
  return { ok: true, address };
}

function isListed(address: string, known: ReadonlySet<string>, tokens: Iterable<string>): boolean {
  return known.has(address.toLowerCase()) || [...tokens].some((token) => token.toLowerCase() === address.toLowerCase());
}

function validateSolanaAddress(text: string, tokens: Iterable<string>): AddressVerdict {
  if (!/^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(text))
    return refuse('Not a valid Solana address. It must be 32 to 44 digits and letters, without 0, O, I and l.');
  // Addresses of runtime programs, sysvars and the incinerator are names padded with ones.
  if (/1{8}/.test(text) || KNOWN_PROGRAMS.has(text) || [...tokens].includes(text)) {
    return refuse('This is the address of a program or a token, not of a wallet. Funds sent there are lost.');
  }
  const bytes = solanaBytes(text);
  if (!bytes) return refuse('Not a valid Solana address: characters are missing or mistyped. Copy the address again.');
  if (solanaKeyKind(bytes) === 'small_order')
    return refuse('This is not a wallet address, because anyone could sign for it.');
  return { ok: true, address: text };
}

function validateBitcoinAddress(text: string): AddressVerdict {
  try {
    const { network, type, bech32, address } = getAddressInfo(text);
    if (network === BitcoinNetwork.mainnet && type !== AddressType.unknown)
      return { ok: true, address: bech32 ? address.toLowerCase() : text };
  } catch {
    // Handled below, with addresses of other networks.
  }
  return refuse('Not a valid Bitcoin address. It must start with bc1, 1 or 3 and have a valid checksum.');
}

function validateTronAddress(text: string, tokens: Iterable<string>): AddressVerdict {
  const read = readTronAddress(text);
  if ('why' in read)
    return refuse(
      read.why === 'checksum'
        ? 'The checksum of this address is wrong, so a character was mistyped. Copy the address again.'
        : 'Not a valid Tron address. It must start with T and have a valid checksum.',
    );
  if (KNOWN_TRON_ADDRESSES.has(read.address) || [...tokens].includes(read.address))
    return refuse('This is the address of a token contract, not of a wallet. Funds sent there are lost.');
  return { ok: true, address: read.address };
}

function refuse(why: string): AddressVerdict {
  return { ok: false, why };
}
