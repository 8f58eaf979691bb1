import { base58 } from '@scure/base';

/** Whether a text is a transaction signature, which identifies a transaction on Solana: 64 bytes in base58. */
export function isSignature(text: string): boolean {
  if (text.length < 64 || text.length > 90) return false;
  try {
    return base58.decode(text).length === 64;
  } catch {
    return false;
  }
}
