import { MAX_SENT_TOGETHER } from '@quittance/contract/statuses';
import {
  type AnnouncedWallet,
  type EthereumProvider,
  type Wallet,
  type WalletAccount,
  watchAnnounced,
} from '../../wallets/announced.ts';
import { capabilities, hashesOfCalls, isTooMany, sendCalls } from '../../wallets/calls.ts';
import * as ethereum from '../../wallets/ethereum.ts';
import { type Refusal, refusalOf } from '../../wallets/refusal.ts';
import * as solana from '../../wallets/solana.ts';
import { type EthereumTransfer, ethereumTransfer, readUri } from '../../wallets/transfer.ts';
import type { MessageKey } from './i18n.tsx';
import { type Sent, UnansweredError } from './sent-by-wallets.ts';
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
  /** The same for several at once, by one signature if the wallet can; `sent` is called for each by its place. */
  sendAll(transfers: WantedTransfers, sent: Sent): Promise<void>;
}

/** Transfers of one network from the connected wallet. */
export interface WantedTransfers {
  /** EIP-681, one each; empty for a Solana wallet. */
  uris: readonly string[];
  count: number;
  /** For a Solana wallet: in base64, as many in each as fit, in their order. */
  transactions: readonly string[];
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
  const batches: Batches = { provider, from: address, taken: 1, refused: Number.POSITIVE_INFINITY };
  return {
    address,
    sign: (message) => worded(ethereum.signText(provider, address, message)),
    send: ({ uri }) => sendEthereum(provider, address, wantedOf(uri)),
    sendAll: ({ uris }, sent) => sendAllByEthereum(batches, uris, sent),
  };
}

/** How many calls the wallet has taken at once, and how many it has refused as too many. */
interface Batches {
  provider: EthereumProvider;
  from: string;
  taken: number;
  refused: number;
}

/** As many in one request as the wallet takes, if it promises that all or none of them happen; otherwise one by one. */
async function sendAllByEthereum(batches: Batches, uris: readonly string[], sent: Sent): Promise<void> {
  const { provider, from } = batches;
  const wanted = uris.map(wantedOf);
  const [first] = wanted;
  const isAble = first && uris.length > 1 && (await capabilities(provider, from, first.chainId)) !== null;
  for (let at = 0; at < wanted.length; ) {
    const left = wanted.length - at;
    const batch = wanted.slice(at, at + (isAble ? Math.min(left, sizeOf(batches)) : 1));
    const places = batch.map((_, place) => at + place);
    const hashes = await sendBatch(batches, batch, places);
    for (const [place, hash] of hashes.entries()) sent(at + place, hash);
    at += hashes.length;
  }
}

/** Between what was taken and what was refused, so the largest size is found in a few requests. */
function sizeOf({ taken, refused }: Batches): number {
  return refused === Number.POSITIVE_INFINITY ? refused : Math.floor((taken + refused) / 2);
}

/** The transaction of each. Empty if they are too many for the wallet, which then has none of them. */
async function sendBatch(
  batches: Batches,
  batch: readonly EthereumTransfer[],
  places: readonly number[],
): Promise<readonly string[]> {
  const { provider, from } = batches;
  const [first] = batch;
  if (!first) return [];
  if (batch.length === 1) return [await sendEthereum(provider, from, first, places)];
  await moveTo(provider, first.chainId);
  const calls = batch.map(({ to, data, value, token }) => ({ to, value, data: token ? data : '0x' }));
  const asked = sendCalls(provider, { from, chainId: first.chainId, atomicRequired: true, calls });
  const id = await answered(
    asked.catch((error) => {
      if (isTooMany(error)) return null;
      throw error;
    }),
    places,
  );
  if (id === null) {
    batches.refused = batch.length;
    // What it took before may have been smaller calls.
    if (batches.taken >= batch.length) batches.taken = 1;
    return [];
  }
  batches.taken = Math.max(batches.taken, batch.length);
  const hashes = await hashesOfCalls(provider, id, calls.length).catch(() => null);
  if (hashes === undefined) return refuse('unknown');
  if (hashes === null) throw new UnansweredError(places);
  return hashes;
}

async function sendEthereum(
  provider: EthereumProvider,
  from: string,
  { chainId, to, data, value, token }: EthereumTransfer,
  places: readonly number[] | null = null,
): Promise<string> {
  await moveTo(provider, chainId);
  return answered(ethereum.sendTransaction(provider, { chainId, from, to, value, ...(token && { data }) }), places);
}

function wantedOf(uri: string): EthereumTransfer {
  const address = readUri(uri)?.to;
  const wanted = address && ethereumTransfer({ uri, address, tag: null, identified_by: 'amount' });
  if (!wanted) throw new Error('This request cannot be read.');
  return wanted;
}

async function moveTo(provider: EthereumProvider, chainId: number): Promise<void> {
  if (!(await worded(ethereum.switchChain(provider, chainId))))
    throw new WalletRefusedError('Your wallet is still on a different network. Switch it and try again.');
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
    send: async ({ build }) => sendSolana(wallet, account, await build(address)),
    // Wallets prompt for one after the other even if they get several at once, and forget the first if the second fails.
    async sendAll({ count, transactions }, sent) {
      if (transactions.length === 0) return refuse('unknown');
      const all = Array.from({ length: count }, (_, place) => place);
      for (const [at, transaction] of transactions.entries()) {
        const places = all.slice(at * MAX_SENT_TOGETHER.solana, (at + 1) * MAX_SENT_TOGETHER.solana);
        const hash = await sendSolana(wallet, account, transaction, places);
        for (const place of places) sent(place, hash);
      }
    },
  };
}

/**
 * A wallet that gave up waiting for a transaction may name it in its error: it counts as sent, so it is looked up before
 * anyone is asked again.
 */
async function sendSolana(
  wallet: Wallet,
  account: WalletAccount,
  transaction: string,
  places: readonly number[] | null = null,
): Promise<string> {
  const asked = solana.sendTransaction(wallet, account, transaction).catch((error) => {
    const hash = refusalOf(error) === 'unknown' ? solana.signatureIn(error) : undefined;
    if (hash === undefined) throw error;
    return hash;
  });
  const hash = await answered(asked, places);
  if (hash === undefined) throw new UnansweredError(places);
  return hash;
}

const SENTENCES: Record<Refusal, MessageKey> = {
  rejected: 'You rejected the request in your wallet. Nothing was sent.',
  busy: 'Your wallet has another pending request. Complete it first.',
  locked: 'No account available. Unlock your wallet and try again.',
  no_network: 'This network isn’t set up in your wallet. Add it and try again.',
  no_fee: 'This account doesn’t have enough of the network’s coin for the fee.',
  unable: 'Your wallet can’t do this. Nothing was sent.',
  unknown: 'Your wallet couldn’t complete the request. Check your wallet before you try again.',
};

/** The wallet's answer, or its error in words. */
async function worded<T>(asked: Promise<T>): Promise<T> {
  return asked.catch((error) => refuse(refusalOf(error), error));
}

/** The answer about money, or the wallet's refusal. An error that is neither may have come after it was sent. */
async function answered<T>(asked: Promise<T>, places: readonly number[] | null = null): Promise<T> {
  return asked.catch((error) => {
    const refusal = refusalOf(error);
    if (refusal === 'unknown') throw new UnansweredError(places, error);
    return refuse(refusal, error);
  });
}

function refuse(refusal: Refusal, cause?: unknown): never {
  throw new WalletRefusedError(SENTENCES[refusal], cause);
}
