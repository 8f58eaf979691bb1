import { ed25519 } from '@noble/curves/ed25519.js';
import { base58 } from '@scure/base';

/**
 * The public key that a Solana address is, or undefined where it is none that somebody can hold the private key of:
 * not 32 bytes, off the curve (program-derived), or of small order (one of those is the system program).
 */
export function readSolanaKey(address: string): Uint8Array | undefined {
  if (address.length < 32 || address.length > 44) return undefined;
  try {
    const bytes = base58.decode(address);
    if (bytes.length !== 32) return undefined;
    // Read as loosely as the chain does, so that odd encodings of small-order points are seen for what they are.
    return ed25519.Point.fromBytes(bytes, true).isSmallOrder() ? undefined : bytes;
  } catch {
    return undefined;
  }
}
