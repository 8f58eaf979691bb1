import { ed25519 } from '@noble/curves/ed25519.js';
import { base58 } from '@scure/base';

/** The 32 bytes of a Solana address, or undefined if the text is not one. */
export function solanaBytes(address: string): Uint8Array | undefined {
  if (address.length < 32 || address.length > 44) return undefined;
  try {
    const bytes = base58.decode(address);
    return bytes.length === 32 ? bytes : undefined;
  } catch {
    return undefined;
  }
}

export type SolanaKeyKind =
  /** A private key can exist for it. */
  | 'key'
  /**
   * Off the curve: derived by a program, such as the vault of a multisignature program. It can be paid, but it cannot
   * sign.
   */
  | 'derived'
  /** Anyone can sign for it. The system program is one of these. */
  | 'small_order';

/** The kind of public key that 32 bytes are. */
export function solanaKeyKind(bytes: Uint8Array): SolanaKeyKind {
  try {
    // Parsed as loosely as on the chain, so that unusual encodings of small-order points are recognized.
    return ed25519.Point.fromBytes(bytes, true).isSmallOrder() ? 'small_order' : 'key';
  } catch {
    return 'derived';
  }
}

/** The public key of an address that can sign, or undefined. */
export function readSolanaKey(address: string): Uint8Array | undefined {
  const bytes = solanaBytes(address);
  return bytes && solanaKeyKind(bytes) === 'key' ? bytes : undefined;
}

/** Whether a text is a transaction signature, which identifies a transaction on Solana: 64 bytes in base58. */
export function isSignature(text: string): boolean {
  if (text.length < 64 || text.length > 90) return false;
  try {
    return base58.decode(text).length === 64;
  } catch {
    return false;
  }
}
