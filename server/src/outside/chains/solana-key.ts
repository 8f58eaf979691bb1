import { ed25519 } from '@noble/curves/ed25519.js';
import { base58 } from '@scure/base';

/** The 32 bytes that a Solana address is, or undefined where the text is none. */
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
  /** Somebody can hold its private key. */
  | 'key'
  /** Off the curve: made by a program, as the vaults of multisignature programs are. It can be paid, and signs nothing. */
  | 'derived'
  /** Anybody can sign for it; one of these is the system program. */
  | 'small_order';

/** What kind of public key 32 bytes are. */
export function solanaKeyKind(bytes: Uint8Array): SolanaKeyKind {
  try {
    // Read as loosely as the chain does, so that odd encodings of small-order points are seen for what they are.
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
