import type { ErrorCode, ReceiveNetwork } from '@quittance/contract';
import { fail } from '../../platform/errors.ts';

/** A transaction hash as it is stored, or the error that names `tx_hash`. */
export function readTxHash(network: ReceiveNetwork, text: string, code: ErrorCode): string {
  const isSolana = network === 'solana';
  const hash = text.trim();
  const isRight = isSolana ? /^[1-9A-HJ-NP-Za-km-z]{64,90}$/.test(hash) : /^0x[0-9a-fA-F]{64}$/.test(hash);
  if (!isRight)
    fail(code, {
      param: 'tx_hash',
      message: isSolana
        ? 'Not a valid Solana transaction signature. Send 64 to 90 base58 characters.'
        : 'Not a valid transaction hash. Send 0x and 64 hex digits.',
    });
  return isSolana ? hash : hash.toLowerCase();
}
