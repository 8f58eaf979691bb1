import { buildTransaction, RefusedError } from '../api.ts';
import type { PublicSession } from '../page-state.ts';
import { base58 } from '../../wallets/base58.ts';
import type { Guide } from './ethereum.ts';
import { problemOf, WalletError } from './problem.ts';
import type { Wallet, WalletAccount } from '../../wallets/standard.ts';

// Only live payments are built, and they use one network, whatever else the wallet supports.
const CHAIN = 'solana:mainnet';

/** The parts of the Wallet Standard that paying needs. */
interface Features {
  'standard:connect': { connect(): Promise<{ accounts: readonly WalletAccount[] }> };
  'solana:signAndSendTransaction': {
    signAndSendTransaction(input: {
      account: WalletAccount;
      transaction: Uint8Array;
      chain: string;
    }): Promise<readonly { signature: Uint8Array }[]>;
  };
  'solana:signMessage'?: {
    signMessage(input: { account: WalletAccount; message: Uint8Array }): Promise<readonly { signature: Uint8Array }[]>;
  };
}

/** Pays by a transaction that the service has built, including the reference; the wallet only signs and sends it. */
export async function payBySolana(wallet: Wallet, session: PublicSession, { report, check }: Guide): Promise<string> {
  const account = await connect(wallet);
  report('checking');
  const transaction = await buildTransaction(session.id, account.address).catch((error) => {
    throw refusalOf(error, session);
  });
  await check();
  report('confirm');
  try {
    const [sent] = await features(wallet)['solana:signAndSendTransaction'].signAndSendTransaction({
      account,
      transaction: bytesOf(transaction.transaction),
      chain: CHAIN,
    });
    if (!sent) throw new WalletError('wallet_unknown');
    return base58(sent.signature);
  } catch (error) {
    throw problemOf(error, { coin: 'SOL', isSending: true });
  }
}

export async function solanaAddress(wallet: Wallet): Promise<string> {
  return (await connect(wallet)).address;
}

export async function signBySolana(wallet: Wallet, text: string): Promise<{ signature: string; sender: string }> {
  const account = await connect(wallet);
  const sign = features(wallet)['solana:signMessage'];
  if (!sign) throw new WalletError('wallet_failed');
  try {
    const [signed] = await sign.signMessage({ account, message: new TextEncoder().encode(text) });
    if (!signed) throw new WalletError('wallet_failed');
    return { signature: base58(signed.signature), sender: account.address };
  } catch (error) {
    throw problemOf(error);
  }
}

async function connect(wallet: Wallet): Promise<WalletAccount> {
  try {
    const { accounts } = await features(wallet)['standard:connect'].connect();
    const [account] = accounts;
    if (!account) throw new WalletError('wallet_locked');
    return account;
  } catch (error) {
    throw problemOf(error);
  }
}

function features(wallet: Wallet): Features {
  return wallet.features as unknown as Features;
}

/** Why the service did not build one: what the sender lacks, or a reason that the customer cannot change. */
function refusalOf(error: unknown, { payment }: PublicSession): unknown {
  if (!(error instanceof RefusedError)) return error;
  if (error.code === 'service_unavailable') return new WalletError('error_unavailable');
  if (error.code === 'invalid_payment_state') return new WalletError('error_state');
  return error.param === 'sender'
    ? new WalletError('wallet_low_balance_short', { asset: payment?.asset ?? '' })
    : error;
}

function bytesOf(base64: string): Uint8Array {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}
