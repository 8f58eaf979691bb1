import type { Values } from '../i18n/messages.ts';
import type { WalletProblem, WalletStep } from '../page-state.ts';

/** Why a wallet did not pay, as a sentence for its owner. */
export class WalletError extends Error {
  override readonly name = 'WalletError';
  readonly key: WalletProblem['key'];
  readonly values: WalletProblem['values'];
  constructor(...[key, values]: ProblemText) {
    super(key);
    this.key = key;
    // The parameters of this message; no other is read.
    this.values = { ...values } as WalletProblem['values'];
  }
}

type ProblemText = { [Key in WalletProblem['key']]: [key: Key, ...values: Values<Key>] }[WalletProblem['key']];

/** The end of a payment by a wallet that did not pay. */
export function failedStep({ key, values }: WalletError): Extract<WalletStep, { step: 'failed' }> {
  return { step: 'failed', key, values };
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
