import type { MessageKey } from '../i18n/messages.ts';

/** Why a wallet did not pay, as a sentence for its owner. */
export class WalletError extends Error {
  override readonly name = 'WalletError';
  readonly key: MessageKey;
  readonly values: Record<string, string>;
  constructor(key: MessageKey, values: Record<string, string> = {}) {
    super(key);
    this.key = key;
    this.values = values;
  }
}

/** A wallet's error in words. `isSending` if it is unknown whether anything was sent. */
export function problemOf(error: unknown, { network = '', coin = '', isSending = false } = {}): WalletError {
  if (error instanceof WalletError) return error;
  const { code, message = '' } = innermost(error);
  if (code === 4001 || /user (rejected|denied|cancel)|rejected by user|request was rejected/i.test(message))
    return new WalletError('wallet_rejected');
  if (code === -32002) return new WalletError('wallet_busy');
  if (code === 4100) return new WalletError('wallet_locked');
  if (code === 4902) return new WalletError('wallet_no_network', { network });
  if (/insufficient (funds|lamports|balance)/i.test(message)) return new WalletError('wallet_low_gas', { coin });
  return new WalletError(isSending ? 'wallet_unknown' : 'wallet_failed');
}

interface RawWalletError {
  code?: number;
  message?: string;
}

/** Some wallets wrap the chain's error. */
function innermost(error: unknown): RawWalletError {
  const outer = (error ?? {}) as RawWalletError & { data?: { originalError?: RawWalletError }; cause?: RawWalletError };
  return outer.code === -32603 && outer.data?.originalError ? outer.data.originalError : outer;
}
