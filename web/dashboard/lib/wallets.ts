import { type AnnouncedWallet, type EthereumProvider, watchAnnounced } from '../../wallets/announced.ts';
import { base58 } from '../../wallets/base58.ts';
import type { Wallet, WalletAccount } from '../../wallets/standard.ts';
import { ethereumTransfer, readUri } from '../../wallets/transfer.ts';
import { ApiError } from './api.ts';
import { WalletRefusedError } from './wallet-refusal.ts';

/** A wallet in this browser, of either family. */
export interface BrowserWallet {
  name: string;
  icon: string | null;
  family: 'evm' | 'solana';
  /** Asks the wallet for an account. */
  connect(): Promise<ConnectedWallet>;
}

export interface ConnectedWallet {
  address: string;
  /** The signature in hex. */
  sign(message: string): Promise<string>;
  /** Signs and sends; returns the transaction's hash. */
  send(transfer: WantedTransfer): Promise<string>;
}

/** A transfer from the connected wallet. */
export interface WantedTransfer {
  /** EIP-681: all that an Ethereum wallet needs. */
  uri: string;
  /** The transaction for a Solana wallet to sign, in base64, built by the service, which knows the chain. */
  build(from: string): Promise<string>;
}

const SIGNING = ['standard:connect', 'solana:signMessage'] as const;

/** Every wallet that announces itself; `listener` is called for each further one. */
export function watchWallets(listener: (wallets: BrowserWallet[]) => void): () => void {
  return watchAnnounced(SIGNING, (wallets) => listener(wallets.map(browserWallet)));
}

function browserWallet(announced: AnnouncedWallet): BrowserWallet {
  const { name, icon, family } = announced;
  const connect = family === 'evm' ? () => connectEvm(announced.provider) : () => connectSolana(announced.wallet);
  return { name, icon, family, connect };
}

async function connectEvm(provider: EthereumProvider): Promise<ConnectedWallet> {
  const [address] = (await spoken(provider.request({ method: 'eth_requestAccounts' }))) as string[];
  if (!address) throw new Error('The wallet named no account.');
  return {
    address,
    sign: async (message) =>
      String(
        await spoken(
          provider.request({ method: 'personal_sign', params: [hex(new TextEncoder().encode(message)), address] }),
        ),
      ),
    send: ({ uri }) => sendEvm(provider, address, uri),
  };
}

async function sendEvm(provider: EthereumProvider, from: string, uri: string): Promise<string> {
  const address = readUri(uri)?.to;
  const wanted = address && ethereumTransfer({ uri, address, tag: null, identified_by: 'amount' });
  if (!wanted) throw new Error('This request cannot be read.');
  await switchTo(provider, `0x${wanted.chainId.toString(16)}`);
  const { to, data, value } = wanted;
  const transaction = wanted.token ? { from, to, data, value } : { from, to, value };
  return String(await spoken(provider.request({ method: 'eth_sendTransaction', params: [transaction] })));
}

/** A wallet that stays on another network would send other coins. */
async function switchTo(provider: EthereumProvider, chainId: string): Promise<void> {
  const current = async () => Number(await spoken(provider.request({ method: 'eth_chainId' })));
  if ((await current()) === Number(chainId)) return;
  await spoken(provider.request({ method: 'wallet_switchEthereumChain', params: [{ chainId }] }));
  if ((await current()) !== Number(chainId))
    throw new WalletRefusedError('Your wallet is still on a different network. Switch it and try again.');
}

/** A wallet's error code in words. */
async function spoken<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    const { code, message = '' } = (error ?? {}) as { code?: number; message?: string };
    if (error instanceof WalletRefusedError || error instanceof ApiError) throw error;
    if (code === 4001 || /reject|declin|cancel|denied/i.test(message))
      throw new WalletRefusedError('You rejected the request in your wallet. Nothing was sent.', error);
    if (code === -32002)
      throw new WalletRefusedError('Your wallet has another pending request. Complete it first.', error);
    if (code === 4902)
      throw new WalletRefusedError('This network isn’t set up in your wallet. Add it and try again.', error);
    throw new WalletRefusedError(
      'Your wallet couldn’t complete the request. Check your wallet before you try again.',
      error,
    );
  }
}

/** The parts of the Wallet Standard that are needed here. */
interface SolanaFeatures {
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

async function connectSolana(wallet: Wallet): Promise<ConnectedWallet> {
  const features = wallet.features as unknown as SolanaFeatures;
  const { accounts } = await spoken(features['standard:connect'].connect());
  const account = accounts[0] ?? wallet.accounts[0];
  if (!account) throw new Error('The wallet named no account.');
  return connectedSolana(features, account);
}

function connectedSolana(features: SolanaFeatures, account: WalletAccount): ConnectedWallet {
  return {
    address: account.address,
    async sign(message) {
      const [signed] = await spoken(
        features['solana:signMessage']?.signMessage({ account, message: new TextEncoder().encode(message) }) ??
          Promise.resolve([]),
      );
      if (!signed)
        throw new WalletRefusedError(
          'Your wallet couldn’t complete the request. Check your wallet before you try again.',
        );
      return hex(signed.signature);
    },
    async send({ build }) {
      const transaction = Uint8Array.from(atob(await build(account.address)), (character) => character.charCodeAt(0));
      const chain = account.chains?.find((one) => one.startsWith('solana:')) ?? 'solana:mainnet';
      const [sent] = await spoken(
        features['solana:signAndSendTransaction']?.signAndSendTransaction({ account, transaction, chain }) ??
          Promise.resolve([]),
      );
      if (!sent)
        throw new WalletRefusedError(
          'Your wallet couldn’t complete the request. Check your wallet before you try again.',
        );
      return base58(sent.signature);
    },
  };
}

function hex(bytes: Uint8Array): string {
  return `0x${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
