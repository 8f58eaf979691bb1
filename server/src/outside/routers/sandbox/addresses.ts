import { ed25519 } from '@noble/curves/ed25519.js';
import { createBase58check, base58, bech32 } from '@scure/base';
import { NETWORKS, type Network } from '@quittance/contract';
import { getAddress } from 'viem';
import { sha256 } from '../../../platform/secrets.ts';

const base58check = createBase58check((bytes: Uint8Array) => new Uint8Array(sha256(bytes)));

/** A well-formed address without a known key, derived from a text. On Bitcoin `prefix` names the network. */
export function sandboxAddress(network: Network, seed: string, prefix: 'bc' | 'tb' = 'bc'): string {
  const bytes = new Uint8Array(sha256(`sandbox ${network} ${seed}`));
  switch (NETWORKS[network].family) {
    case 'evm':
      return getAddress(`0x${Buffer.from(bytes.subarray(0, 20)).toString('hex')}`);
    case 'solana':
      return base58.encode(pointOf(bytes));
    case 'bitcoin':
      return bech32.encode(prefix, [0, ...bech32.toWords(bytes.subarray(0, 20))]);
    case 'tron':
      return base58check.encode(new Uint8Array([0x41, ...bytes.subarray(0, 20)]));
  }
}

/** A public key that was found, not computed: a private key made from a known text would be anybody's. */
function pointOf(bytes: Uint8Array): Uint8Array {
  try {
    ed25519.Point.fromBytes(bytes);
    return bytes;
  } catch {
    return pointOf(new Uint8Array(sha256(bytes)));
  }
}
