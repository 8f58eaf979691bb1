import type { Wallet, WalletAccount } from './announced.ts';

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

// What both pages ask Solana wallets for. Errors are the wallet's own: each page has its sentences for them.

// Only live transfers are built, and they use one network, whatever else the wallet supports.
const CHAIN = 'solana:mainnet';

/** The parts of the Wallet Standard that the pages need. */
interface Features {
  'standard:connect': { connect(): Promise<{ accounts: readonly WalletAccount[] }> };
  'solana:signMessage'?: {
    signMessage(input: { account: WalletAccount; message: Uint8Array }): Promise<readonly { signature: Uint8Array }[]>;
  };
  'solana:signAndSendTransaction'?: {
    signAndSendTransaction(input: {
      account: WalletAccount;
      transaction: Uint8Array;
      chain: string;
    }): Promise<readonly { signature: Uint8Array }[]>;
  };
}

/** The account that the wallet shares; undefined if it shares none. */
export async function shareAccount(wallet: Wallet): Promise<WalletAccount | undefined> {
  const { accounts } = await featuresOf(wallet)['standard:connect'].connect();
  return accounts[0];
}

/** The account's signature of a text; undefined if the wallet signs no texts. */
export async function signText(wallet: Wallet, account: WalletAccount, text: string): Promise<Uint8Array | undefined> {
  const message = new TextEncoder().encode(text);
  const signed = await featuresOf(wallet)['solana:signMessage']?.signMessage({ account, message });
  return signed?.[0]?.signature;
}

/**
 * Signs and sends a transaction in base64 that the service has built. Returns its signature; undefined if the wallet
 * names none.
 */
export async function sendTransaction(
  wallet: Wallet,
  account: WalletAccount,
  base64: string,
): Promise<string | undefined> {
  const transaction = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  const sending = featuresOf(wallet)['solana:signAndSendTransaction'];
  const sent = await sending?.signAndSendTransaction({ account, transaction, chain: CHAIN });
  return sent?.[0] && base58(sent[0].signature);
}

/** The transaction of which the wallet says that it has sent it and does not know what became of it. */
export function signatureIn(error: unknown): string | undefined {
  const { signature, message } = (error ?? {}) as { signature?: unknown; message?: unknown };
  return /\b[1-9A-HJ-NP-Za-km-z]{80,90}\b/.exec(`${signature} ${message}`)?.[0];
}

function featuresOf(wallet: Wallet): Features {
  return wallet.features as unknown as Features;
}

/** Bytes in base58, as Solana writes signatures and addresses. */
export function base58(bytes: Uint8Array): string {
  let value = bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
  let text = '';
  for (; value > 0n; value /= 58n) text = ALPHABET[Number(value % 58n)] + text;
  const zeros = bytes.findIndex((byte) => byte !== 0);
  return '1'.repeat(zeros < 0 ? bytes.length : zeros) + text;
}
