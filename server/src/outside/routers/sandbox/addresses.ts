import { ed25519 } from '@noble/curves/ed25519.js';
import { createBase58check, base58, bech32 } from '@scure/base';
import { NETWORKS, type Network } from '@quittance/contract';
import { getAddress } from 'viem';
import { sha256 } from '../../../platform/secrets.ts';

const base58check = createBase58check((bytes: Uint8Array) => new Uint8Array(sha256(bytes)));

/**
 * What a test's customer is shown as a deposit address: no wallet can send real money to it. Bitcoin has addresses of a
 * test network, which wallets tell apart; the other families have none, so there the text is not an address at all.
 */
export function sandboxDepositAddress(network: Network, seed: string): string {
  return NETWORKS[network].family === 'bitcoin'
    ? segwitAddress('tb', bytesOf(network, seed))
    : `test_${network}_${Buffer.from(bytesOf(network, seed).subarray(0, 12)).toString('hex')}`;
}

/** A well-formed address without a known key, derived from a text. */
export function sandboxAddress(network: Network, seed: string): string {
  const bytes = bytesOf(network, seed);
  switch (NETWORKS[network].family) {
    case 'evm':
      return getAddress(`0x${Buffer.from(bytes.subarray(0, 20)).toString('hex')}`);
    case 'solana':
      return base58.encode(pointOf(bytes));
    case 'bitcoin':
      return segwitAddress('bc', bytes);
    case 'tron':
      return base58check.encode(new Uint8Array([0x41, ...bytes.subarray(0, 20)]));
  }
}

function bytesOf(network: Network, seed: string): Uint8Array {
  return new Uint8Array(sha256(`sandbox ${network} ${seed}`));
}

function segwitAddress(prefix: 'bc' | 'tb', bytes: Uint8Array): string {
  return bech32.encode(prefix, [0, ...bech32.toWords(bytes.subarray(0, 20))]);
}

/** A public key that was found, not computed: a private key made from a known text would belong to anyone. */
function pointOf(bytes: Uint8Array): Uint8Array {
  try {
    ed25519.Point.fromBytes(bytes);
    return bytes;
  } catch {
    return pointOf(new Uint8Array(sha256(bytes)));
  }
}
