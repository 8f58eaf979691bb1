import { refusalOf } from '../../wallets/refusal.ts';
import { WalletError } from './problem.ts';

/** A wallet's error in words. `isSending` if it is unknown whether anything was sent. */
export function problemOf(error: unknown, { network = '', coin = '', isSending = false } = {}): WalletError {
  if (error instanceof WalletError) return error;
  switch (refusalOf(error)) {
    case 'rejected':
      return new WalletError('wallet_rejected');
    case 'busy':
      return new WalletError('wallet_busy');
    case 'locked':
      return new WalletError('wallet_locked');
    case 'no_network':
      return new WalletError('wallet_no_network', { network });
    case 'no_fee':
      return new WalletError('wallet_low_gas', { coin });
    case 'unable':
      return new WalletError('wallet_failed');
    case 'unknown':
      return new WalletError(isSending ? 'wallet_unknown' : 'wallet_failed');
  }
}
