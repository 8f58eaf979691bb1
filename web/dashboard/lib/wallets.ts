import {
  type AnnouncedWallet,
  type EthereumProvider,
  type Wallet,
  type WalletAccount,
  watchAnnounced,
} from '../../wallets/announced.ts';
import * as ethereum from '../../wallets/ethereum.ts';
import { type Refusal, refusalOf } from '../../wallets/refusal.ts';
import * as solana from '../../wallets/solana.ts';
import { ethereumTransfer, readUri } from '../../wallets/transfer.ts';
import type { MessageKey } from './i18n.tsx';
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
  const connect = family === 'evm' ? () => connectEthereum(announced.provider) : () => connectSolana(announced.wallet);
  return { name, icon, family, connect };
}

async function connectEthereum(provider: EthereumProvider): Promise<ConnectedWallet> {
  const address = (await worded(ethereum.shareAccount(provider))) ?? refuse('locked');
  return {
    address,
    sign: (message) => worded(ethereum.signText(provider, address, message)),
    send: ({ uri }) => sendEthereum(provider, address, uri),
  };
}

async function sendEthereum(provider: EthereumProvider, from: string, uri: string): Promise<string> {
  const address = readUri(uri)?.to;
  const wanted = address && ethereumTransfer({ uri, address, tag: null, identified_by: 'amount' });
  if (!wanted) throw new Error('This request cannot be read.');
  if (!(await worded(ethereum.switchChain(provider, wanted.chainId))))
    throw new WalletRefusedError('Your wallet is still on a different network. Switch it and try again.');
  const { to, data, value } = wanted;
  return worded(ethereum.sendTransaction(provider, { from, to, value, ...(wanted.token && { data }) }));
}

async function connectSolana(wallet: Wallet): Promise<ConnectedWallet> {
  return connected(wallet, (await worded(solana.shareAccount(wallet))) ?? refuse('locked'));
}

function connected(wallet: Wallet, account: WalletAccount): ConnectedWallet {
  const { address } = account;
  return {
    address,
    sign: async (message) =>
      ethereum.toHex((await worded(solana.signText(wallet, account, message))) ?? refuse('unknown')),
    async send({ build }) {
      const transaction = await build(address);
      return (await worded(solana.sendTransaction(wallet, account, transaction))) ?? refuse('unknown');
    },
  };
}

const SENTENCES: Record<Refusal, MessageKey> = {
  rejected: 'You rejected the request in your wallet. Nothing was sent.',
  busy: 'Your wallet has another pending request. Complete it first.',
  locked: 'No account available. Unlock your wallet and try again.',
  no_network: 'This network isn’t set up in your wallet. Add it and try again.',
  no_fee: 'This account doesn’t have enough of the network’s coin for the fee.',
  unknown: 'Your wallet couldn’t complete the request. Check your wallet before you try again.',
};

/** The wallet's answer, or its error in words. */
async function worded<T>(asked: Promise<T>): Promise<T> {
  return asked.catch((error) => refuse(refusalOf(error), error));
}

function refuse(refusal: Refusal, cause?: unknown): never {
  throw new WalletRefusedError(SENTENCES[refusal], cause);
}
