import type { Wallet, WalletAccount } from '../../wallets/announced.ts';
import { base58, sendTransaction, shareAccount, signatureIn, signText } from '../../wallets/solana.ts';
import { refusalOf } from '../../wallets/refusal.ts';
import { buildTransaction, RefusedError } from '../api.ts';
import type { PublicSession } from '../page-state.ts';
import type { Guide } from './ethereum.ts';
import { problemOf } from './problem-of.ts';
import { WalletError } from './problem.ts';

/** Pays by a transaction that the service has built, including the reference; the wallet only signs and sends it. */
export async function payBySolana(wallet: Wallet, session: PublicSession, { report, check }: Guide): Promise<string> {
  const account = await connect(wallet);
  report('checking');
  const transaction = await buildTransaction(session.id, account.address).catch((error) => {
    throw problemOfBuild(error, session);
  });
  await check();
  report('confirm');
  try {
    const hash = await sendTransaction(wallet, account, transaction.transaction);
    if (hash === undefined) throw new WalletError('wallet_unknown');
    return hash;
  } catch (error) {
    // A wallet that gave up waiting for a transaction may name it: it has sent it.
    const hash = refusalOf(error) === 'unknown' ? signatureIn(error) : undefined;
    if (hash !== undefined) return hash;
    throw problemOf(error, { coin: 'SOL', isSending: true });
  }
}

export async function solanaAddress(wallet: Wallet): Promise<string> {
  return (await connect(wallet)).address;
}

export async function signBySolana(wallet: Wallet, text: string): Promise<{ signature: string; sender: string }> {
  const account = await connect(wallet);
  try {
    const signature = await signText(wallet, account, text);
    if (!signature) throw new WalletError('wallet_failed');
    return { signature: base58(signature), sender: account.address };
  } catch (error) {
    throw problemOf(error);
  }
}

async function connect(wallet: Wallet): Promise<WalletAccount> {
  try {
    const account = await shareAccount(wallet);
    if (!account) throw new WalletError('wallet_locked');
    return account;
  } catch (error) {
    throw problemOf(error);
  }
}

/** Why the service did not build one: what the sender lacks, or a reason that the customer cannot change. */
function problemOfBuild(error: unknown, { payment }: PublicSession): unknown {
  if (!(error instanceof RefusedError)) return error;
  if (error.code === 'service_unavailable') return new WalletError('error_unavailable');
  if (error.code === 'invalid_payment_state') return new WalletError('error_state');
  return error.param === 'sender'
    ? new WalletError('wallet_low_balance_short', { asset: payment?.asset ?? '' })
    : error;
}
