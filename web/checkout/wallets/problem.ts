import type { MessageKey } from '../i18n/messages.ts';

/** Why a wallet did not pay, as a sentence for its owner. */
export class WalletProblem extends Error {
  override readonly name = 'WalletProblem';
  readonly key: MessageKey;
  readonly values: Record<string, string>;
  constructor(key: MessageKey, values: Record<string, string> = {}) {
    super(key);
    this.key = key;
    this.values = values;
  }
}

/** What wallets answer, in words. `isSending` where it is not known whether something left. */
export function problemOf(error: unknown, { network = '', coin = '', isSending = false } = {}): WalletProblem {
  if (error instanceof WalletProblem) return error;
  const { code, message = '' } = innermost(error);
  if (code === 4001 || /user (rejected|denied|cancel)|rejected by user|request was rejected/i.test(message))
    return new WalletProblem('wallet_rejected');
  if (code === -32002) return new WalletProblem('wallet_busy');
  if (code === 4100) return new WalletProblem('wallet_locked');
  if (code === 4902) return new WalletProblem('wallet_no_network', { network });
  if (/insufficient (funds|lamports|balance)/i.test(message)) return new WalletProblem('wallet_low_gas', { coin });
  return new WalletProblem(isSending ? 'wallet_unknown' : 'wallet_failed');
}

interface WalletError {
  code?: number;
  message?: string;
}

/** Some wallets wrap what the chain said. */
function innermost(error: unknown): WalletError {
  const outer = (error ?? {}) as WalletError & { data?: { originalError?: WalletError }; cause?: WalletError };
  return outer.code === -32603 && outer.data?.originalError ? outer.data.originalError : outer;
}
